# SPDX-License-Identifier: MIT
"""When a run stops, and what is said at that moment."""

import numpy as np
import pytest

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.intervals import hodges_lehmann
from sockmeter.judge.sequential import judge_headline
from sockmeter.judge.verdict import Word
from sockmeter.plan.designs import LOOKS


def make_log_ratios(*, rounds: int, change: float, noise: float = 0.004) -> FloatArray:
    return np.random.default_rng(7).normal(change, noise, rounds)


def test_a_run_is_judged_on_the_rounds_up_to_its_look_only() -> None:
    """Rounds after the look that settled the pair do not count, whatever they say."""
    early = make_log_ratios(rounds=20, change=0.05)
    late = make_log_ratios(rounds=60, change=-0.05)
    headline = judge_headline(np.concatenate([early, late])[None, :], LOOKS, 0.01)
    assert (20, Word.SLOWER) == (headline.rounds, headline.verdicts[0].word)
    assert hodges_lehmann(early, 0.010) == headline.verdicts[0].interval


def test_every_look_spends_its_own_error() -> None:
    """A pair that is settled at no look is judged at the last one, at that look's error."""
    headline = judge_headline(
        make_log_ratios(rounds=80, change=0.01, noise=0.2)[None, :], LOOKS, 0.01
    )
    assert (80, 0.025) == (headline.rounds, headline.alpha)
    assert Word.INCONCLUSIVE == headline.verdicts[0].word


def test_all_pairs_must_be_settled_at_the_same_look() -> None:
    """A pair that is clear at 20 rounds waits for one that is clear at 40 only."""
    clear = make_log_ratios(rounds=40, change=0.05)
    unclear = np.concatenate([np.linspace(-0.2, 0.2, 20), np.full(20, 0.3)])
    headline = judge_headline(np.stack([clear, unclear]), LOOKS, 0.01)
    assert 40 == headline.rounds


@pytest.mark.parametrize(("rounds", "ahead", "alpha"), [(12, 20, 0.010), (33, 40, 0.015)])
def test_between_looks_there_is_an_interval_and_no_verdict(
    rounds: int, ahead: int, alpha: float
) -> None:
    """A run cut short is undecided, says so, and says how many rounds were missing."""
    log_ratios = make_log_ratios(rounds=rounds, change=0.01, noise=0.05)
    headline = judge_headline(log_ratios[None, :], LOOKS, 0.01)
    verdict = headline.verdicts[0]
    assert (Word.UNDECIDED, ahead - rounds) == (verdict.word, verdict.more_rounds)
    assert f"the run ended after {rounds} rounds, before its look at {ahead}" == verdict.reason
    assert hodges_lehmann(log_ratios, alpha) == verdict.interval
    assert not headline.is_conclusive


def test_without_a_pair_the_first_look_ends_the_run() -> None:
    """A run of the baseline alone has nothing to wait for."""
    headline = judge_headline(np.empty((0, 20)), LOOKS, 0.01)
    assert (20, (), True) == (headline.rounds, headline.verdicts, headline.is_conclusive)
