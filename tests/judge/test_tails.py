# SPDX-License-Identifier: MIT
"""Tails are judged by the sign test, and a tail that was not seen decides nothing."""

import math

import numpy as np
import pytest

from sockmeter.judge.cells import spread
from sockmeter.judge.intervals import sign_interval
from sockmeter.judge.sides import Side
from sockmeter.judge.statistics import capped_means, quantiles
from sockmeter.judge.tails import (
    TAIL_EFFECT,
    exact_capped_means,
    exact_rates_over,
    judge_rate_over,
    judge_tails,
)
from sockmeter.judge.verdict import Word
from tests.judge.builders import WHOLE, make_column, make_costs


def make_side(seed: int, scale: float = 1.0) -> Side:
    column = make_column(make_costs(seed, scale=scale))
    return Side(column, spread(column.counts, WHOLE), WHOLE)


def test_the_smallest_difference_that_matters_is_three_percent() -> None:
    assert 0.03 == TAIL_EFFECT


def test_a_dearer_tail_is_slower() -> None:
    tails = judge_tails(make_side(1), make_side(2, scale=1.10), 12_000.0, 0.05)
    assert [Word.SLOWER, Word.SLOWER] == [tails.p99.word, tails.capped_mean.word]


def test_the_interval_of_p99_is_the_sign_tests() -> None:
    baseline, arm = make_side(1), make_side(2)
    ratios = quantiles(arm.cells, [0.99])[:, 0] / quantiles(baseline.cells, [0.99])[:, 0]
    tails = judge_tails(baseline, arm, 12_000.0, 0.05)
    assert sign_interval(np.log(ratios), 0.05) == tails.p99.interval


def test_no_call_over_the_cap_says_nothing_about_their_rate() -> None:
    verdict = judge_tails(make_side(1), make_side(2), 12_000.0, 0.05).rate_over_cap
    assert Word.UNDECIDED == verdict.word
    assert "no call of either arm was over the cap" == verdict.reason


def test_rounds_without_a_call_over_the_cap_may_be_anything() -> None:
    """Equal rates in 14 rounds and nothing in six: the interval is not that of 14 equal rounds."""
    rates = np.where(np.arange(20) < 14, 0.001, 0.0)
    verdict = judge_rate_over(rates, rates, 0.05)
    assert Word.INCONCLUSIVE == verdict.word
    assert verdict.interval is not None
    assert (-math.inf, math.inf) == (verdict.interval.low, verdict.interval.high)


def test_calls_over_the_cap_in_one_arm_only_are_slower() -> None:
    verdict = judge_rate_over(np.zeros(20), np.full(20, 0.001), 0.05)
    assert Word.SLOWER == verdict.word


def test_exact_sums_are_used_where_the_probe_knew_the_cap() -> None:
    """Costs 100 and 1000 with a cap of 500: (100 + 500) / 2, and half of the calls over it."""
    column = make_column(
        np.array([[100, 1000], [100, 1000]]),
        cap=np.array([0.0, 500.0]),
        over_cap_count=np.array([0, 1]),
        over_cap_sum=np.array([0, 1000]),
    )
    cells = spread(column.counts, WHOLE)
    means = exact_capped_means(column, cells, 500.0)
    assert [capped_means(cells, 500.0)[0], 300.0] == pytest.approx(means)
    assert [0.5, 0.5] == exact_rates_over(column, cells, 500.0).tolist()
