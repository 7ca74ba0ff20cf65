# SPDX-License-Identifier: MIT
"""The clock's step is read off the buckets that stay empty."""

import numpy as np
import pytest

from sockmeter.judge.arrays import IntArray
from sockmeter.judge.quantum import Quantum, QuantumSource, find_quantum
from sockmeter.model.buckets import BUCKET_COUNT, bucket_lowers, bucket_uppers
from tests.judge.builders import count_costs, make_costs


def find(costs: IntArray, stated: int | None = None) -> Quantum:
    return find_quantum(
        count_costs(costs).sum(axis=0), bucket_lowers(), bucket_uppers(), stated=stated
    )


def seen_in_steps(costs: IntArray, step: int) -> IntArray:
    return costs // step * step


@pytest.mark.parametrize("step", [18, 26, 40, 100])
def test_a_step_wider_than_the_buckets_is_detected(step: int) -> None:
    quantum = find(seen_in_steps(make_costs(1), step))
    assert (step, QuantumSource.DETECTED) == (quantum.step, quantum.source)


def test_a_smooth_clock_has_no_step_but_its_unit() -> None:
    quantum = find(make_costs(1))
    assert (1, QuantumSource.UNIT) == (quantum.step, quantum.source)


def test_a_stated_step_is_used_where_the_calls_agree() -> None:
    quantum = find(seen_in_steps(make_costs(1), 26), stated=26)
    assert Quantum(step=26, source=QuantumSource.STATED, share=1.0) == quantum


def test_a_stated_step_that_the_calls_deny_is_not_used() -> None:
    quantum = find(seen_in_steps(make_costs(1), 26), stated=25)
    assert (26, QuantumSource.DETECTED) == (quantum.step, quantum.source)


def test_a_few_strays_do_not_hide_the_step() -> None:
    """One call in a thousand ended on another CPU, whose clock is offset."""
    costs = seen_in_steps(make_costs(1), 26)
    costs[:, ::1000] += 13
    assert 26 == find(costs).step


def test_a_handful_of_distinct_costs_proves_no_step() -> None:
    """Three buckets are multiples of something by chance."""
    assert QuantumSource.UNIT == find(np.array([[1000, 1040, 1100] * 1000])).source


def test_no_call_has_no_quantum() -> None:
    with pytest.raises(ValueError, match="no call"):
        find_quantum(np.zeros(BUCKET_COUNT, dtype=np.int64), bucket_lowers(), bucket_uppers())
