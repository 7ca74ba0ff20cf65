# SPDX-License-Identifier: MIT
"""Means of segments on the simulated machine, where a send in fifty segments lasts a second."""

import numpy as np

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.intervals import sign_interval
from sockmeter.judge.statistics import means_between
from sockmeter.judge.verdict import Word, judge_interval
from tests.simulation.law import CALLS
from tests.simulation.machine import Machine, Runs, make_runs
from tests.simulation.trials import EFFECT, cells_of

STALL_CHANCE = 0.02  # of a segment
STALL_TICKS = 2.6e9


def words_by_the_mean(
    machine: Machine, seed: int, *, runs: int, true_change: float = 0.0
) -> list[Word]:
    """Judge runs of 20 rounds by the sign test over the rounds' means, all the error at the end."""
    generator = np.random.default_rng(seed)
    simulated = make_runs(machine, generator, runs=runs, rounds=20, true_change=true_change)
    before, after = (_means(simulated, column, generator) for column in (0, 1))
    return [
        judge_interval(sign_interval(log_ratios, 0.05), EFFECT).word
        for log_ratios in np.log(after / before)
    ]


def _means(runs: Runs, column: int, generator: np.random.Generator) -> FloatArray:
    """Return the mean of every segment of a column, shape (runs, rounds), ticks."""
    means = means_between(cells_of(runs, column, generator), 0.0, 1.0)
    is_stalled = generator.random(means.size) < STALL_CHANCE
    return (means + is_stalled * STALL_TICKS / CALLS).reshape(runs.position.shape[:2])
