# SPDX-License-Identifier: MIT
"""The self-test cuts a long run into trials and counts what the judge says of each."""

import numpy as np
import pytest
from scipy.stats import binom

from sockmeter.judge.selftest import (
    fixed_trials,
    is_surely_broken,
    judge_selftest,
    looked_trials,
    size_injections,
    tail_of_binomial,
)
from sockmeter.judge.verdict import Word
from sockmeter.model.errors import JudgementError
from sockmeter.model.runs import Run
from sockmeter.model.selftests import Injection
from sockmeter.plan.designs import LOOKS
from sockmeter.report.selftest import selftest_sentences
from tests.builders import (
    make_arm,
    make_clock,
    make_design,
    make_instrument,
    make_round,
    make_run,
    make_segment,
)


def make_selftest_run(*levels: np.ndarray) -> Run:
    """Make a run whose arms cost these levels in each round: plain, injections, and the copy."""
    rounds = [
        make_round(
            number,
            [
                make_segment(arm, [round(level[number - 1] * 1000)] * 8)
                for arm, level in enumerate(levels)
            ],
        )
        for number in range(1, levels[0].size + 1)
    ]
    arms = [make_arm("recvmsg", work=arm) for arm in range(len(levels) - 1)]
    clock = make_clock(quantum=1)
    return make_run(
        rounds,
        design=make_design(arms=arms),
        instrument=make_instrument(clock=clock),
    )


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
    found = judge_selftest(make_selftest_run(plain, loaded, copy), [injection])
    (detection,) = found.detections
    assert (10, 10) == (detection.trials, detection.slower)
    assert 0.02 == pytest.approx(detection.estimate, abs=0.001)
    assert (10, 0, 0, 10) == (found.trials, found.slower, found.faster, found.no_difference)


def test_the_noise_floor_is_what_twenty_rounds_resolve() -> None:
    plain, copy = (1000 * np.exp(make_noise(400, seed, 0.01)) for seed in (8, 9))
    found = judge_selftest(make_selftest_run(plain, copy), [])
    assert found.noise_floor is not None
    assert 0.004 < found.noise_floor < 0.01
    assert any(
        sentence.startswith("Here, 20 rounds resolve 0.") for sentence in selftest_sentences(found)
    )


def test_a_judge_that_cries_wolf_is_not_to_be_trusted() -> None:
    """A copy 5 % dearer in every trial: forty false alarms in forty."""
    plain, copy = 1000 * np.exp(make_noise(800, 10)), 1050 * np.exp(make_noise(800, 11))
    sentences = selftest_sentences(judge_selftest(make_selftest_run(plain, copy), []))
    assert sentences[0].startswith("WARNING: 40 of 40 trials of identical arms")


@pytest.mark.parametrize(("trials", "events"), [(60, 0), (60, 3), (60, 10), (200, 40), (5, 5)])
def test_the_binomial_tail_is_scipys(trials: int, events: int) -> None:
    expected = float(binom.sf(events - 1, trials, 0.05))
    assert expected == pytest.approx(tail_of_binomial(trials, events, 0.05), rel=1e-9)


def test_injections_are_sized_by_a_slope_and_what_entering_the_chain_costs() -> None:
    """A call of 100, 5 to enter the chain and 1 a multiply: 15 of them make a fifth more."""
    plain, few, many = (level * np.ones(30) / 1000 for level in (100, 115, 215))
    run = make_selftest_run(plain, few, many, plain)
    (fifth,) = size_injections(run, (0, 10, 110), [0.2])
    assert 15 == fifth.multiplies
    assert 0.2 == pytest.approx(fifth.share, abs=1e-9)


def test_a_calibration_without_a_slope_is_an_error_and_not_a_guess() -> None:
    flat = 1000 * np.ones(30)
    with pytest.raises(JudgementError, match="drowns in noise"):
        size_injections(make_selftest_run(flat, flat, flat, flat), (0, 10, 2010), [0.02])


def test_less_than_one_trial_is_an_error() -> None:
    flat = 1000 * np.ones(19)
    with pytest.raises(JudgementError, match="19 rounds: a trial needs 20"):
        judge_selftest(make_selftest_run(flat, flat), [])


def test_only_what_cannot_be_chance_breaks_the_judge() -> None:
    quiet = make_selftest_run(
        1000 * np.exp(make_noise(400, 12)), 1000 * np.exp(make_noise(400, 13))
    )
    loud = make_selftest_run(1000 * np.ones(400), 1050 * np.exp(make_noise(400, 13)))
    assert [False, True] == [is_surely_broken(judge_selftest(run, [])) for run in (quiet, loud)]
