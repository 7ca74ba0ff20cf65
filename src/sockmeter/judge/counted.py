# SPDX-License-Identifier: MIT
"""What exact counts come to: no interval, no error, every call known."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec
import numpy as np

from sockmeter.judge.counts import ExactChange, Mode, mode_of
from sockmeter.judge.intervals import Interval
from sockmeter.judge.messages import incomparable_reason, messages_compared
from sockmeter.judge.soundness import faults_of
from sockmeter.judge.verdict import Verdict, Word, undecided
from sockmeter.model.counted import CountedArm

EFFECT = 1e-9  # fraction: no difference is too small to be exact


class CountedCosts(msgspec.Struct, frozen=True, kw_only=True):
    """The costs of an arm's calls, instructions."""

    mode: Mode
    mean: Fraction
    least: int
    most: int
    calls_of: Mapping[int, int]  # by cost, ascending


class CountedChange(msgspec.Struct, frozen=True, kw_only=True):
    """An arm against another."""

    mode: ExactChange
    messages: tuple[int, int]  # that a call of the baseline, and of the arm, stands for
    mean: Fraction  # arm minus baseline
    paired: Mode | None  # commonest difference, call by call; None where their numbers differ
    is_identical: bool  # every call in order costs the same

    @property
    def is_per_message(self) -> bool:
        """Whether calls stand for different numbers of messages, so that those are compared."""
        return self.messages[0] != self.messages[1]

    @property
    def ratio(self) -> Fraction:
        """The arm's commonest cost over the baseline's, each of a message."""
        before, after = self.messages
        return Fraction(self.mode.arm * before, self.mode.baseline * after)


def costs_of(arm: CountedArm) -> CountedCosts | None:
    """Return what the calls of an arm cost; None for one without calls."""
    calls_of: Counter[int] = Counter()
    for cost, calls in arm.values:
        calls_of[cost] += calls
    if not calls_of:
        return None
    costs = sorted(calls_of)
    return CountedCosts(
        mode=_mode(calls_of),
        mean=Fraction(sum(cost * calls_of[cost] for cost in costs), calls_of.total()),
        least=costs[0],
        most=costs[-1],
        calls_of={cost: calls_of[cost] for cost in costs},
    )


def change_between(baseline: CountedArm, arm: CountedArm) -> CountedChange | None:
    """Return the exact change; None where an arm has no calls, calls that failed, or no match."""
    before, after = costs_of(baseline), costs_of(arm)
    if before is None or after is None or void_reason(baseline) or void_reason(arm):
        return None
    if incomparable_reason(baseline.arm) or incomparable_reason(arm.arm):
        return None
    return CountedChange(
        mode=ExactChange(baseline=before.mode.cost, arm=after.mode.cost),
        messages=(messages_compared(baseline.arm), messages_compared(arm.arm)),
        mean=after.mean - before.mean,
        paired=_paired(baseline, arm),
        is_identical=baseline.values == arm.values,
    )


def verdict_of(change: CountedChange | None) -> Verdict:
    """Return the verdict that a gate looks at: exact, so that its interval is one point."""
    if change is None:
        return undecided("an arm is void or refused, or has no match", EFFECT)
    log_ratio = 0.0 if change.ratio == 1 else math.log(change.ratio)
    return Verdict(
        word=(
            Word.SLOWER if log_ratio > 0 else Word.FASTER if log_ratio < 0 else Word.NO_DIFFERENCE
        ),
        effect=EFFECT,
        interval=Interval(
            estimate=log_ratio, low=log_ratio, high=log_ratio, k=1, alpha=0.0, rounds=1
        ),
        resolves_change=log_ratio != 0,
        more_rounds=None,
        reason=None,
    )


def void_reason(arm: CountedArm) -> str | None:
    """Return why an arm means something else than it says: by the rules of timed arms."""
    return None if arm.segment is None else faults_of([arm.segment]).void


def calls_in_order(values: Sequence[tuple[int, int]]) -> list[int]:
    """Return the cost of every call, in order."""
    return [cost for cost, calls in values for _ in range(calls)]


def _paired(baseline: CountedArm, arm: CountedArm) -> Mode | None:
    before, after = calls_in_order(baseline.values), calls_in_order(arm.values)
    if len(before) != len(after):
        return None
    return _mode(Counter(new - old for old, new in zip(before, after, strict=True)))


def _mode(calls_of: Mapping[int, int]) -> Mode:
    return mode_of(np.array(list(calls_of)), np.array(list(calls_of.values())))
