# SPDX-License-Identifier: MIT
"""The host rig sizes its segments, pairs its arms, and drops rounds by rules blind to the arms."""

import pytest

from sockmeter.model.errors import PlanError, ProbeError
from sockmeter.model.runs import Design
from sockmeter.rig.host import HostRig
from tests.builders import make_arm, make_design
from tests.rig.fake_probe import FakeProbe, read_plan


def make_rig(**fields: object) -> HostRig:
    return HostRig(FakeProbe(lambda _: [1000] * 100, **fields), cpu=1)


def test_every_arm_gets_as_many_calls_as_the_fastest_needs_for_ten_milliseconds() -> None:
    """100 calls in 100 µs are 10,000 calls in 10 ms: 157 bursts of 64 hold more than them."""
    sized, _ = make_rig(elapsed_ns=100_000).prepare(make_design())
    assert 157 * 64 == sized.calls


def test_no_segment_has_fewer_calls_than_asked_for() -> None:
    sized, _ = make_rig(elapsed_ns=100_000_000).prepare(make_design(calls=5000))
    assert 79 * 64 == sized.calls


def test_a_burst_of_a_batch_is_fewer_calls() -> None:
    """Limits of 1,000 sends in batches of 257 are bursts of 3 calls, beside bursts of 64."""
    arms = [make_arm("send", zerocopy="no"), make_arm("send", limit=1000, batch=257)]
    sized, _ = make_rig(elapsed_ns=100_000_000).prepare(make_design(arms=arms, calls=1000))
    assert 6 * 192 == sized.calls


def test_a_burst_of_corked_sends_is_whole_messages() -> None:
    """64 and 32 sends are rounded up to 66 and 33 of three each; 65,536 only down, to 65,535."""
    arms = [make_arm("send", zerocopy="no", cork=3), make_arm("send", limit=32, cork=3)]
    sized, _ = make_rig(elapsed_ns=100_000_000).prepare(make_design(arms=arms, calls=1000))
    assert 16 * 66 == sized.calls
    arms = [make_arm("send", limit=65_536, cork=3)]
    sized, _ = make_rig(elapsed_ns=100_000_000).prepare(make_design(arms=arms, calls=1000))
    assert 65_535 == sized.calls


def test_bursts_that_have_no_small_number_in_common_are_not_waited_for() -> None:
    arms = [make_arm("send", limit=65_521), make_arm("send", limit=65_519)]
    sized, _ = make_rig(elapsed_ns=100_000_000).prepare(make_design(arms=arms, calls=1000))
    assert 1000 == sized.calls


def test_a_round_that_would_never_end_is_refused_before_it_begins() -> None:
    """Calls of 30 ms, 5,000 of them, of an arm and its copy."""
    with pytest.raises(PlanError, match="a round would take"):
        make_rig(elapsed_ns=3_000_000_000).prepare(make_design(arms=[make_arm()], calls=5000))


def test_the_empty_bracket_does_not_size_the_segments() -> None:
    """It costs next to nothing and would ask for millions of calls of every arm."""
    design = make_design(arms=[make_arm("null")])
    assert 79 * 64 == make_rig(elapsed_ns=10).prepare(design)[0].calls


def test_a_round_is_one_process_with_the_copy_of_the_baseline_in_it() -> None:
    """Arm 2 of two arms is A2: the baseline's call again, in its own place of the order."""
    probe = FakeProbe(lambda _: [1000] * 100)
    HostRig(probe, cpu=1).run_round(make_design(), [2, 1, 0], 9000)
    (plan,) = probe.plans
    segments = read_plan(plan)
    assert ["recvfrom", "recvmsg", "recvfrom"] == [words["call"] for words in segments]
    assert ["2", "1", "0"] == [words["id"] for words in segments]
    assert "cap 9000" in plan.splitlines()


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"clock_back": 1}, "clock ran back"),
        ({"cpu_end": 0}, "another CPU"),
        ({"steal_ns": 2_000_000}, "stole 20% of the round"),
    ],
)
def test_a_round_is_dropped_whole(fields: dict[str, int], reason: str) -> None:
    outcome = make_rig(**fields).run_round(make_design(), [0, 1, 2], 0)
    assert outcome.dropped is not None
    assert reason in outcome.dropped


def test_an_ordinary_round_is_kept() -> None:
    assert make_rig().run_round(make_design(), [0, 1, 2], 0).dropped is None


def test_an_unreadable_steal_is_not_a_reason_to_drop() -> None:
    assert make_rig(steal_ns=None).run_round(make_design(), [0, 1, 2], 0).dropped is None


def test_a_probe_that_dies_in_a_round_costs_that_round() -> None:
    probe = FakeProbe(lambda _: [1000] * 100)
    probe.fail_on = {0}
    outcome = HostRig(probe, cpu=1).run_round(make_design(), [0, 1, 2], 0)
    assert outcome.dropped is not None
    assert "SIGKILL" in outcome.dropped


def test_a_probe_that_dies_at_once_is_an_error() -> None:
    """Before the first round there is nothing to keep."""
    probe = FakeProbe(lambda _: [1000] * 100)
    probe.fail_on = {0}
    with pytest.raises(ProbeError, match="SIGKILL"):
        HostRig(probe, cpu=1).prepare(make_design())


def test_a_refused_arm_is_a_row_and_the_others_go_on() -> None:
    probe = FakeProbe(lambda _: [1000] * 100)
    probe.refused = {"recvmsg"}
    outcome = HostRig(probe, cpu=1).run_round(make_design(), [0, 1, 2], 0)
    assert [0, 2] == [segment.arm for segment in outcome.segments]
    assert [(1, "ENOSYS")] == [(refusal.arm, refusal.errno) for refusal in outcome.refusals]


def test_a_schedule_that_was_kept_before_costs_its_round_and_not_its_arm() -> None:
    """An arm that never keeps it is refused."""
    probe = FakeProbe(lambda _: [1000] * 100)
    probe.refused_step = "pace"
    rig, design = HostRig(probe, cpu=1), make_design()
    probe.refused = {"recvmsg"}
    never = rig.run_round(design, [0, 1, 2], cap=0)
    assert (None, ["pace"]) == (never.dropped, [each.step for each in never.refusals])
    probe.refused = set()
    assert rig.run_round(design, [0, 1, 2], cap=0).dropped is None
    probe.refused = {"recvmsg"}
    late = rig.run_round(design, [0, 1, 2], cap=0)
    assert "the schedule of an arm that is measured in others was not kept" == late.dropped
    assert [] == late.refusals


def test_an_arm_of_its_own_cpu_keeps_it() -> None:
    """`--cpu 0,auto`: the first arm is pinned to 0, the second where the rig measures."""
    probe = FakeProbe(lambda _: [1000] * 100)
    design: Design = make_design(arms=[make_arm(cpu=0), make_arm(cpu="auto")])
    HostRig(probe, cpu=1).run_round(design, [0, 1], 0)
    assert ["0", "1"] == [words["cpu"] for words in read_plan(probe.plans[0])]
