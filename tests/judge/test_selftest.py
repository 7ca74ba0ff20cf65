# SPDX-License-Identifier: MIT
"""The self-test cuts a long run into trials and counts what the judge says of each."""

import numpy as np
import pytest
from scipy.stats import binom

from sockmeter.judge.selftest import (
    fixed_trials,
    judge_selftest,
    looked_trials,
    tail_of_binomial,
)
from sockmeter.judge.verdict import Word
from sockmeter.model.selftests import Injection
from sockmeter.plan.designs import LOOKS
from sockmeter.report.selftest import selftest_sentences


def make_noise(rounds: int, seed: int, width: float = 0.002) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.0, width, rounds)


def test_a_trial_is_a_whole_block_of_rounds() -> None:
    """Ninety rounds are four trials of twenty; the last ten are no trial."""
    trials = fixed_trials(make_noise(90, 1), 0.01)
    assert 4 == len(trials.words)
    assert (20, 20, 20, 20) == trials.rounds


def test_identical_arms_are_judged_the_same_in_every_trial() -> None:
    assert 50 == fixed_trials(make_noise(1000, 2), 0.01).count(Word.NO_DIFFERENCE)


def test_a_trial_with_looks_begins_where_the_one_before_stopped() -> None:
    """Quiet rounds settle at the first look: 100 rounds hold two trials with room for a third."""
    trials = looked_trials(make_noise(120, 3), LOOKS, 0.01)
    assert (20, 20, 20) == trials.rounds
    assert (Word.NO_DIFFERENCE,) * 3 == trials.words


def test_a_rest_that_could_only_stop_early_is_no_trial() -> None:
    assert () == looked_trials(make_noise(79, 4), LOOKS, 0.01).words


def test_injected_work_is_counted_by_trial() -> None:
    plain = 1000 * np.exp(make_noise(200, 5))
    copy = 1000 * np.exp(make_noise(200, 6))
    loaded = 1020 * np.exp(make_noise(200, 7))
    injection = Injection(nominal=0.02, share=0.0201, multiplies=8)
    found = judge_selftest("recvmsg", [plain, loaded, copy], [injection])
    (detection,) = found.detections
    assert (10, 10) == (detection.trials, detection.slower)
    assert 0.02 == pytest.approx(detection.estimate, abs=0.001)
    assert (10, 0, 0, 10) == (found.trials, found.slower, found.faster, found.no_difference)


def test_the_noise_floor_is_what_twenty_rounds_resolve() -> None:
    plain, copy = (1000 * np.exp(make_noise(400, seed, 0.01)) for seed in (8, 9))
    found = judge_selftest("recv", [plain, copy], [])
    assert found.noise_floor is not None
    assert 0.004 < found.noise_floor < 0.01
    assert any(
        sentence.startswith("Here, 20 rounds resolve 0.") for sentence in selftest_sentences(found)
    )


def test_a_judge_that_cries_wolf_is_not_to_be_trusted() -> None:
    """A copy 5 % dearer in every trial: forty false alarms in forty."""
    plain, copy = 1000 * np.exp(make_noise(800, 10)), 1050 * np.exp(make_noise(800, 11))
    sentences = selftest_sentences(judge_selftest("recv", [plain, copy], []))
    assert sentences[0].startswith("WARNING: 40 of 40 trials of identical arms")


@pytest.mark.parametrize(("trials", "events"), [(60, 0), (60, 3), (60, 10), (200, 40), (5, 5)])
def test_the_binomial_tail_is_scipys(trials: int, events: int) -> None:
    expected = float(binom.sf(events - 1, trials, 0.05))
    assert expected == pytest.approx(tail_of_binomial(trials, events, 0.05), rel=1e-9)
