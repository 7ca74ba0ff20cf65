# SPDX-License-Identifier: MIT
"""The simulated machine is what its description says."""

import numpy as np
import pytest

from sockmeter.judge.cells import spread
from sockmeter.judge.statistics import quantiles
from tests.simulation.law import CALLS, LAYOUT, Segments, draw_counts, stratified_costs
from tests.simulation.machine import Machine, make_runs


def test_histograms_drawn_at_once_are_those_of_calls_drawn_one_by_one() -> None:
    """The quantiles of 200 segments drawn as histograms are those of the law's own costs."""
    ones = np.ones(200)
    segments = Segments(ones, 0.6 * ones, 0.005 * ones)
    counts = draw_counts(segments, np.random.default_rng(1))
    assert [CALLS] * 200 == counts.sum(axis=1).tolist()
    probabilities = [0.05, 0.25, 0.5, 0.75, 0.95, 0.99]
    drawn = quantiles(spread(counts, LAYOUT), probabilities).mean(axis=0)
    assert np.quantile(stratified_costs(1.0, 10**6), probabilities) == pytest.approx(
        drawn, rel=0.002
    )


@pytest.mark.parametrize("machine", Machine)
def test_the_arm_costs_what_it_should_in_every_segment(machine: Machine) -> None:
    """A true change multiplies the arm's segments, and nothing else changes."""
    same, dearer = (
        make_runs(machine, np.random.default_rng(1), runs=2, rounds=5, true_change=change)
        for change in (0.0, 0.05)
    )
    factors = dearer.segments.scale / same.segments.scale
    assert np.broadcast_to([1.0, 1.05, 1.0], (2, 5, 3)) == pytest.approx(factors)


def test_every_round_runs_each_column_once() -> None:
    runs = make_runs(Machine.S0, np.random.default_rng(1), runs=3, rounds=50)
    assert np.array_equal(np.broadcast_to([0, 1, 2], (3, 50, 3)), np.sort(runs.position, axis=2))


def test_the_resonance_alternates_in_time() -> None:
    """Segments that follow each other differ by 3 %, but for the process noise of 0.3 %."""
    runs = make_runs(Machine.S5, np.random.default_rng(1), runs=1, rounds=30, columns=2)
    in_time = np.empty((30, 2))
    np.put_along_axis(in_time, runs.position[0], np.log(runs.segments.scale[0]), axis=1)
    steps = in_time[:, 1] - in_time[:, 0]
    assert 0.03 == pytest.approx(float(steps.mean()), abs=0.003)
    assert (steps > 0.01).all()
