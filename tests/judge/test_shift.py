# SPDX-License-Identifier: MIT
"""One band for all quantiles: wide enough for all of them, and no wider."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.intervals import hodges_lehmann
from sockmeter.judge.ranks import midranks
from sockmeter.judge.shift import ShiftPoint, shift_function
from tests.simulation.rows import shift_of_independent_quantiles

NAMES = (0.05, 0.5, 0.95)


def shift_of(log_ratios: FloatArray, alpha: float = 0.05) -> tuple[ShiftPoint, ...]:
    return shift_function(log_ratios, NAMES, alpha, np.random.default_rng(1))


def make_ratios(seed: int, rounds: int, shared: float) -> FloatArray:
    """Draw log ratios of three quantiles that share a part of their noise."""
    generator = np.random.default_rng(seed)
    own = generator.normal(0.0, 1.0, (rounds, 3))
    return 0.01 * (shared * generator.normal(0.0, 1.0, (rounds, 1)) + (1 - shared) * own)


def test_a_single_quantile_has_the_interval_of_the_signed_rank_test() -> None:
    """Three quantiles that move as one are one: at 10 rounds all 1,024 flips are enumerated."""
    column = np.random.default_rng(3).normal(0.0, 0.01, (10, 1))
    for point in shift_of(np.repeat(column, 3, axis=1)):
        assert hodges_lehmann(column[:, 0], 0.05) == point.interval


def test_independent_quantiles_need_a_wider_band_than_one() -> None:
    ratios = make_ratios(4, 20, shared=0.0)
    for point, column in zip(shift_of(ratios), ratios.T, strict=True):
        assert hodges_lehmann(column, 0.05).k > point.interval.k > hodges_lehmann(column, 0.01).k


def test_the_band_is_what_all_flips_of_whole_rounds_leave() -> None:
    """By the definition, flip by flip: T is the largest |sum of s_r sign(d) rank|d|| of a flip.

    Large moves of one quantile go with small ones of another, which makes the signs matter.
    """
    ratios = make_ratios(8, 9, shared=0.0)
    flipped = []
    for signs in itertools.product((-1, 1), repeat=9):
        sums = [
            sum(np.array(signs) * np.sign(column) * rankdata(np.abs(column))) for column in ratios.T
        ]
        flipped.append(max(abs(total) for total in sums))
    allowed = math.floor(0.05 * len(flipped))
    critical = sorted(flipped, reverse=True)[allowed]
    assert math.ceil((45 - critical) / 2) == shift_of(ratios)[0].interval.k


def test_quantiles_that_move_by_themselves_are_still_right_together() -> None:
    """Eleven independent quantiles, 500 runs: 38 is nominal plus 2.7 sd, 49 come without signs."""
    (reached,) = shift_of_independent_quantiles(3, runs=500, bound=38)
    assert reached.holds, reached


def test_a_shift_of_one_quantile_is_seen_in_that_one() -> None:
    ratios = make_ratios(5, 20, shared=0.5)
    ratios[:, 2] += 0.05
    assert [False, False, True] == [point.interval.excludes_zero for point in shift_of(ratios)]


def test_too_few_rounds_have_an_infinite_band() -> None:
    """At four rounds even the most extreme flip is not rare enough."""
    for point in shift_of(make_ratios(6, 4, shared=0.5)):
        assert (0, -math.inf) == (point.interval.k, point.interval.low)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(8, 11))
def test_swapping_the_arms_mirrors_the_band(seed: int, rounds: int) -> None:
    ratios = make_ratios(seed, rounds, shared=0.5)
    for there, back in zip(shift_of(ratios), shift_of(-ratios), strict=True):
        assert (-there.interval.high, -there.interval.low) == (
            back.interval.low,
            back.interval.high,
        )


def test_ties_share_the_middle_rank() -> None:
    assert [1.0, 2.5, 2.5, 4.0] == midranks(np.array([0.1, 0.3, 0.3, 0.9])).tolist()


def test_a_missing_quantile_is_refused() -> None:
    with pytest.raises(ValueError, match="not finite"):
        shift_of(np.full((6, 3), math.nan))


def test_quantiles_without_their_names_are_refused() -> None:
    with pytest.raises(ValueError, match="2 quantiles for 3 probabilities"):
        shift_of(np.zeros((6, 2)))
