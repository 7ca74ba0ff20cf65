# SPDX-License-Identifier: MIT
"""What an interval means against the smallest difference that matters.

A verdict comes from an interval over rounds only: never from a failed test, a single value or a
point estimate. The equivalence reading is the interval form of two one-sided tests: Schuirmann,
Journal of Pharmacokinetics and Biopharmaceutics 15 (1987) 657.
"""

import math
from enum import StrEnum

import msgspec

from sockmeter.judge.intervals import Interval, least_rounds

MOST_ROUNDS = 1000  # a forecast beyond this is "not resolvable here"
FORECAST_MARGIN = 1.2  # the half-width itself is an estimate


class Word(StrEnum):
    """The verdict in one word; slower means that the arm costs more than its baseline."""

    NO_DIFFERENCE = "no difference"
    SLOWER = "slower"
    FASTER = "faster"
    INCONCLUSIVE = "inconclusive"
    UNDECIDED = "undecided"


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict with everything that a report says about it."""

    word: Word
    effect: float  # X, the smallest difference that matters, as a fraction
    interval: Interval | None  # None only where undecided for want of any
    resolves_change: bool  # 0 is outside the interval, also within ±X
    more_rounds: int | None  # that should settle it; None: settled, or not resolvable here
    unit: str = "round"  # what is counted in `more_rounds`
    reason: str | None  # why undecided, else None

    @property
    def is_conclusive(self) -> bool:
        """Whether a run may stop on this verdict."""
        return self.word in (Word.NO_DIFFERENCE, Word.SLOWER, Word.FASTER)

    @property
    def is_different(self) -> bool:
        """Whether the arm was judged slower or faster."""
        return self.word in (Word.SLOWER, Word.FASTER)


def judge_interval(interval: Interval, effect: float, *, most_rounds: int = MOST_ROUNDS) -> Verdict:
    """Return the verdict that an interval of log ratios gives for the effect X.

    ValueError unless 0 < effect.
    """
    if not effect > 0.0:
        raise ValueError(f"the smallest difference that matters is above 0, not {effect}")
    if interval.k == 0:
        return _too_few(interval, effect)
    bound = math.log1p(effect)
    if -bound < interval.low and interval.high < bound:
        word = Word.NO_DIFFERENCE
    elif interval.low > 0.0:
        word = Word.SLOWER
    elif interval.high < 0.0:
        word = Word.FASTER
    else:
        word = Word.INCONCLUSIVE
    return Verdict(
        word=word,
        effect=effect,
        interval=interval,
        resolves_change=interval.excludes_zero,
        more_rounds=(
            forecast_rounds(interval, bound, most_rounds) if word is Word.INCONCLUSIVE else None
        ),
        reason=None,
    )


def undecided(
    reason: str, effect: float, *, interval: Interval | None = None, more_rounds: int | None = None
) -> Verdict:
    """Return the verdict on a comparison that cannot be made, with the reason."""
    return Verdict(
        word=Word.UNDECIDED,
        effect=effect,
        interval=interval,
        resolves_change=False,
        more_rounds=more_rounds,
        reason=reason,
    )


def withdrawn(verdict: Verdict, reason: str) -> Verdict:
    """Return a verdict taken back: undecided for the reason given, its interval kept."""
    return undecided(
        reason, verdict.effect, interval=verdict.interval, more_rounds=verdict.more_rounds
    )


def forecast_rounds(interval: Interval, bound: float, most_rounds: int) -> int | None:
    """Return how many more rounds should settle an inconclusive interval, or None.

    The half-width shrinks with the root of the rounds; it must come under the distance from the
    estimate to 0 or to the bound, whichever is larger. None: not resolvable here, and the smallest
    effect seen is the half-width.
    """
    if not math.isfinite(interval.half_width):
        return None
    distance = max(bound - abs(interval.estimate), abs(interval.estimate))
    shrinkage = (interval.half_width / distance) ** 2
    total = math.ceil(interval.rounds * shrinkage * FORECAST_MARGIN)
    return max(total - interval.rounds, 1) if total <= most_rounds else None


def _too_few(interval: Interval, effect: float) -> Verdict:
    needed = least_rounds(interval.alpha)
    return undecided(
        f"{interval.rounds} rounds are too few: an interval at an error of "
        f"{100 * interval.alpha:.3g} % needs at least {needed}",
        effect,
        interval=interval,
        more_rounds=needed - interval.rounds,
    )
