# SPDX-License-Identifier: MIT
"""A published table gives bounds, and says where it has none.

data/laight-2019-12-06.csv: cycles per receive call, published on netdev on 2019-12-06.
"""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from sockmeter.judge.coarse import (
    Bounds,
    Table,
    capped_mean_bounds,
    compare_tables,
    mean_bounds,
    quantile_bounds,
)
from sockmeter.judge.peaks import CAUTIOUS_DISPERSION, find_peaks
from sockmeter.judge.verdict import Word

PUBLISHED = Path(__file__).parent / "data" / "laight-2019-12-06.csv"
COLUMNS = (
    "recvfrom/unhardened",
    "recvfrom/hardened",
    "recvmsg/unhardened",
    "recvmsg/hardened",
)


def make_published(column: str) -> Table:
    lines = [line for line in PUBLISHED.read_text().splitlines() if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    labels = np.array([float(row["cycles"].rstrip("+")) for row in rows])
    calls = np.array([int(row[column]) for row in rows])
    return Table(labels, np.append(labels[1:], math.inf), calls)


def make_table(*calls: int, is_open: bool = False) -> Table:
    edges = np.arange(0.0, 10.0 * len(calls) + 1.0, 10.0)
    if is_open:
        edges[-1] = math.inf
    return Table(edges[:-1], edges[1:], np.array(calls))


def peaks_of_published(column: str) -> list[tuple[float, bool]]:
    table = make_published(column)
    peaks = find_peaks(
        table.calls[:-1].astype(np.float64),
        table.lowers[:-1],
        table.uppers[:-1],
        phi=CAUTIOUS_DISPERSION,
        overflow=table.overflow,
    )
    return [(peak.lower, peak.closes_right) for peak in peaks]


@pytest.mark.parametrize(
    ("column", "total", "median", "capped", "overflow"),
    [
        ("recvfrom/unhardened", 2_847_707, 2890.1, 3046.5, 0.676),
        ("recvfrom/hardened", 2_863_582, 2831.8, 2921.0, 0.679),
        ("recvmsg/unhardened", 2_853_688, 3213.9, 3380.2, 1.216),
        ("recvmsg/hardened", 2_877_088, 3197.1, 3295.2, 1.051),
    ],
)
def test_the_published_table_reads_as_it_was_published(
    column: str, total: int, median: float, capped: float, overflow: float
) -> None:
    table = make_published(column)
    assert total == table.total
    assert median == pytest.approx(quantile_bounds(table, 0.5).point, abs=0.1)
    assert capped == pytest.approx(capped_mean_bounds(table, 8256.0).point, abs=0.05)
    assert overflow == pytest.approx(100 * table.overflow / table.total, abs=0.0005)


@pytest.mark.parametrize(
    ("column", "peaks"),
    [
        ("recvfrom/unhardened", [(1856.0, True), (2752.0, True)]),
        ("recvfrom/hardened", [(1856.0, True), (2752.0, True), (8000.0, False)]),
        ("recvmsg/unhardened", [(1984.0, True), (3008.0, True)]),
        ("recvmsg/hardened", [(1984.0, True), (3136.0, True)]),
    ],
)
def test_two_peaks_hold_in_all_columns_and_the_third_in_one(
    column: str, peaks: list[tuple[float, bool]]
) -> None:
    """The peak near 8000 is certain in one column, where it rises into the overflow."""
    assert peaks == peaks_of_published(column)


@pytest.mark.parametrize("column", COLUMNS[2:])
def test_a_quantile_in_the_open_bucket_is_at_least_its_edge(column: str) -> None:
    bounds = quantile_bounds(make_published(column), 0.99)
    assert Bounds(low=8256.0, high=math.inf, point=None) == bounds


@pytest.mark.parametrize("column", COLUMNS)
def test_the_plain_mean_has_no_upper_bound(column: str) -> None:
    bounds = mean_bounds(make_published(column))
    assert (math.inf, None) == (bounds.high, bounds.point)


def test_one_run_of_each_side_is_undecided_and_says_how_many_it_takes() -> None:
    verdict = compare_tables(1, 0.01)
    assert (Word.UNDECIDED, 5) == (verdict.word, verdict.more_rounds)
    assert "one run of each side: an interval at an error of 5 % needs at least 6" == verdict.reason


def test_enough_tables_are_judged_as_rounds_and_not_here() -> None:
    with pytest.raises(ValueError, match="judged as rounds"):
        compare_tables(6, 0.01)


def test_the_capped_mean_is_bounded_on_both_sides() -> None:
    """Calls in [0, 10), [10, 20) and from 20 up, cut at 20: 0 + 10 + 20 to 10 + 20 + 20."""
    bounds = capped_mean_bounds(make_table(1, 1, 1, is_open=True), 20.0)
    assert [10.0, 50 / 3] == pytest.approx([bounds.low, bounds.high])


def test_a_cap_above_the_last_edge_has_no_upper_bound() -> None:
    with pytest.raises(ValueError, match="above the last edge 20"):
        capped_mean_bounds(make_table(1, 1, 1, is_open=True), 25.0)


def test_closed_buckets_bound_the_mean_on_both_sides() -> None:
    assert Bounds(low=5.0, high=15.0, point=10.0) == mean_bounds(make_table(1, 1))


@pytest.mark.parametrize(
    ("lowers", "calls", "reason"),
    [
        ([0.0, 5.0], [1, 1], "ascending and disjoint"),
        ([0.0, 10.0], [1, -1], "negative"),
        ([0.0, 10.0], [0, 0], "holds calls"),
        ([0.0, 10.0], [1], "as many edges"),
    ],
)
def test_a_table_that_is_none_is_refused(
    lowers: list[float], calls: list[int], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        Table(np.array(lowers), np.array(lowers) + 10.0, np.array(calls))


def test_a_quantile_outside_the_distribution_is_refused() -> None:
    with pytest.raises(ValueError, match="probability"):
        quantile_bounds(make_table(1), 1.0)
