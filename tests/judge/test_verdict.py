# SPDX-License-Identifier: MIT
"""What an interval means against the smallest difference that matters."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sockmeter.judge.intervals import Interval
from sockmeter.judge.verdict import (
    Word,
    forecast_rounds,
    judge_interval,
    undecided,
    withdrawn,
)

EDGE = math.log(1.01)


def make_interval(low: float, high: float, *, k: int = 53, rounds: int = 20) -> Interval:
    middle = (low + high) / 2
    return Interval(estimate=middle, low=low, high=high, k=k, alpha=0.05, rounds=rounds)


@pytest.mark.parametrize(
    ("low", "high", "word", "resolves_change"),
    [
        (-0.002, 0.003, Word.NO_DIFFERENCE, False),
        (0.001, 0.009, Word.NO_DIFFERENCE, True),
        (-0.009, -0.001, Word.NO_DIFFERENCE, True),
        (0.001, 0.011, Word.SLOWER, True),
        (0.020, 0.030, Word.SLOWER, True),
        (-0.030, -0.001, Word.FASTER, True),
        (-0.001, 0.011, Word.INCONCLUSIVE, False),
        (-0.020, 0.030, Word.INCONCLUSIVE, False),
        (-0.001, EDGE, Word.INCONCLUSIVE, False),  # the bound itself is not inside
        (0.0, 0.011, Word.INCONCLUSIVE, False),  # nor is 0 outside
    ],
)
def test_the_four_verdicts(low: float, high: float, word: Word, resolves_change: bool) -> None:
    verdict = judge_interval(make_interval(low, high), 0.01)
    assert (word, resolves_change) == (verdict.word, verdict.resolves_change)


def test_an_infinite_interval_is_undecided_and_says_how_many_rounds_are_missing() -> None:
    verdict = judge_interval(make_interval(-math.inf, math.inf, k=0, rounds=1), 0.01)
    assert (Word.UNDECIDED, 5) == (verdict.word, verdict.more_rounds)
    assert "1 rounds are too few: an interval at an error of 5 % needs at least 6" == verdict.reason


def test_an_inconclusive_verdict_forecasts_its_rounds() -> None:
    """Half-width 0.0095, 0.0055 from 0: 20 x (0.0095 / 0.0055)**2 x 1.2 = 71.6, so 52 more."""
    verdict = judge_interval(make_interval(-0.004, 0.015), 0.01)
    assert (Word.INCONCLUSIVE, 52) == (verdict.word, verdict.more_rounds)


def test_a_hopeless_forecast_is_not_resolvable_here() -> None:
    """Half-width 20 %: 20 x (0.2 / 0.00995)**2 x 1.2 is over 9,000 rounds."""
    verdict = judge_interval(make_interval(-0.2, 0.2), 0.01)
    assert verdict.more_rounds is None
    assert verdict.interval is not None
    assert 0.2 == verdict.interval.half_width


def test_a_half_open_interval_still_decides_on_its_side() -> None:
    """Every round but a few had calls over the cap in the arm only."""
    assert Word.SLOWER == judge_interval(make_interval(0.4, math.inf), 0.03).word
    open_verdict = judge_interval(make_interval(-0.4, math.inf), 0.03)
    assert (Word.INCONCLUSIVE, None) == (open_verdict.word, open_verdict.more_rounds)


def test_only_a_settled_verdict_may_stop_a_run() -> None:
    settled = {word for word in Word if is_conclusive_as(word)}
    assert {Word.NO_DIFFERENCE, Word.SLOWER, Word.FASTER} == settled


def is_conclusive_as(word: Word) -> bool:
    ends = {
        Word.NO_DIFFERENCE: (-0.001, 0.001),
        Word.SLOWER: (0.02, 0.03),
        Word.FASTER: (-0.03, -0.02),
        Word.INCONCLUSIVE: (-0.02, 0.02),
        Word.UNDECIDED: (-math.inf, math.inf),
    }[word]
    k = 0 if word is Word.UNDECIDED else 53
    verdict = judge_interval(make_interval(*ends, k=k), 0.01)
    assert word == verdict.word
    return verdict.is_conclusive


def test_a_withdrawn_verdict_keeps_its_interval() -> None:
    interval = make_interval(0.02, 0.03)
    verdict = withdrawn(judge_interval(interval, 0.01), "3 of 20 rounds were dropped")
    assert (Word.UNDECIDED, interval) == (verdict.word, verdict.interval)
    assert "3 of 20 rounds were dropped" == verdict.reason


def test_an_undecided_verdict_resolves_nothing() -> None:
    assert not undecided("the arm was refused", 0.01).resolves_change


@given(st.integers(-300, 300), st.integers(1, 300), st.integers(1, 100))
def test_swapping_the_arms_swaps_slower_and_faster(
    middle: int, half_width: int, effect: int
) -> None:
    low, high = (middle - half_width) / 1e4, (middle + half_width) / 1e4
    swapped = {Word.SLOWER: Word.FASTER, Word.FASTER: Word.SLOWER}
    there = judge_interval(make_interval(low, high), effect / 1000).word
    back = judge_interval(make_interval(-high, -low), effect / 1000).word
    assert swapped.get(there, there) == back


@given(st.integers(1, 100), st.integers(1, 300))
def test_a_wider_interval_never_needs_fewer_rounds(half_width: int, more: int) -> None:
    few = forecast_rounds(make_interval(-half_width / 1e4, half_width / 1e4), EDGE, 10**9)
    wider = (half_width + more) / 1e4
    many = forecast_rounds(make_interval(-wider, wider), EDGE, 10**9)
    assert few is not None
    assert many is not None
    assert few <= many


@pytest.mark.parametrize("effect", [0.0, -0.01, math.nan])
def test_an_effect_that_is_none_is_refused(effect: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        judge_interval(make_interval(-0.01, 0.01), effect)
