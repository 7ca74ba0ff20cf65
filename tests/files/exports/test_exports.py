# SPDX-License-Identifier: MIT
"""What is exported holds every call, and what is imported again agrees."""

import csv
import io

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sockmeter.files.exports.buckets_csv import write_csv
from sockmeter.files.exports.hdrlog import write_hlog
from sockmeter.files.exports.histograms import Histogram, histograms_of
from sockmeter.files.exports.whole import write_json
from sockmeter.judge.published import assess_published
from sockmeter.model.errors import OutputError
from sockmeter.model.runs import Run
from sockmeter.model.units import Unit
from tests.builders import make_round, make_run, make_segment
from tests.files.imports.sources import LAIGHT, import_bytes, import_sample, import_text

STARTED = "2026-11-30T15:00:00+00:00"
LABELS = ["recvfrom", "recvmsg batch=8", "recvfrom A2"]
PRECISION = 1e-3  # of a value of three digits


def make_histogram(buckets: list[tuple[float, float | None, int]], **fields: object) -> Histogram:
    known = {"label": "a", "round": 1, "dropped": False, "started_ns": 0, "elapsed_ns": 10**7}
    return msgspec.convert({**known, **fields, "buckets": buckets}, Histogram)


def make_two_round_run() -> Run:
    return make_run(
        [
            make_round(
                number,
                [
                    make_segment(0, range(1000, 1400, 2)),
                    make_segment(1, range(1100, 1500, 2)),
                    make_segment(2, range(1001, 1401, 2)),
                ],
                dropped="steal over the limit" if number == 3 else None,
            )
            for number in (1, 2, 3)
        ]
    )


def test_csv_has_a_line_a_bucket_of_every_arm_and_round() -> None:
    run = make_two_round_run()
    rows = list(csv.DictReader(io.StringIO(write_csv(histograms_of(run, LABELS), Unit.TICKS))))
    assert ["arm", "round", "dropped", "lower_ticks", "upper_ticks", "calls"] == list(rows[0])
    assert 9 * 200 == sum(int(row["calls"]) for row in rows)
    assert {"yes": 3 * 200} == {
        "yes": sum(int(row["calls"]) for row in rows if row["dropped"] == "yes")
    }
    assert set(LABELS) == {row["arm"] for row in rows}


def test_csv_of_a_published_table_leaves_the_open_edge_empty() -> None:
    imported = import_bytes(LAIGHT.read_bytes())
    rows = list(csv.DictReader(io.StringIO(write_csv(histograms_of(imported, []), Unit.CYCLES))))
    assert [("8256", "", "19252")] == [
        (row["lower_cycles"], row["upper_cycles"], row["calls"])
        for row in rows
        if row["arm"] == "recvfrom/unhardened" and not row["upper_cycles"]
    ]


def test_a_log_that_is_imported_again_agrees() -> None:
    """Rounds become intervals, arms tags; a dropped round is left out."""
    run = make_two_round_run()
    again = import_text(write_hlog(histograms_of(run, LABELS), Unit.TICKS, STARTED))
    assert Unit.TICKS == again.unit
    assert ["recvfrom", "recvmsg_batch=8", "recvfrom_A2"] == [c.label for c in again.columns]
    assert [2, 2, 2] == [len(column.rounds) for column in again.columns]
    assert [400, 400, 400] == [column.calls for column in again.columns]
    medians = [column.median.point for column in assess_published(again).columns]
    # The probe's bucket of 1200 is 8 wide, and the log's value is its middle.
    assert [1200, 1300, 1200] == pytest.approx(medians, abs=8 + 1200 * PRECISION)


@given(
    st.dictionaries(st.integers(0, 2**40), st.integers(1, 10**6), min_size=1, max_size=30),
)
@settings(max_examples=60, deadline=None)
def test_every_value_survives_within_three_digits(calls: dict[int, int]) -> None:
    histogram = make_histogram(
        [(float(value), value + 1.0, times) for value, times in sorted(calls.items())]
    )
    column = import_text(write_hlog([histogram], Unit.NS, STARTED)).columns[0]
    assert sum(calls.values()) == column.calls
    held = dict(column.rounds[0])
    for value, times in calls.items():
        place = next(
            index
            for index, (low, high) in enumerate(zip(column.lowers, column.uppers, strict=True))
            if low <= value < (high or 0)
        )
        assert held[place] >= times
        assert (column.uppers[place] or 0) - column.lowers[place] <= max(1, PRECISION * value)


def test_a_log_of_a_log_is_the_same_log() -> None:
    first = import_sample("receive.hlog")
    again = import_text(write_hlog(histograms_of(first, []), Unit.NS, STARTED))
    assert [column.rounds for column in first.columns] == [
        column.rounds for column in again.columns
    ]
    assert [column.lowers for column in first.columns] == [
        column.lowers for column in again.columns
    ]


def test_an_open_bucket_does_not_fit_into_a_log_and_is_not_dropped() -> None:
    histogram = make_histogram([(8256.0, None, 7)])
    with pytest.raises(OutputError, match=r"7 calls lie in an open bucket from 8256 up"):
        write_hlog([histogram], Unit.CYCLES, STARTED)


def test_labels_that_would_be_one_tag_stay_two() -> None:
    histograms = [make_histogram([(5.0, 6.0, 1)], label=label) for label in ("a b", "a,b", "a b")]
    again = import_text(write_hlog(histograms, Unit.NS, STARTED))
    assert {"a_b": 2, "a_b_2": 1} == {c.label: len(c.rounds) for c in again.columns}


def test_json_holds_the_whole_run() -> None:
    run = make_two_round_run()
    whole = msgspec.json.decode(write_json(run))
    assert ("sockmeter run", 1) == (whole["format"], whole["version"])
    assert run == msgspec.convert(whole["run"], Run)
