# SPDX-License-Identifier: MIT
"""What doctor says of calls through an io_uring."""

from sockmeter.rig.health.rings import examine_rings, ring_arms
from sockmeter.rig.host import HostRig
from tests.rig.fake_probe import FakeProbe, read_plan


def make_probe(*refused: str) -> FakeProbe:
    probe = FakeProbe(lambda words: [100])
    probe.refused = set(refused)
    return probe


def test_every_kind_of_call_is_tried_once() -> None:
    probe = make_probe()
    finding = examine_rings(HostRig(probe, cpu=1))
    assert [len(ring_arms())] == [len(read_plan(plan)) for plan in probe.plans]
    assert {("1", "0")} == {
        (words["calls"], words["warmup"]) for words in read_plan(probe.plans[0])
    }
    assert ("ok", f"all: {', '.join(ring_arms())}") == (finding.status, finding.detail)


def test_what_a_kernel_lacks_is_named_with_its_reason() -> None:
    finding = examine_rings(HostRig(make_probe("uring-recv-bundle", "uring-sendmsg-zc"), cpu=1))
    assert "ok" == finding.status
    assert finding.detail.endswith(
        "; not bundles (Function not implemented), not SENDMSG_ZC (Function not implemented)"
    )


def test_a_machine_without_rings_has_one_reason() -> None:
    finding = examine_rings(HostRig(make_probe("uring-recv"), cpu=1))
    assert ("cannot", "none here: Function not implemented") == (finding.status, finding.detail)
