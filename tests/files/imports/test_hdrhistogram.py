# SPDX-License-Identifier: MIT
"""HdrHistogram's log and its percentile text tell the same calls."""

import pytest

from sockmeter.files.imports.content import Options
from sockmeter.judge.published import assess_published
from sockmeter.model.errors import RunFileError
from sockmeter.model.imported import Form
from sockmeter.model.units import Unit
from tests.files.imports.sources import DATA, import_sample, import_text


def test_a_log_has_a_column_a_tag_and_a_round_an_interval() -> None:
    imported = import_sample("receive.hlog")
    assert Form.HLOG == imported.form
    assert Unit.NS == imported.unit
    assert {"recvfrom": 8, "recvmsg": 8} == {
        column.label: len(column.rounds) for column in imported.columns
    }
    assert [6400, 6400] == [column.calls for column in imported.columns]


@pytest.mark.parametrize("name", ["recvfrom.hgrm", "recvfrom-csv.hgrm"])
def test_a_percentile_text_of_the_same_calls_has_the_same_median(name: str) -> None:
    """The text was printed with three digits after the point, in us."""
    text = assess_published(import_sample(name, Options(unit="us"))).columns[0]
    log = assess_published(import_sample("receive.hlog")).columns[0]
    assert log.calls == text.calls
    assert text.median.low - 1 <= log.median.low <= text.median.high
    assert text.p99.low - 1 <= log.p99.low <= text.p99.high
    assert text.peaks is None


def test_what_the_footer_states_is_kept_and_its_total_checked() -> None:
    text = (DATA / "recvfrom.hgrm").read_text(encoding="utf-8")
    stated = import_text(text, Options(unit="us")).columns[0].stated
    assert {"mean": 1038.0, "max": 50207.0} == {
        name: round(value, 6) for name, value in stated.items()
    }
    damaged = text.replace("TotalCount     =     6400.000", "TotalCount     =     6401.000")
    with pytest.raises(RunFileError, match=r"TotalCount says 6,401, the rows add up to 6,400"):
        import_text(damaged)


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ("2.0 0.0 5 1.0\n1.0 1.0 9\n", "line 3: unordered: the value falls"),
        ("1.0 0.0 5 1.0\n2.0 1.0 4\n", "line 3: unordered: the count falls"),
        ("1.0 0.0 5 1.0\n2.0 1.0\n", "line 3: ragged: 2 cells"),
        ("1.0 0.0 -5 1.0\n", "line 2: '-5' is not a count"),
        ("1.0 7.0 5 1.0\n", "line 2: a percentile of 7.0"),
        ("1.0 0.0 5 1.0\n1.0 1.0 9\n", "line 3: more calls at the value of the row before"),
        ("1.0 1.0 0\n", "line 2: no call"),
        ("", "line 1: no rows under the header"),
    ],
)
def test_a_percentile_text_that_is_not_sound_names_its_line(rows: str, what: str) -> None:
    header = "       Value     Percentile TotalCount 1/(1-Percentile)\n"
    with pytest.raises(RunFileError, match=what):
        import_text(header + rows)


def test_an_interval_that_cannot_be_decoded_names_its_line() -> None:
    lines = (DATA / "receive.hlog").read_text(encoding="utf-8").splitlines()
    lines[5] = lines[5][:-20]
    with pytest.raises(RunFileError, match="line 6: the histogram is damaged"):
        import_text("\n".join(lines))


def test_an_encoding_of_an_older_version_is_said() -> None:
    """Its first four bytes say so; the library reads version 2."""
    text = "#[Histogram log format version 1.01]\n0.1,1.0,3.0,HISTiQAAAG542pNpmdzBwMDAxAAGfgo=\n"
    with pytest.raises(RunFileError, match="line 2: not an encoding of version 2"):
        import_text(text)


def test_a_line_of_a_log_that_is_no_interval_is_named() -> None:
    lines = (DATA / "receive.hlog").read_text(encoding="utf-8").splitlines()
    with pytest.raises(RunFileError, match="line 7: not an interval"):
        import_text("\n".join([*lines[:6], "Tag=recvfrom,1.0,nonsense", *lines[6:]]))
