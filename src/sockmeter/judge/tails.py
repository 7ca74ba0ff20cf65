# SPDX-License-Identifier: MIT
"""Tail verdicts: the 99th percentile, the capped mean and the rate over the cap.

Single rounds can be far out here, so the interval is the sign test's, which asks only on which side
of a value each round lies. The smallest difference that matters is 3 %.
"""

import msgspec
import numpy as np

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.cells import Cells
from sockmeter.judge.columns import Column
from sockmeter.judge.intervals import sign_interval
from sockmeter.judge.sides import Side
from sockmeter.judge.statistics import capped_means, quantiles
from sockmeter.judge.verdict import Verdict, judge_interval, undecided

TAIL_EFFECT = 0.03


class Tails(msgspec.Struct, frozen=True, kw_only=True):
    """The three tail verdicts of a pair."""

    p99: Verdict
    capped_mean: Verdict  # E[min(cost, cap)]
    rate_over_cap: Verdict


def judge_tails(baseline: Side, arm: Side, cap: float, alpha: float) -> Tails:
    """Return the tail verdicts of an arm against the baseline for a cap in clock units."""
    return Tails(
        p99=judge_p99(baseline.cells, arm.cells, alpha),
        capped_mean=judge_capped_mean(
            exact_capped_means(baseline.column, baseline.cells, cap),
            exact_capped_means(arm.column, arm.cells, cap),
            alpha,
        ),
        rate_over_cap=judge_rate_over(
            exact_rates_over(baseline.column, baseline.cells, cap),
            exact_rates_over(arm.column, arm.cells, cap),
            alpha,
        ),
    )


def judge_p99(baseline: Cells, arm: Cells, alpha: float) -> Verdict:
    """Return the verdict on the 99th percentile; ±3 %, sign test."""
    log_ratios = np.log(quantiles(arm, [0.99])[:, 0] / quantiles(baseline, [0.99])[:, 0])
    return judge_interval(sign_interval(log_ratios, alpha), TAIL_EFFECT)


def judge_capped_mean(baseline: FloatArray, arm: FloatArray, alpha: float) -> Verdict:
    """Return the verdict on E[min(cost, cap)] of every round; ±3 %, sign test."""
    return judge_interval(sign_interval(np.log(arm / baseline), alpha), TAIL_EFFECT)


def judge_rate_over(baseline: FloatArray, arm: FloatArray, alpha: float) -> Verdict:
    """Return the verdict on the share of calls over the cap; ±3 %, sign test.

    A round in which one of the two has no call over the cap has an infinite ratio; one in which
    neither has says nothing, and is taken as anything from -inf to inf.
    """
    is_blank = (baseline == 0.0) & (arm == 0.0)
    if is_blank.all():
        return undecided("no call of either arm was over the cap", TAIL_EFFECT)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_ratios = np.log(arm) - np.log(baseline)
    interval = sign_interval(
        np.where(is_blank, -np.inf, log_ratios),
        alpha,
        ceilings=np.where(is_blank, np.inf, log_ratios),
    )
    return judge_interval(interval, TAIL_EFFECT)


def exact_capped_means(column: Column, cells: Cells, cap: float) -> FloatArray:
    """Return E[min(cost, cap)]: from exact sums where the probe had the cap, else from cells."""
    beneath = column.sum - column.over_cap_sum + cap * column.over_cap_count
    return np.where(column.cap == cap, beneath / column.count, capped_means(cells, cap))


def exact_rates_over(column: Column, cells: Cells, cap: float) -> FloatArray:
    """Return the share of calls over the cap: exact where the probe had the cap, else from cells.

    A cell that the cap cuts belongs to the calls beneath it.
    """
    above = cells.counts[:, cells.lowers >= cap].sum(axis=1) / cells.totals
    return np.where(column.cap == cap, column.over_cap_count / column.count, above)
