# SPDX-License-Identifier: MIT
"""A verdict as it is shown and written: fractions of the baseline's cost, and words."""

import math

import msgspec

from sockmeter.judge.verdict import Verdict, Word
from sockmeter.report.wording import range_words, verdict_words

STYLES = {
    Word.SLOWER: "red",
    Word.FASTER: "green",
    Word.NO_DIFFERENCE: "",
    Word.INCONCLUSIVE: "yellow",
    Word.UNDECIDED: "yellow",
}


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """An arm's cost against its baseline's, as fractions of the baseline's."""

    estimate: float | None
    low: float | None
    high: float | None  # None where unbounded
    alpha: float | None  # two-sided error of the interval
    verdict: Word
    words: str  # the verdict as a person reads it


def make_difference(verdict: Verdict) -> Difference:
    """Return a verdict as it is shown."""
    interval = verdict.interval
    return Difference(
        estimate=_fraction(interval.estimate) if interval else None,
        low=_fraction(interval.low) if interval else None,
        high=_fraction(interval.high) if interval else None,
        alpha=interval.alpha if interval else None,
        verdict=verdict.word,
        words=verdict_words(verdict),
    )


def difference_words(difference: Difference) -> str | None:
    """Return `+1.2 % [+0.8, +1.7]`; None where there is no interval."""
    if difference.estimate is None:
        return None
    low = -math.inf if difference.low is None else difference.low
    high = math.inf if difference.high is None else difference.high
    return range_words(difference.estimate, low, high)


def _fraction(log_ratio: float) -> float | None:
    """Return a log ratio as a fraction of the baseline; None where it is unbounded or unknown."""
    fraction = math.expm1(log_ratio)
    return fraction if math.isfinite(fraction) else None
