# SPDX-License-Identifier: MIT
"""Verdicts and numbers in words, the same in every format."""

import math

from sockmeter.judge.intervals import Interval
from sockmeter.judge.verdict import Verdict, Word
from sockmeter.model.units import Unit


def verdict_words(verdict: Verdict) -> str:
    """Return the verdict as a person reads it."""
    match verdict.word:
        case Word.NO_DIFFERENCE:
            words = f"no difference beyond ±{percent(verdict.effect, digits=3)}"
            if verdict.resolves_change and verdict.interval is not None:
                change = signed_percent(math.expm1(verdict.interval.estimate))
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
        return f"{plural(verdict.more_rounds, f'more {verdict.unit}')} should settle it"
    if verdict.interval is None or not math.isfinite(verdict.interval.half_width):
        return "not resolvable here"
    smallest = percent(math.expm1(verdict.interval.half_width))
    return f"not resolvable here: the smallest effect seen is ±{smallest}"


def interval_words(interval: Interval) -> str:
    """Return an interval of log ratios as `+1.2 % [+0.8, +1.7]`."""
    estimate, low, high = map(math.expm1, (interval.estimate, interval.low, interval.high))
    return range_words(estimate, low, high)


def range_words(estimate: float, low: float, high: float) -> str:
    """Return fractions as `+1.2 % [+0.8, +1.7]`; where there is no estimate, a dash."""
    if math.isnan(estimate):
        return "–"
    return f"{signed_percent(estimate)} [{_signed(low)}, {_signed(high)}]"


def signed_percent(fraction: float) -> str:
    """Return a fraction as a signed percentage."""
    return f"{_signed(fraction)} %"


def percent(fraction: float, *, digits: int = 2) -> str:
    """Return a fraction as an unsigned percentage with so many significant digits, or more."""
    value = 100 * fraction
    return f"{value:,.0f} %" if value >= 10 ** (digits - 1) * 9.95 else f"{value:.{digits}g} %"


def ordinal(position: int) -> str:
    """Return 2nd, 3rd, 11th, 32nd."""
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(position % 10, "th")
    return f"{position:,}{'th' if position % 100 in (11, 12, 13) else suffix}"


def clock_noun(clock_name: str, unit: Unit) -> str:
    """Return what a clock counts, as a person calls it."""
    match unit:
        case Unit.TICKS:
            return "TSC ticks" if clock_name == "tsc" else f"{clock_name} ticks"
        case Unit.CYCLES:
            return "core cycles"
        case _:
            return str(unit)


def plural(number: int, noun: str) -> str:
    """Return `1 round`, `20,000 rounds`, `2 pairs of launches`."""
    if number == 1:
        return f"1 {noun}"
    head, of, rest = noun.partition(" of ")
    return f"{number:,} {head}s{of}{rest}"


def _signed(fraction: float) -> str:
    if not math.isfinite(fraction):
        return "+∞"
    value = 100 * fraction
    text = f"{abs(value):.{1 if abs(value) >= 10 else 2}f}"
    sign = "" if float(text) == 0 else "+" if value > 0 else "−"
    return sign + text
