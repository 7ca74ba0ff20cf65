# SPDX-License-Identifier: MIT
"""Segments that go by the clock: their length is a factor, and their runs are looked at once."""

import pytest

from sockmeter.model.errors import PlanError
from sockmeter.model.runs import Look
from sockmeter.plan.arms import expand_arms
from sockmeter.plan.designs import Request, make_design
from sockmeter.plan.factors import find_factor, span_us
from sockmeter.plan.pacing import duration_s, is_paced, shortened


def make_channels(**factors: list[str]) -> Request:
    return Request(scenario="channels", call=["recv", "recvmsg"], factors=factors)


def test_a_paced_run_is_looked_at_once() -> None:
    """At the calibrated looks of 10 ms segments it would take hours."""
    assert [Look(12, 0.05)] == make_design(make_channels()).looks


def test_rounds_asked_for_are_taken() -> None:
    request = Request(scenario="channels", call=["recv"], rounds=8)
    assert [Look(8, 0.05)] == make_design(request).looks


def test_a_segment_takes_its_duration_and_what_stands_around_it() -> None:
    """Two intervals before, twenty ticks after, and a second for its sockets."""
    design = make_design(make_channels(duration=["60s"], interval=["20ms"], tick=["10ms"]))
    assert pytest.approx(2 * (60 + 0.04 + 0.2 + 1)) == duration_s(design.arms)


def test_a_trial_is_short_and_otherwise_the_same() -> None:
    arm = make_design(make_channels(duration=["60s"])).arms[0]
    assert is_paced(arm)
    assert arm.factors | {"duration": "50ms"} == shortened(arm).factors


def test_other_scenarios_do_not_go_by_the_clock() -> None:
    (arm,) = expand_arms("recv", ["recv"], {})
    assert not is_paced(arm)
    assert arm == shortened(arm)
    assert 0 == duration_s([arm])


@pytest.mark.parametrize(
    ("text", "us"), [("500us", 500), ("20ms", 20_000), ("1s", 10**6), ("2min", 120 * 10**6)]
)
def test_a_span_of_time_has_its_unit(text: str, us: int) -> None:
    assert us == span_us(text)


@pytest.mark.parametrize("text", ["20", "ms", "-1s", "1.5s", "1 s", "99us", "11s", "١s", ""])
def test_anything_else_is_no_interval(text: str) -> None:
    with pytest.raises(PlanError, match="--interval"):
        find_factor("interval").parse(text)


@pytest.mark.parametrize(
    ("factors", "what"),
    [
        ({"family": ["tcp4"]}, "channels over tcp4"),
        ({"size": [15]}, "begins with a stamp"),
        ({"control": ["timestamp"]}, "no timestamps"),
    ],
)
def test_what_channels_cannot_do_is_said(factors: dict[str, list[str | int]], what: str) -> None:
    with pytest.raises(PlanError, match=what):
        expand_arms("channels", ["recvmsg"], factors)
