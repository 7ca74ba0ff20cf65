# SPDX-License-Identifier: MIT
"""A published table shows what its buckets show, and decides nothing."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sockmeter.files.imports.content import Options
from sockmeter.judge.coarse import Bounds
from sockmeter.judge.published import PublishedFigures, assess_published, choose_pairs
from sockmeter.judge.verdict import Word
from sockmeter.model.imported import Form, ImportedColumn, ImportedRun
from sockmeter.model.units import Unit
from tests.files.imports.sources import LAIGHT, import_bytes, import_sample, import_text


def make_column(costs: list[int] | None = None, label: str = "a") -> ImportedColumn:
    """Make a column of buckets 100 wide from 0 to 3000, the last one open."""
    counts = [0] * 31
    for cost in costs or [1050]:
        counts[min(cost // 100, 30)] += 1
    return ImportedColumn(
        label=label,
        lowers=[100.0 * place for place in range(31)],
        uppers=[*(100.0 * place for place in range(1, 31)), None],
        rounds=[[(place, calls) for place, calls in enumerate(counts) if calls]],
    )


def make_imported(*columns: ImportedColumn, baseline: str | None = None) -> ImportedRun:
    return ImportedRun(
        source="table.txt",
        form=Form.TABLE,
        unit=Unit.CYCLES,
        edge="labels are lower edges",
        said=[],
        columns=list(columns),
        rates=[],
        remarks=[],
        baseline=baseline,
        command="sockmeter import table.txt",
        imported_at="2026-11-30T15:00:00+00:00",
        sockmeter_version="0.1.0",
    )


@pytest.fixture(scope="module")
def laight() -> PublishedFigures:
    return assess_published(import_bytes(LAIGHT.read_bytes()))


def test_the_medians_of_the_published_table(laight: PublishedFigures) -> None:
    medians = [column.median.point for column in laight.columns]
    assert [2890.1, 2831.8, 3213.9, 3197.1] == pytest.approx(medians, abs=0.1)


def median_of(costs: list[int] | range) -> Bounds:
    text = "\n".join(map(str, costs))
    return assess_published(import_text(text, Options(form=Form.VALUES))).columns[0].median


def test_the_median_of_whole_values_is_their_own() -> None:
    """A clock that shows 1000 was somewhere from 999.5 to 1000.5, not from 1000 to 1001."""
    assert 1000.0 == median_of(range(900, 1101)).point


@given(st.lists(st.integers(1, 255), min_size=1))
def test_the_median_of_whole_values_is_theirs_to_within_half_a_step(costs: list[int]) -> None:
    median = median_of(costs)
    exact = sorted(costs)[(len(costs) - 1) // 2]
    assert median.low <= exact <= median.high
    assert median.point is not None
    assert abs(median.point - exact) <= (median.high - median.low) / 2


def test_values_that_are_not_whole_are_left_where_they_are() -> None:
    column = assess_published(import_text("cycles\n" + 10 * "1000.5\n1001.25\n")).columns[0]
    assert (1000.0, 1004.0) == (column.median.low, column.median.high)


def test_the_capped_means_and_the_overflow_of_the_published_table(laight: PublishedFigures) -> None:
    assert 8256 == laight.cap
    means = [column.capped_mean.point for column in laight.columns]
    assert [3046.5, 2921.0, 3380.2, 3295.2] == pytest.approx(means, abs=0.05)
    shares = [100 * column.overflow_share for column in laight.columns]
    assert [0.676, 0.679, 1.216, 1.051] == pytest.approx(shares, abs=0.0005)


def test_the_peaks_of_the_published_table(laight: PublishedFigures) -> None:
    """The one near 8000 is certain in one column only, and rises into the overflow there."""
    places = [
        [(peak.lower, peak.closes_right) for peak in column.peaks or ()]
        for column in laight.columns
    ]
    assert [
        [(1856, True), (2752, True)],
        [(1856, True), (2752, True), (8000, False)],
        [(1984, True), (3008, True)],
        [(1984, True), (3136, True)],
    ] == places


def test_the_tail_of_the_published_table_is_open(laight: PublishedFigures) -> None:
    assert [8256, 8256] == [column.p99.low for column in laight.columns[2:]]
    assert [True, True] == [math.isinf(column.p99.high) for column in laight.columns[2:]]
    assert [None] * 4 == [column.mean.point for column in laight.columns]


def test_the_published_table_decides_nothing_and_says_what_it_would_take(
    laight: PublishedFigures,
) -> None:
    assert [(0, 1), (2, 3), (0, 2), (1, 3)] == [
        (pair.baseline, pair.other) for pair in laight.pairs
    ]
    assert {Word.UNDECIDED} == {pair.verdict.word for pair in laight.pairs}
    assert {5} == {pair.verdict.more_rounds for pair in laight.pairs}
    changes = [100 * (pair.median.point or 0) for pair in laight.pairs[:2]]
    assert [-2.0, -0.5] == pytest.approx(changes, abs=0.05)


@given(st.lists(st.integers(0, 4000), min_size=1, max_size=200), st.integers(0, 4000))
def test_the_truth_lies_within_the_bounds(costs: list[int], other: int) -> None:
    """Whatever the costs were, the buckets' bounds hold them: medians, means and their change."""
    run = make_imported(make_column(costs), make_column([other], "b"))
    figures = assess_published(run)
    first = figures.columns[0]
    middle = sorted(costs)[(len(costs) - 1) // 2]
    assert first.median.low <= middle < first.median.high
    cap = math.inf if figures.cap is None else figures.cap
    mean = sum(min(cost, cap) for cost in costs) / len(costs)
    assert first.capped_mean.low <= mean <= first.capped_mean.high
    if mean > 0:
        change = min(other, cap) / mean - 1
        pair = figures.pairs[0]
        assert pair.capped_mean.low - 1e-9 <= change <= pair.capped_mean.high + 1e-9


def test_a_column_without_an_open_bucket_has_a_bounded_mean() -> None:
    figures = assess_published(make_imported(make_column([1050, 1150])))
    assert figures.cap is None
    assert (1050.0, 1150.0) == (figures.columns[0].mean.low, figures.columns[0].mean.high)


def test_too_few_calls_have_no_peak_and_no_error() -> None:
    costs = [100 * place for place in range(20)]
    assert () == assess_published(make_imported(make_column(costs))).columns[0].peaks


def test_a_gap_between_buckets_is_an_empty_place_not_a_join() -> None:
    """Two hills with nothing between them are two peaks also where the empty rows are left out."""
    costs = [(1000 + 100 * (n % 4)) for n in range(4000)] + [
        2000 + 100 * (n % 4) for n in range(4000)
    ]
    whole = make_column(costs)
    used = [place for place, _ in whole.rounds[0]]
    without = ImportedColumn(
        label="a",
        lowers=[whole.lowers[place] for place in used],
        uppers=[whole.uppers[place] for place in used],
        rounds=[[(new, calls) for new, (_, calls) in enumerate(whole.rounds[0])]],
    )
    peaks = assess_published(make_imported(without)).columns[0].peaks
    assert peaks is not None
    assert 2 == len(peaks)


def test_the_steps_of_a_clock_are_no_peaks() -> None:
    """Raw ticks in steps of 26 fill every third bucket of the probe's layout."""
    costs = [(936 + 26 * (n % 9 + n % 5 + n % 4)) for n in range(20_000)]
    counts = {cost: costs.count(cost) for cost in sorted(set(costs))}
    column = ImportedColumn(
        label="a",
        lowers=[float(cost) for cost in counts],
        uppers=[cost + 1.0 for cost in counts],
        rounds=[list(enumerate(counts.values()))],
    )
    run = make_imported(column)
    fine = ImportedRun(
        **{**{name: getattr(run, name) for name in run.__struct_fields__}, "form": Form.VALUES}
    )
    figures = assess_published(fine).columns[0]
    assert 26 == figures.quantum
    assert figures.peaks is not None
    assert 1 == len(figures.peaks)


def test_intervals_of_a_log_are_one_run() -> None:
    """Eight intervals of one process are not eight runs: that would be 85 % false verdicts."""
    figures = assess_published(import_sample("receive.hlog"))
    assert [Word.UNDECIDED] == [pair.verdict.word for pair in figures.pairs]
    assert [True, True] == [column.phi is not None for column in figures.columns]


@pytest.mark.parametrize(
    ("labels", "baseline", "expected"),
    [
        (["a", "b", "c"], None, [(0, 1), (0, 2)]),
        (["a", "b", "c"], "b", [(1, 0), (1, 2)]),
        (["x/on", "x/off", "y/on", "y/off"], None, [(0, 1), (2, 3), (0, 2), (1, 3)]),
        (["x/on", "x/off", "y/on", "y/off"], "off", [(1, 0), (3, 2), (0, 2), (1, 3)]),
        (["x/on", "x/off", "y/on", "y/off"], "y/on", [(2, 3), (2, 0)]),
        (["m[1]", "m[2]", "n[1]", "n[2]", "o"], None, [(0, 1), (2, 3)]),
        (["a"], None, []),
    ],
)
def test_columns_are_paired_by_the_one_part_in_which_they_differ(
    labels: list[str], baseline: str | None, expected: list[tuple[int, int]]
) -> None:
    assert expected == choose_pairs(labels, baseline)
