# SPDX-License-Identifier: MIT
"""Intervals are exact: their ranks, their ends and their laws."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.intervals import (
    hodges_lehmann,
    least_rounds,
    sign_interval,
    sign_k,
    signed_rank_k,
)
from tests.judge.builders import make_log_ratios
from tests.simulation.rows import inverted_wilcoxon

ratios = st.lists(st.integers(-1000, 1000), min_size=6, max_size=25).map(
    lambda thousandths: np.array(thousandths) / 1000
)


@pytest.mark.parametrize(
    ("rounds", "alpha", "k"),
    [
        (6, 0.05, 1),
        (8, 0.05, 4),
        (10, 0.05, 9),
        (20, 0.05, 53),
        (20, 0.01, 38),
        (40, 0.015, 231),
        (40, 0.05, 265),
        (80, 0.025, 1154),
        (5, 0.05, 0),
    ],
)
def test_signed_rank_k(rounds: int, alpha: float, k: int) -> None:
    assert k == signed_rank_k(rounds, alpha)


@pytest.mark.parametrize(
    ("rounds", "alpha", "k"),
    [
        (6, 0.05, 1),
        (20, 0.05, 6),
        (20, 0.01, 4),
        (40, 0.015, 12),
        (40, 0.05, 14),
        (80, 0.025, 30),
        (5, 0.05, 0),
    ],
)
def test_sign_k(rounds: int, alpha: float, k: int) -> None:
    assert k == sign_k(rounds, alpha)


@given(st.integers(1, 120), st.floats(0.0001, 0.5))
def test_sign_k_is_the_last_rank_whose_tail_is_small_enough(rounds: int, alpha: float) -> None:
    """max{k : P(Binomial <= k - 1) <= alpha / 2}, against SciPy's law."""
    k = sign_k(rounds, alpha)
    assert k == 0 or binom.cdf(k - 1, rounds, 0.5) <= alpha / 2 * (1 + 1e-12)
    assert binom.cdf(k, rounds, 0.5) >= alpha / 2 * (1 - 1e-12)


@pytest.mark.parametrize(("rounds", "alpha"), [(6, 0.05), (10, 0.05), (20, 0.01), (40, 0.015)])
def test_the_interval_is_what_the_exact_test_does_not_reject(rounds: int, alpha: float) -> None:
    """Inverting scipy.stats.wilcoxon by bisection gives the same ends to 1e-9."""
    log_ratios = make_log_ratios(rounds, rounds)
    interval = hodges_lehmann(log_ratios, alpha)
    low, high = inverted_wilcoxon(log_ratios, alpha)
    assert low == pytest.approx(interval.low, abs=1e-9)
    assert high == pytest.approx(interval.high, abs=1e-9)


def test_the_estimate_is_the_median_of_the_walsh_averages() -> None:
    """Of 1, 2, 6: 1, 1.5, 2, 3.5, 4, 6."""
    assert 2.75 == hodges_lehmann(np.array([1.0, 6.0, 2.0]), 0.05).estimate


def test_too_few_rounds_have_an_infinite_interval() -> None:
    """Five rounds can all lie on one side by chance once in 16."""
    for interval in (
        hodges_lehmann(make_log_ratios(1, 5), 0.05),
        sign_interval(make_log_ratios(1, 5), 0.05),
    ):
        assert (-math.inf, math.inf, 0) == (interval.low, interval.high, interval.k)
        assert not interval.excludes_zero


@pytest.mark.parametrize("alpha", [0.05, 0.025, 0.01, 0.001, 0.0625])
def test_least_rounds_is_where_both_intervals_become_finite(alpha: float) -> None:
    rounds = least_rounds(alpha)
    assert (1, 1) == (signed_rank_k(rounds, alpha), sign_k(rounds, alpha))
    assert (0, 0) == (signed_rank_k(rounds - 1, alpha), sign_k(rounds - 1, alpha))


@given(ratios, st.integers(-500, 500))
def test_a_shift_of_the_rounds_shifts_the_interval(log_ratios: FloatArray, shift: int) -> None:
    for make in (hodges_lehmann, sign_interval):
        before, after = make(log_ratios, 0.05), make(log_ratios + shift / 1000, 0.05)
        assert before.low + shift / 1000 == pytest.approx(after.low, abs=1e-12)
        assert before.high + shift / 1000 == pytest.approx(after.high, abs=1e-12)
        assert before.estimate + shift / 1000 == pytest.approx(after.estimate, abs=1e-12)


@given(ratios)
def test_swapping_the_arms_mirrors_the_interval(log_ratios: FloatArray) -> None:
    for make in (hodges_lehmann, sign_interval):
        there, back = make(log_ratios, 0.05), make(-log_ratios, 0.05)
        assert (-there.high, -there.low) == (back.low, back.high)


@given(ratios, st.randoms())
def test_the_order_of_rounds_does_not_matter(log_ratios: FloatArray, random: Random) -> None:
    mixed = log_ratios.tolist()
    random.shuffle(mixed)
    for make in (hodges_lehmann, sign_interval):
        assert make(log_ratios, 0.05) == make(np.array(mixed), 0.05)


@given(ratios)
def test_a_smaller_error_never_narrows_the_interval(log_ratios: FloatArray) -> None:
    for make in (hodges_lehmann, sign_interval):
        wide, narrow = make(log_ratios, 0.01), make(log_ratios, 0.10)
        assert wide.low <= narrow.low <= narrow.high <= wide.high


def test_rounds_that_only_bound_the_ratio_widen_the_interval() -> None:
    """Of eight rounds one says nothing: it may be the lowest or the highest."""
    known = np.arange(1.0, 8.0)
    interval = sign_interval(np.append(known, -math.inf), 0.05, ceilings=np.append(known, math.inf))
    assert (-math.inf, math.inf) == (interval.low, interval.high)
    assert 4.0 == interval.estimate


def test_a_missing_statistic_is_refused() -> None:
    with pytest.raises(ValueError, match="not finite"):
        hodges_lehmann(np.array([0.1, math.nan]), 0.05)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_an_error_that_is_no_probability_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="two-sided error"):
        signed_rank_k(10, alpha)


def test_no_rounds_have_no_interval() -> None:
    with pytest.raises(ValueError, match="no rounds"):
        hodges_lehmann(np.array([]), 0.05)
