# SPDX-License-Identifier: MIT
"""Verdicts and numbers in words, the same in every format."""

import math

from sockmeter.judge.intervals import Interval
from sockmeter.judge.verdict import Verdict, Word


def verdict_words(verdict: Verdict) -> str:
    """Return the verdict as a person reads it."""
    match verdict.word:
        case Word.NO_DIFFERENCE:
            words = f"no difference beyond ±{percent(verdict.effect, digits=3)}"
            if verdict.resolves_change and verdict.interval is not None:
                change = signed_percent(fraction_of(verdict.interval.estimate))
                words += f" (a change of {change} is resolved)"
            return words
        case Word.INCONCLUSIVE:
            return f"inconclusive: {_prospect(verdict)}"
        case Word.UNDECIDED:
            return f"undecided: {verdict.reason}"
        case _:
            return str(verdict.word)


def _prospect(verdict: Verdict) -> str:
    if verdict.more_rounds is not None:
        return f"{plural(verdict.more_rounds, 'more round')} should settle it"
    if verdict.interval is None or not math.isfinite(verdict.interval.half_width):
        return "not resolvable here"
    smallest = percent(fraction_of(verdict.interval.half_width))
    return f"not resolvable here: the smallest effect seen is ±{smallest}"


def interval_words(interval: Interval) -> str:
    """Return an interval of log ratios as `+1.2 % [+0.8, +1.7]`."""
    estimate, low, high = map(fraction_of, (interval.estimate, interval.low, interval.high))
    return range_words(estimate, low, high)


def range_words(estimate: float, low: float, high: float) -> str:
    """Return fractions as `+1.2 % [+0.8, +1.7]`; infinite ends are drawn as such."""
    return f"{signed_percent(estimate)} [{_signed(low)}, {_signed(high)}]"


def fraction_of(log_ratio: float) -> float:
    """Return a log ratio as a fraction of the baseline; an infinite one stays infinite."""
    return math.expm1(log_ratio) if math.isfinite(log_ratio) else log_ratio


def signed_percent(fraction: float) -> str:
    """Return a fraction as a signed percentage."""
    return f"{_signed(fraction)} %"


def percent(fraction: float, *, digits: int = 2) -> str:
    """Return a fraction as an unsigned percentage with so many significant digits."""
    return f"{100 * fraction:.{digits}g} %"


def plural(number: int, noun: str) -> str:
    """Return `1 round`, `2 rounds`, `20,000 rounds`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _signed(fraction: float) -> str:
    if not math.isfinite(fraction):
        return "+∞" if fraction > 0 else "−∞"
    value = 100 * fraction
    text = f"{abs(value):.{1 if abs(value) >= 10 else 2}f}"
    sign = "" if float(text) == 0 else "+" if value > 0 else "−"
    return sign + text
