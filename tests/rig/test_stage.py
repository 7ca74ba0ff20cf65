# SPDX-License-Identifier: MIT
"""What arms differ by is turned for their segments and put back after."""

from pathlib import Path

import pytest

from sockmeter.model.arms import Arm
from sockmeter.model.environment import Environment
from sockmeter.plan.sinks import SINKS
from sockmeter.rig.host import HostRig
from sockmeter.rig.sinks import NamespaceRefusedError
from sockmeter.rig.sinks.protocol import SetSysctl
from sockmeter.rig.turning import Journal, Stage
from sockmeter.rig.turning.facts import with_stage
from tests.builders import make_design
from tests.rig.fake_namespace import FakeNamespace
from tests.rig.fake_probe import FakeProbe, read_plan

DROPPING = [sink.name for sink in SINKS if not sink.is_received]
WMEM = "sysctl.net.ipv4.tcp_wmem"


def make_arm(call: str = "send-gso", **factors: int | str | bool) -> Arm:
    return Arm(
        scenario="bulk",
        call=call,
        factors={"family": "udp4", "size": 1472, "sink": "auto", "segments": 44, **factors},
    )


def make_stage(namespace: FakeNamespace | None, notes: Path, *refused: str) -> Stage:
    refusals = {
        name: NamespaceRefusedError("sink", 95, "Operation not supported") for name in refused
    }
    return Stage(namespace, refusals, Journal(notes))


def test_a_setting_of_our_network_is_put_back(tmp_path: Path) -> None:
    namespace = FakeNamespace({"net.ipv4.tcp_wmem": "1 2 3"})
    stage = make_stage(namespace, tmp_path)
    turned: dict[str, int | str | bool] = {
        WMEM: "4 5 6",
        "mtu": 9000,
        "offload.tx-udp-segmentation": "off",
    }
    with stage.turned(make_arm(**turned)):  # type: ignore[arg-type] # none of them is `call`
        assert {"net.ipv4.tcp_wmem": "4 5 6"} == namespace.sysctls
        assert 9000 == namespace.mtu_bytes
        assert {"tx-udp-segmentation": False} == namespace.features
    assert {"net.ipv4.tcp_wmem": "1 2 3"} == namespace.sysctls
    assert 1500 == namespace.mtu_bytes
    assert {"tx-udp-segmentation": True} == namespace.features
    assert [] == list(tmp_path.iterdir()), "what is ours alone needs no note"


def test_loopback_drops_only_while_an_arm_that_asks_for_it_runs(tmp_path: Path) -> None:
    namespace = FakeNamespace({})
    stage = make_stage(namespace, tmp_path)
    with stage.turned(make_arm(sink="loopback-drop")):
        assert {"lo"} == namespace.dropping
    assert set() == namespace.dropping
    for arm in (make_arm(sink="loopback"), make_arm("null", sink="loopback-drop")):
        with stage.turned(arm):
            assert set() == namespace.dropping


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_it_is_put_back_when_the_segment_ends_early(
    tmp_path: Path, error: type[BaseException]
) -> None:
    namespace = FakeNamespace({"net.ipv4.tcp_wmem": "1 2 3"})
    with pytest.raises(error), make_stage(namespace, tmp_path).turned(make_arm(**{WMEM: "4 5 6"})):
        raise error
    assert {"net.ipv4.tcp_wmem": "1 2 3"} == namespace.sysctls


def test_what_was_turned_before_a_refusal_is_put_back(tmp_path: Path) -> None:
    namespace = FakeNamespace({"net.ipv4.tcp_wmem": "1 2 3", "net.ipv4.tcp_rmem": "7"})
    arm = make_arm(**{WMEM: "4 5 6", "sysctl.net.ipv4.tcp_rmem": "bad"})
    with pytest.raises(NamespaceRefusedError), make_stage(namespace, tmp_path).turned(arm):
        pass
    assert {"net.ipv4.tcp_wmem": "1 2 3", "net.ipv4.tcp_rmem": "7"} == namespace.sysctls


def test_a_sysctl_that_is_nowhere_is_refused(tmp_path: Path) -> None:
    arm = make_arm(**{"sysctl.net.core.no_such_thing": "1"})
    with (
        pytest.raises(NamespaceRefusedError) as caught,
        make_stage(FakeNamespace({}), tmp_path).turned(arm),
    ):
        pass
    assert ("sysctl", "ENOENT") == (caught.value.step, caught.value.errno_name)
    assert [] == list(tmp_path.iterdir())


def test_without_a_network_of_our_own_no_device_can_be_turned(tmp_path: Path) -> None:
    with (
        pytest.raises(NamespaceRefusedError, match="no private network"),
        make_stage(None, tmp_path, *DROPPING).turned(make_arm(mtu=9000)),
    ):
        pass


def test_the_best_sink_there_is_stands_in_the_result(tmp_path: Path) -> None:
    rig = HostRig(
        FakeProbe(lambda _: [1000] * 10),
        cpu=1,
        stage=make_stage(FakeNamespace({}), tmp_path, "dummy"),
    )
    arms = [make_arm(), make_arm("send", family="tcp4"), make_arm(sink="veth")]
    design, _ = rig.prepare(make_design(scenario="bulk", arms=arms))
    assert ["ifb", "loopback", "veth"] == [arm.factors["sink"] for arm in design.arms]


def test_an_arm_without_a_sink_is_a_row_and_the_others_are_measured(tmp_path: Path) -> None:
    probe = FakeProbe(lambda _: [1000] * 10)
    rig = HostRig(probe, cpu=1, stage=make_stage(FakeNamespace({}), tmp_path, "dummy"))
    design = make_design(scenario="bulk", arms=[make_arm(sink="ifb"), make_arm(sink="dummy")])
    outcome = rig.run_round(design, [1, 2, 0], 0)
    assert [2, 0] == [segment.arm for segment in outcome.segments]
    assert [(1, "sink", "EOPNOTSUPP")] == [
        (refusal.arm, refusal.step, refusal.errno) for refusal in outcome.refusals
    ]


def test_arms_that_differ_by_a_setting_have_a_process_each(tmp_path: Path) -> None:
    probe = FakeProbe(lambda _: [1000] * 10)
    namespace = FakeNamespace({"net.ipv4.tcp_wmem": "1 2 3"})
    rig = HostRig(probe, cpu=1, stage=make_stage(namespace, tmp_path))
    arms = [make_arm(**{WMEM: "1"}), make_arm(**{WMEM: "2"})]
    rig.run_round(make_design(scenario="bulk", arms=arms), [1, 0, 2], 0)
    assert [["1"], ["0"], ["2"]] == [
        [words["id"] for words in read_plan(plan)] for plan in probe.plans
    ]
    assert ["2", "1 2 3", "1", "1 2 3", "1", "1 2 3"] == [
        request.value for request in namespace.asked if isinstance(request, SetSysctl)
    ]


def test_who_is_dropped_shares_no_process_with_who_is_read(tmp_path: Path) -> None:
    probe = FakeProbe(lambda _: [1000] * 10)
    rig = HostRig(probe, cpu=1, stage=make_stage(FakeNamespace({}), tmp_path))
    arms = [make_arm(sink="loopback"), make_arm(sink="loopback-drop")]
    rig.run_round(make_design(scenario="bulk", arms=arms), [1, 0], 0)
    (dropped,), (read,) = (read_plan(plan) for plan in probe.plans)
    assert ("127.0.0.1", "no") == (dropped["to"], dropped["receiver"])
    assert ("127.0.0.1", "yes") == (read["to"], read["receiver"])


def test_arms_that_share_a_setting_share_the_process(tmp_path: Path) -> None:
    probe = FakeProbe(lambda _: [1000] * 10)
    namespace = FakeNamespace({"net.ipv4.tcp_wmem": "1 2 3"})
    rig = HostRig(probe, cpu=1, stage=make_stage(namespace, tmp_path))
    arms = [make_arm("send", **{WMEM: "1"}), make_arm(**{WMEM: "1"})]
    rig.run_round(make_design(scenario="bulk", arms=arms), [1, 0, 2], 0)
    assert 1 == len(probe.plans)


def test_the_probe_is_told_where_to_send(tmp_path: Path) -> None:
    probe = FakeProbe(lambda _: [1000] * 10)
    rig = HostRig(probe, cpu=1, stage=make_stage(FakeNamespace({}), tmp_path))
    arms = [
        make_arm(sink="ifb", mtu=9000),
        make_arm(sink="ifb", family="udp6", mtu=9000),
        make_arm("send", sink="loopback", family="tcp4", mtu=9000),
    ]
    rig.run_round(make_design(scenario="bulk", arms=arms), [0, 1, 2, 3], 0)
    told = [(words["to"], words["receiver"]) for words in read_plan(probe.plans[0])]
    assert [
        ("198.18.2.2", "no"),
        ("2001:2:0:2::2", "no"),
        ("127.0.0.1", "yes"),
        ("198.18.2.2", "no"),
    ] == told
    assert "mtu" not in read_plan(probe.plans[0])[0]


def test_what_could_be_made_is_a_fact_and_what_could_not_says_why(tmp_path: Path) -> None:
    facts = with_stage(
        Environment(facts={}), make_stage(FakeNamespace({}), tmp_path, "dummy")
    ).facts
    assert "private" == facts["sink.network"].value
    assert "sink: Operation not supported" == facts["sink.dummy"].missing
    assert facts["sink.ifb"].value is True
    without = make_stage(None, tmp_path, *DROPPING)
    facts = with_stage(Environment(facts={}), without).facts
    assert "none of our own could be made" in str(facts["sink.network"].missing)
    nothing = Stage(None, {}, Journal(tmp_path), is_staged=False)
    assert {} == with_stage(Environment(facts={}), nothing).facts
