# SPDX-License-Identifier: MIT
"""bpftrace's histograms are read from its text and from its JSON."""

import pytest

from sockmeter.files.imports.content import Options
from sockmeter.model.errors import RunFileError
from sockmeter.model.imported import Form, ImportedRun
from sockmeter.model.units import Unit
from tests.files.imports.sources import import_sample, import_text

NS = Options(unit="ns")


def labels(imported: ImportedRun) -> list[str]:
    return [column.label for column in imported.columns]


@pytest.mark.parametrize(
    ("name", "form"), [("bpftrace.txt", Form.BPFTRACE), ("bpftrace.jsonl", Form.BPFTRACE_JSON)]
)
def test_every_histogram_of_costs_is_a_column(name: str, form: Form) -> None:
    """@returned holds what recvfrom returned, -1 for EAGAIN: no costs."""
    imported = import_sample(name, NS)
    assert form == imported.form
    assert Unit.NS == imported.unit
    assert ["linear_ns", "recvfrom_ns"] == labels(imported)[2:]
    assert ["by_call", "by_call"] == [label.partition("[")[0] for label in labels(imported)[:2]]
    assert any("@returned counts" in remark for remark in imported.remarks)


def test_lhist_ends_in_an_open_bucket_and_hist_in_none() -> None:
    linear, powers = import_sample("bpftrace.txt", NS).columns[2:]
    assert (2000.0, None) == (linear.lowers[-1], linear.uppers[-1])
    assert (16384.0, 32768.0) == (powers.lowers[0], powers.uppers[0])


def test_the_json_says_inclusive_maxima_and_they_are_taken_as_such() -> None:
    powers = import_sample("bpftrace.jsonl", NS).columns[-1]
    assert (16384.0, 32768.0) == (powers.lowers[0], powers.uppers[0])


def test_maps_of_which_only_some_say_their_unit_are_mixed() -> None:
    with pytest.raises(RunFileError, match=r"mixed units: @linear_ns says ns, .* --unit ns"):
        import_sample("bpftrace.txt")


def test_maps_of_different_units_are_mixed() -> None:
    with pytest.raises(RunFileError, match=r"mixed units: @a_ns says ns, @usecs says us"):
        import_text("@a_ns:\n[1, 2)  3 |@|\n\n@usecs:\n[1, 2)  3 |@|\n")


def test_labels_of_every_kind_are_understood() -> None:
    text = "@ns:\n[0]   1 |@ |\n[1]   2 |@@|\n[2, 4)  3 |@@|\n[1K, 2K)  4 |@|\n[8M, ...)  5 |@|\n"
    column = import_text(text).columns[0]
    assert [0, 1, 2, 1024, 8 * 1024**2] == column.lowers
    assert [1, 2, 4, 2048, None] == column.uppers
    assert 15 == column.calls


def test_costs_under_the_first_edge_of_a_linear_histogram_are_not_lost() -> None:
    """lhist() prints them as (..., 500): they lie between 0 and 500."""
    column = import_text("@ns:\n(..., 500)  7 |@@|\n[500, 600)  3 |@|\n").columns[0]
    assert (0.0, 500.0) == (column.lowers[0], column.uppers[0])
    assert 10 == column.calls


def test_a_map_printed_again_and_again_counts_once_or_is_an_interval_each() -> None:
    grew = import_text("@ns:\n[1, 2)  3 |@|\n\n@ns:\n[1, 2)  5 |@|\n[2, 4)  1 |@|\n")
    assert [6] == [column.calls for column in grew.columns]
    cleared = import_text("@ns:\n[1, 2)  3 |@|\n\n@ns:\n[1, 2)  2 |@|\n")
    assert [2] == [len(column.rounds) for column in cleared.columns]


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ("[4, 2)  3 |@|", "line 2: a bucket from 4 to 2"),
        ("[4, 8)  -3 |@|", "line 2: -3 is a negative count"),
        ("[4, 8)  1.5 |@|", "line 2: 1.5 is a fraction"),
        ("[4, 8)", "line 2: '.4, 8.' is not a bucket of bpftrace"),
        ("[4, 8)  3 |@|\n[6, 9)  1 |@|", "line 3: unordered or overlapping buckets at 6"),
        ("[4, 8)  3 |@|\n[1, 2)  1 |@|", "line 3: unordered or overlapping buckets at 1"),
        ("(..., 0)  3 |@|", "no histogram of costs"),
    ],
)
def test_a_row_that_is_not_sound_names_its_line(row: str, what: str) -> None:
    with pytest.raises(RunFileError, match=what):
        import_text(f"@ns:\n{row}\n")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('{"type": "hist", "data": {"@ns": [{"min": 1, "max": 1', "line 1: not a record"),
        ('{"type": "hist", "data": {"@ns": [{"min": 1, "count": -1}]}}', "line 1: @ns: -1 is not"),
        ('{"type": "hist", "data": {"@ns": [{"count": 1}]}}', "line 1: @ns: a bucket without"),
        ('{"type": "hist", "data": {"@ns": 3}}', "line 1: not a record"),
        ('{"type": "map", "data": {"@ns": 3}}', "no histogram of costs"),
    ],
)
def test_a_record_that_is_not_sound_names_its_line(line: str, what: str) -> None:
    with pytest.raises(RunFileError, match=what):
        import_text(f"{line}\n", Options(form=Form.BPFTRACE_JSON))
