# SPDX-License-Identifier: MIT
"""A drift is said, and noise is not called one."""

import numpy as np
import pytest

from sockmeter.judge.drift import find_drift, von_neumann_ratio

IN_ORDER = [np.zeros(20, dtype=np.int64), np.ones(20, dtype=np.int64)]


def test_ranks_in_order_have_the_smallest_ratio() -> None:
    """1, 2, 3, 4: three differences of 1 over 1.5 x 1.5 + 0.5 x 0.5 twice."""
    assert 0.6 == von_neumann_ratio(np.array([1.0, 2.0, 3.0, 4.0]))


def test_a_ramp_of_five_percent_is_a_drift_of_five_percent() -> None:
    """Smoothing over three rounds leaves out one at either end."""
    ramp = 1000 * np.exp(np.linspace(0.0, 0.05, 20))
    drift = find_drift([ramp, 2 * ramp], IN_ORDER)
    assert drift is not None
    assert drift.is_drifting
    assert 0.05 * 17 / 19 == pytest.approx(drift.span)


def test_what_an_arm_costs_is_not_a_drift() -> None:
    """Arms at 1000 and 2000 in turns, with noise: the arm's own level is taken out first."""
    noise = np.exp(np.random.default_rng(1).normal(0.0, 0.003, (2, 20)))
    drift = find_drift([1000 * noise[0], 2000 * noise[1]], IN_ORDER)
    assert drift is not None
    assert not drift.is_drifting


def test_noise_is_called_a_drift_once_in_a_thousand() -> None:
    """The level of the normal law holds: of 4,000 quiet runs between 0 and 12."""
    generator = np.random.default_rng(2)
    found = 0
    for _ in range(4000):
        noise = np.exp(generator.normal(0.0, 0.003, (2, 20)))
        drift = find_drift([noise[0], noise[1]], IN_ORDER)
        found += drift is not None and drift.is_drifting
    assert 0 < found <= 12


def test_segments_are_taken_in_the_order_in_which_they_ran() -> None:
    """A sawtooth by arm is a smooth walk by time when every second round ran backwards."""
    steps = np.arange(40).reshape(20, 2)
    positions = np.where(np.arange(20)[:, None] % 2, [1, 0], [0, 1])
    by_arm = np.take_along_axis(steps, positions, axis=1)
    drift = find_drift(
        [np.exp(0.001 * by_arm[:, arm]) for arm in (0, 1)], [positions[:, arm] for arm in (0, 1)]
    )
    assert drift is not None
    assert 0.01 > drift.ratio


def test_few_or_equal_segments_have_no_drift() -> None:
    few = [np.array([1.0, 2.0, 3.0])]
    assert find_drift(few, [np.zeros(3, dtype=np.int64)]) is None
    assert find_drift([np.ones(20), np.ones(20)], IN_ORDER) is None
