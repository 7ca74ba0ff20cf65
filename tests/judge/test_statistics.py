# SPDX-License-Identifier: MIT
"""Statistics read from buckets are those of the calls that filled them."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sockmeter.judge.cells import Layout, spread
from sockmeter.judge.statistics import (
    capped_means,
    cheapest_means,
    frozen_cap,
    means_between,
    medians,
    midmeans,
    plain_means,
    quantiles,
)
from tests.judge.builders import make_cells, make_costs
from tests.simulation.bucket_error import worst_reading_error

UNIFORM = Layout(np.array([0.0, 10.0, 20.0]), np.array([10.0, 20.0, 40.0]), None)
small_costs = st.lists(st.integers(1, 120), min_size=2, max_size=60)


def test_figures_of_a_table_worked_by_hand() -> None:
    """4 calls in [0, 10), 4 in [10, 20), 2 in [20, 40)."""
    cells = spread(np.array([[4, 4, 2]]), UNIFORM)
    assert [[2.5, 12.5, 30.0]] == quantiles(cells, [0.1, 0.5, 0.9]).tolist()
    assert [12.5] == medians(cells).tolist()
    # 1.5 calls in [6.25, 10) and 3.5 in [10, 18.75)
    assert pytest.approx((1.5 * 8.125 + 3.5 * 14.375) / 5) == midmeans(cells)[0]
    # 4 calls of 5, 4 of 15, and 1 in [20, 30)
    assert pytest.approx((20 + 60 + 25) / 9) == cheapest_means(cells)[0]
    # one of the two dearest lies in [20, 30), the other beyond
    assert pytest.approx((20 + 60 + 25 + 30) / 10) == capped_means(cells, 30.0)[0]


def test_statistics_of_many_calls_are_those_of_the_calls() -> None:
    """Read from buckets 0.8 % wide, every statistic is within 0.05 % of the calls' own."""
    costs = make_costs(1, rounds=2, calls=200_000)
    cells = make_cells(costs)
    ordered = np.sort(costs, axis=1)
    for read, true in (
        (midmeans(cells), ordered[:, 50_000:150_000].mean(axis=1)),
        (cheapest_means(cells), ordered[:, :180_000].mean(axis=1)),
        (quantiles(cells, [0.99])[:, 0], np.quantile(costs, 0.99, axis=1)),
        (capped_means(cells, 1200.0), np.minimum(costs, 1200).mean(axis=1)),
        (means_between(cells, 0.0, 1.0), costs.mean(axis=1)),
    ):
        assert true == pytest.approx(read, rel=5e-4)


@pytest.mark.parametrize("step", [1, 26])
def test_a_true_percent_reads_as_one_percent(step: int) -> None:
    """Within 0.02 points, also with a clock that moves in steps of 2.8 % of a call."""
    assert worst_reading_error(step, np.random.default_rng(2)) <= 0.02


def test_rounds_do_not_know_of_each_other() -> None:
    costs = make_costs(3, rounds=4)
    together = make_cells(costs)
    alone = [make_cells(costs[[row]]) for row in range(4)]
    assert np.concatenate([midmeans(cells) for cells in alone]) == pytest.approx(midmeans(together))
    assert np.concatenate([medians(cells) for cells in alone]) == pytest.approx(medians(together))


@given(small_costs, st.integers(1, 5))
def test_a_scaled_distribution_has_scaled_statistics(costs: list[int], factor: int) -> None:
    """Costs and clock both scaled: everything scales, where buckets are one step wide."""
    plain = make_cells(np.array([costs]))
    layout = Layout(plain.lowers * factor, plain.uppers * factor, None)
    scaled = spread(plain.counts.astype(np.int64), layout)
    assert pytest.approx(factor * midmeans(plain)) == midmeans(scaled)
    assert pytest.approx(factor * quantiles(plain, [0.3])) == quantiles(scaled, [0.3])


@given(small_costs, st.integers(0, 100))
def test_a_shifted_distribution_has_shifted_statistics(costs: list[int], shift: int) -> None:
    plain, moved = make_cells(np.array([costs])), make_cells(np.array([costs]) + shift)
    assert pytest.approx(midmeans(plain) + shift) == midmeans(moved)
    assert pytest.approx(medians(plain) + shift) == medians(moved)


@given(small_costs, st.randoms())
def test_the_order_of_calls_does_not_matter(costs: list[int], random: Random) -> None:
    mixed = list(costs)
    random.shuffle(mixed)
    assert midmeans(make_cells(np.array([costs]))) == midmeans(make_cells(np.array([mixed])))


@given(small_costs)
def test_quantiles_rise_with_their_probability(costs: list[int]) -> None:
    read = quantiles(make_cells(np.array([costs])), [0.05, 0.2, 0.5, 0.7, 0.99])[0]
    assert (np.diff(read) >= 0).all()


@given(small_costs, st.data())
def test_a_dearer_call_never_lowers_a_statistic(costs: list[int], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(costs) - 1))
    dearer = list(costs)
    dearer[place] += data.draw(st.integers(1, 50))
    before, after = make_cells(np.array([costs])), make_cells(np.array([dearer]))
    for statistic in (midmeans, medians, cheapest_means):
        assert statistic(after)[0] >= statistic(before)[0] - 1e-9


def test_the_plain_mean_is_exact() -> None:
    assert [2.5] == plain_means(np.array([10]), np.array([4])).tolist()


def test_the_cap_is_ten_times_the_median_of_round_one_of_all_columns() -> None:
    first = make_cells(np.array([[100, 100, 100], [9, 9, 9]]))
    second = make_cells(np.array([[200, 200], [9, 9]]))
    assert 1000.0 == frozen_cap([first, second])


@pytest.mark.parametrize("probability", [0.0, 1.0, -0.1])
def test_a_quantile_outside_the_distribution_is_refused(probability: float) -> None:
    with pytest.raises(ValueError, match="probability"):
        quantiles(make_cells(np.array([[100]])), [probability])


def test_a_trimmed_mean_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="trimmed mean"):
        means_between(make_cells(np.array([[100]])), 0.5, 0.5)
