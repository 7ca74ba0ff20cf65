# SPDX-License-Identifier: MIT
"""An exact cost needs every segment to agree."""

import numpy as np
import pytest

from sockmeter.judge.counts import ExactChange, Mode, deterministic_cost, exact_change, mode_of

SAME = [Mode(cost=1768, share=0.9), Mode(cost=1768, share=0.5)]
CHEAPER = [Mode(cost=1566, share=1.0)]


def test_the_change_of_two_deterministic_arms_is_exact() -> None:
    change = exact_change(SAME, CHEAPER)
    assert ExactChange(baseline=1768, arm=1566) == change
    assert change is not None
    assert -202 == change.change


def test_the_same_integer_is_identical() -> None:
    change = exact_change(SAME, SAME)
    assert change is not None
    assert 0 == change.change


def test_one_deviating_segment_sends_an_arm_down_the_ordinary_path() -> None:
    assert exact_change(SAME, [*CHEAPER, Mode(cost=1567, share=1.0)]) is None


def test_a_mode_of_less_than_half_the_calls_is_not_exact() -> None:
    assert deterministic_cost([*SAME, Mode(cost=1768, share=0.49)]) is None


def test_no_segments_have_no_cost() -> None:
    assert deterministic_cost([]) is None


def test_the_mode_of_a_segment() -> None:
    assert Mode(cost=7, share=0.6) == mode_of(np.array([5, 7, 9]), np.array([3, 6, 1]))


def test_of_two_equally_frequent_costs_the_smaller_is_the_mode() -> None:
    assert Mode(cost=5, share=0.5) == mode_of(np.array([7, 5]), np.array([3, 3]))


def test_a_segment_without_calls_has_no_mode() -> None:
    with pytest.raises(ValueError, match="no most frequent cost"):
        mode_of(np.array([5]), np.array([0]))
