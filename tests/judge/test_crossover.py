# SPDX-License-Identifier: MIT
"""Where zerocopy begins to pay."""

import math

import pytest

from sockmeter.judge.crossover import Crossing, find_crossing
from sockmeter.judge.intervals import Interval


def make_difference(estimate: float, half_width: float = 0.01) -> Interval:
    return Interval(
        estimate=estimate,
        low=estimate - half_width,
        high=estimate + half_width,
        k=1,
        alpha=0.05,
        rounds=8,
    )


def test_the_crossing_lies_between_the_last_loss_and_the_first_gain() -> None:
    differences = [make_difference(each) for each in (0.3, 0.1, -0.1, -0.3)]
    crossing = find_crossing([1000, 2000, 4000, 8000], differences)
    assert (2000, 4000) == (crossing.low, crossing.high)
    assert crossing.estimate is not None
    assert math.sqrt(2000 * 4000) == pytest.approx(crossing.estimate)


def test_an_unresolved_size_widens_the_interval() -> None:
    differences = [make_difference(0.3), make_difference(0.02, 0.05), make_difference(-0.3)]
    crossing = find_crossing([1000, 2000, 4000], differences)
    assert (1000, 4000) == (crossing.low, crossing.high)


def test_a_gain_that_is_lost_again_at_a_larger_size_is_none() -> None:
    """It pays from a size on only if it pays at every larger one."""
    differences = [make_difference(each) for each in (-0.3, 0.2, -0.3)]
    assert 4000 == find_crossing([1000, 2000, 4000], differences).high


def test_where_nothing_pays_there_is_no_upper_end() -> None:
    differences = [make_difference(0.3), make_difference(0.2)]
    assert Crossing(estimate=None, low=2000, high=None) == find_crossing([1000, 2000], differences)


def test_where_everything_pays_there_is_no_lower_end() -> None:
    differences = [make_difference(-0.3), make_difference(-0.2)]
    assert Crossing(estimate=None, low=None, high=1000) == find_crossing([1000, 2000], differences)


@pytest.mark.parametrize("sizes", [[1000], [2000, 1000], [1000, 1000]])
def test_sizes_rise(sizes: list[int]) -> None:
    with pytest.raises(ValueError, match="rising sizes"):
        find_crossing(sizes, [make_difference(0.1)] * len(sizes))
