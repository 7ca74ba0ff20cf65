# SPDX-License-Identifier: MIT
"""What a message costs as part of a burst: what arms whose calls are no match are compared by."""

import math
from collections.abc import Sequence

import msgspec

from sockmeter.judge.assess import Assessment
from sockmeter.judge.beside import distribution_of, ratio_interval
from sockmeter.judge.intervals import Interval
from sockmeter.judge.messages import incomparable_reason
from sockmeter.judge.soundness import segments_of
from sockmeter.judge.verdict import Verdict, judge_interval
from sockmeter.model.runs import Run
from sockmeter.plan.designs import planned_pairs


class BurstCost(msgspec.Struct, frozen=True, kw_only=True):
    """A message of an arm's bursts: its mean cost, and fractions against the first arm's.

    The interval is that of the sign test over rounds. All but the cost are None for the first arm;
    `high` also where it is unbounded.
    """

    per_message: float  # in the view's unit
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    alpha: float | None = None  # two-sided error of the interval


def make_burst_costs(run: Run, assessment: Assessment) -> list[BurstCost | None]:
    """Return the cost of every arm, None where it had no burst; nothing where no arm had any."""
    costs = [_cost(run, assessment, arm) for arm in range(len(run.design.arms))]
    return costs if any(costs) else []


def burst_interval(run: Run, assessment: Assessment, arm: int) -> Interval | None:
    """Return what a message costs in bursts against the first arm, as a log ratio; None without.

    The index after the last arm is A2.
    """
    return ratio_interval(
        segments_of(run, arm),
        segments_of(run, 0),
        cost="burst",
        per="burst_messages",
        alpha=_error_of_a_pair(run, assessment),
    )


def burst_copy(run: Run, assessment: Assessment) -> Verdict | None:
    """Judge the bursts of the baseline's copy, where its calls are no match for others.

    None where the calls are, and where there were no bursts.
    """
    if incomparable_reason(run.design.arms[0]) is None:
        return None
    interval = burst_interval(run, assessment, len(run.design.arms))
    return None if interval is None else judge_interval(interval, run.design.effect)


def _cost(run: Run, assessment: Assessment, arm: int) -> BurstCost | None:
    segments = segments_of(run, arm)
    bursts = distribution_of(segments, "burst")
    messages = distribution_of(segments, "burst_messages")
    if bursts is None or messages is None or not messages.sum:
        return None
    per_message = bursts.sum / messages.sum
    interval = burst_interval(run, assessment, arm) if arm else None
    if interval is None:
        return BurstCost(per_message=per_message)
    estimate, low, high = _fractions((interval.estimate, interval.low, interval.high))
    return BurstCost(
        per_message=per_message, estimate=estimate, low=low, high=high, alpha=interval.alpha
    )


def _fractions(log_ratios: Sequence[float]) -> list[float | None]:
    fractions = map(math.expm1, log_ratios)
    return [fraction if math.isfinite(fraction) else None for fraction in fractions]


def _error_of_a_pair(run: Run, assessment: Assessment) -> float:
    """Return the error at which calls were judged; where none could be, that of the last look."""
    if assessment.judgement.alpha is not None:
        return assessment.judgement.alpha
    return run.design.looks[-1].alpha / planned_pairs(run.design)
