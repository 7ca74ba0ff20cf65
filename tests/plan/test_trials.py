# SPDX-License-Identifier: MIT
"""Every call and every doubtful value has an arm that shows whether it can be had."""

import pytest

from sockmeter.plan.calls import CALLS, Call, calls_of
from sockmeter.plan.factors import find_factor
from sockmeter.plan.sinks import SINKS
from sockmeter.plan.trials import call_arm, turning_arms, value_arms


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.scenario}-{call.name}")
def test_every_call_has_an_arm_of_its_own(call: Call) -> None:
    arm = call_arm(call)
    assert (call.scenario, call.name) == (arm.scenario, arm.call)


def test_a_call_of_zerocopy_is_tried_in_its_zerocopy_form() -> None:
    ways = {arm.call: arm.factors.get("zerocopy") for arm in map(call_arm, calls_of("zerocopy"))}
    assert ("poll", "cqe") == (ways["send-gso"], ways["uring-send-gso"])
    assert "no" == ways["uring-send-bundle"]  # which has no other


def test_an_arm_shows_the_value_that_it_stands_for() -> None:
    for (factor, value), arm in value_arms(CALLS).items():
        assert find_factor(factor).parse(value) == arm.factors[factor]


def test_only_values_that_the_calls_take_are_tried() -> None:
    factors = {factor for factor, _ in value_arms(calls_of("rr"))}
    assert {"family", "ring", "registered"} == factors
    assert {} == turning_arms(calls_of("rr"))


def test_every_sink_is_tried() -> None:
    tried = {value for factor, value in turning_arms(calls_of("bulk")) if factor == "sink"}
    assert {sink.name for sink in SINKS} == tried
