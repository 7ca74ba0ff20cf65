# SPDX-License-Identifier: MIT
"""One arm against the baseline over the rounds that are judged."""

import msgspec
import numpy as np

from sockmeter.judge.cells import Cells
from sockmeter.judge.columns import Column
from sockmeter.judge.counts import ExactChange, exact_change
from sockmeter.judge.intervals import Interval, hodges_lehmann, sign_interval
from sockmeter.judge.mix import MixSplit, modes_of, split_shift
from sockmeter.judge.order import OrderEffect, find_order_effect
from sockmeter.judge.peaks import peaks_of
from sockmeter.judge.shift import ShiftPoint, shift_function
from sockmeter.judge.sides import Side, midmean_log_ratios
from sockmeter.judge.statistics import (
    SHIFT_PROBABILITIES,
    cheapest_means,
    medians,
    plain_means,
    quantiles,
)
from sockmeter.judge.tails import Tails, judge_tails
from sockmeter.judge.verdict import Verdict, withdrawn


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """Intervals that are shown and never judged."""

    median: Interval  # Hodges-Lehmann
    cheapest_90: Interval  # Hodges-Lehmann
    mean: Interval  # sign test; a stall of 1 s decides it


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """An arm against the baseline; everything but the headline is absent where nothing was seen."""

    headline: Verdict  # on the midmean
    shown: Shown | None = None
    tails: Tails | None = None
    shift: tuple[ShiftPoint, ...] = ()
    order: OrderEffect | None = None  # None also where too few rounds ran in one of the orders
    exact: ExactChange | None = None  # None where a cost was not deterministic
    mix: MixSplit | None = None  # None unless both have the same number of peaks, at least two


def compare_pair(
    baseline: Side,
    arm: Side,
    headline: Verdict,
    *,
    alpha: float,
    cap: float,
    generator: np.random.Generator,
) -> Comparison:
    """Return everything about a pair whose headline is known; `alpha` is that of its interval."""
    return Comparison(
        headline=headline,
        shown=_shown(baseline, arm, alpha),
        tails=judge_tails(baseline, arm, cap, alpha),
        shift=_shift(baseline.cells, arm.cells, alpha, generator),
        order=find_order_effect(
            midmean_log_ratios(baseline, arm), arm.column.position < baseline.column.position
        ),
        exact=_exact(baseline.column, arm.column),
        mix=_mix(baseline.cells, arm.cells, cap),
    )


def withdraw(comparison: Comparison, reason: str) -> Comparison:
    """Return a comparison whose verdicts are taken back for the reason given, intervals kept."""
    tails = comparison.tails
    return msgspec.structs.replace(
        comparison,
        headline=withdrawn(comparison.headline, reason),
        tails=tails
        and Tails(
            p99=withdrawn(tails.p99, reason),
            capped_mean=withdrawn(tails.capped_mean, reason),
            rate_over_cap=withdrawn(tails.rate_over_cap, reason),
        ),
    )


def _shown(baseline: Side, arm: Side, alpha: float) -> Shown:
    ours, theirs = arm.column, baseline.column
    means = plain_means(ours.sum, ours.count) / plain_means(theirs.sum, theirs.count)
    middle = medians(arm.cells) / medians(baseline.cells)
    cheapest = cheapest_means(arm.cells) / cheapest_means(baseline.cells)
    return Shown(
        median=hodges_lehmann(np.log(middle), alpha),
        cheapest_90=hodges_lehmann(np.log(cheapest), alpha),
        mean=sign_interval(np.log(means), alpha),
    )


def _shift(
    baseline: Cells, arm: Cells, alpha: float, generator: np.random.Generator
) -> tuple[ShiftPoint, ...]:
    ratios = quantiles(arm, SHIFT_PROBABILITIES) / quantiles(baseline, SHIFT_PROBABILITIES)
    return shift_function(np.log(ratios), SHIFT_PROBABILITIES, alpha, generator)


def _exact(baseline: Column, arm: Column) -> ExactChange | None:
    if baseline.modes is None or arm.modes is None:
        return None
    return exact_change(baseline.modes, arm.modes)


def _mix(baseline: Cells, arm: Cells, cap: float) -> MixSplit | None:
    before, after = peaks_of(baseline), peaks_of(arm)
    if len(before) != len(after) or len(before) < 2:
        return None
    return split_shift(modes_of(baseline, before, cap), modes_of(arm, after, cap))
