# SPDX-License-Identifier: MIT
"""A single call of each arm, and what the machine says to it."""

import pytest

from sockmeter.model.errors import ProbeError
from sockmeter.plan.trials import trial_arm
from sockmeter.rig.host import HostRig
from tests.rig.fake_probe import FakeProbe, read_plan

ARMS = [trial_arm("recv", "recvmsg", {}), trial_arm("rr", "uring-recv", {})]


def make_probe(*refused: str, step: str = "call") -> FakeProbe:
    probe = FakeProbe(lambda words: [100])
    probe.refused, probe.refused_step = set(refused), step
    return probe


def test_each_arm_makes_one_call_without_a_warm_up() -> None:
    probe = make_probe()
    assert [None, None] == HostRig(probe, cpu=1).try_arms(ARMS)
    (plan,) = probe.plans
    assert [("1", "0")] * 2 == [(words["calls"], words["warmup"]) for words in read_plan(plan)]


def test_a_refused_arm_stands_in_its_place() -> None:
    allowed, refused = HostRig(make_probe("uring-recv"), cpu=1).try_arms(ARMS)
    assert allowed is None
    assert refused is not None
    assert (1, "ENOSYS") == (refused.arm, refused.errno)


def test_a_machine_that_is_too_busy_for_a_schedule_refuses_nothing() -> None:
    probe = make_probe("recvmsg", step="pace")
    assert [None, None] == HostRig(probe, cpu=1).try_arms(ARMS)


def test_a_probe_that_dies_tells_nothing() -> None:
    probe = make_probe()
    probe.fail_on = {0}
    with pytest.raises(ProbeError, match="the probe was killed"):
        HostRig(probe, cpu=1).try_arms(ARMS)


def test_nothing_is_run_where_nothing_is_asked() -> None:
    probe = make_probe()
    assert [] == HostRig(probe, cpu=1).try_arms([])
    assert [] == probe.plans
