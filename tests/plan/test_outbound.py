# SPDX-License-Identifier: MIT
"""Arms of bulk and zerocopy, and factors on the machine."""

from collections.abc import Mapping, Sequence

import pytest

from sockmeter.cli.requests import spell_command
from sockmeter.model.arms import Arm
from sockmeter.model.errors import PlanError
from sockmeter.plan.arms import expand_arms, machine_settings
from sockmeter.plan.factors import Value
from sockmeter.plan.outbound import copy_of, crossover_words, sink_of
from sockmeter.plan.planfile import parse_plan, read_request


def make_arms(*calls: str, scenario: str = "bulk", **choices: Sequence[Value]) -> list[Arm]:
    return expand_arms(scenario, calls, choices)


def test_a_gso_message_has_as_many_segments_as_fit() -> None:
    """65,507 bytes hold 44 frames of 1,472; and never more than 64, which every kernel takes."""
    (arm,) = make_arms("send-gso")
    assert (1472, 44) == (arm.factors["size"], arm.factors["segments"])
    (arm,) = make_arms("send-gso", size=[100])
    assert 64 == arm.factors["segments"]
    (arm,) = make_arms("send-gso", family=["udp6"])
    assert (1452, 45) == (arm.factors["size"], arm.factors["segments"])


def test_zerocopy_stands_beside_the_copying_send() -> None:
    """Whatever ways were asked for, the first arm copies; and its buffers are cold."""
    ways = [arm.factors["zerocopy"] for arm in make_arms("send", scenario="zerocopy")]
    assert ["no", "poll"] == ways
    arms = make_arms("send", scenario="zerocopy", zerocopy=["none", "recvmsg"])
    assert ["no", "none", "recvmsg"] == [arm.factors["zerocopy"] for arm in arms]
    assert {256} == {arm.factors["buffers"] for arm in arms}
    assert ["no"] == [arm.factors["zerocopy"] for arm in make_arms("send")]


def test_a_call_through_a_ring_has_a_way_of_its_own() -> None:
    """Its notifications are completions; a socket's are not, and each call goes only its ways."""
    arms = make_arms("send", "uring-send", scenario="zerocopy")
    assert [("send", "no"), ("send", "poll"), ("uring-send", "no"), ("uring-send", "cqe")] == [
        (arm.call, arm.factors["zerocopy"]) for arm in arms
    ]
    arms = make_arms("uring-send", "sendmsg", zerocopy=["recvmsg", "cqe"])
    assert [("uring-send", "cqe"), ("sendmsg", "recvmsg")] == [
        (arm.call, arm.factors["zerocopy"]) for arm in arms
    ]


@pytest.mark.parametrize(
    ("scenario", "calls", "way"),
    [
        ("bulk", ["uring-send"], "poll"),
        ("bulk", ["send", "uring-send"], "cqe"),
        ("zerocopy", ["send"], "cqe"),
        ("zerocopy", ["uring-sendmsg"], "none"),
    ],
)
def test_a_way_that_no_call_can_go_is_said(scenario: str, calls: list[str], way: str) -> None:
    with pytest.raises(PlanError, match=f"--zerocopy {way} is no way of"):
        make_arms(*calls, scenario=scenario, zerocopy=[way])


def test_no_zerocopy_operation_takes_a_bundle() -> None:
    """In zerocopy it is one more copying send; asked for by name it is refused."""
    choices: dict[str, Sequence[Value]] = {"family": ["tcp4"], "batch": [16]}
    arms = expand_arms("zerocopy", ["uring-send-bundle"], choices)
    assert ["no"] == [arm.factors["zerocopy"] for arm in arms]
    with pytest.raises(PlanError, match="--zerocopy cqe is no way of uring-send-bundle"):
        expand_arms("bulk", ["uring-send-bundle"], {**choices, "zerocopy": ["cqe"]})


def test_the_payload_of_sends_in_a_ring_may_be_registered_and_their_baseline_keeps_it() -> None:
    arms = make_arms("uring-send", scenario="zerocopy", registered=["buffers"])
    assert ["buffers", "buffers"] == [arm.factors["registered"] for arm in arms]
    with pytest.raises(PlanError, match="uring-send or uring-send-gso alone"):
        make_arms("uring-sendmsg", registered=["buffers"])


def test_a_limit_multiplies_only_the_arms_that_look_at_notifications() -> None:
    arms = make_arms("send", scenario="zerocopy", zerocopy=["no", "poll", "none"], limit=[1, 32])
    assert [("no", None), ("poll", 1), ("poll", 32), ("none", None)] == [
        (arm.factors["zerocopy"], arm.factors.get("limit")) for arm in arms
    ]


def test_a_stream_goes_to_somebody_who_reads() -> None:
    (arm,) = make_arms("send", family=["tcp4"])
    assert "loopback" == sink_of(arm, best="dummy")
    (arm,) = make_arms("send")
    assert "dummy" == sink_of(arm, best="dummy")
    (arm,) = make_arms("send", gro=[True])
    assert "loopback" == sink_of(arm, best="dummy")
    (arm,) = make_arms("send", sink=["veth"])
    assert "veth" == sink_of(arm, best="dummy")


@pytest.mark.parametrize(
    ("call", "choices", "words"),
    [
        ("send", {"family": ["unix-dgram"]}, "unix-dgram is none"),
        ("send-gso", {"family": ["tcp4"]}, "UDP_SEGMENT is UDP's alone"),
        ("send", {"family": ["tcp4"], "sink": ["ifb"]}, "needs somebody who answers"),
        ("send", {"gro": [True], "sink": ["ifb"]}, "no UDP reader"),
        ("send", {"gro": [True], "family": ["tcp4"]}, "no UDP reader"),
        ("send-gso", {"size": [1472], "segments": [1000]}, "a message of 1,472,000 bytes"),
        ("send", {"size": [10_000], "cork": [8]}, "a datagram of 80,000 bytes"),
        ("send", {"size": [65_508]}, "at most 65507 bytes"),
        ("sendmmsg", {"zerocopy": ["poll"], "limit": [1]}, "a call of 32 sends makes more"),
        ("send", {"zerocopy": ["poll"], "cork": [33]}, "a message of 33 sends"),
        ("uring-send-gso", {"family": ["tcp4"]}, "UDP_SEGMENT is UDP's alone"),
        ("sendto", {}, "not a call of scenario bulk"),
    ],
)
def test_what_no_kernel_takes_is_said(
    call: str, choices: Mapping[str, Sequence[Value]], words: str
) -> None:
    with pytest.raises(PlanError, match=words):
        expand_arms("bulk", [call], choices)


def test_a_sysctl_is_a_factor_of_every_call() -> None:
    name = "sysctl.net.core.high_order_alloc_disable"
    for scenario, call in (("recv", "recv"), ("bulk", "send-gso"), ("bulk", "null")):
        arms = expand_arms(scenario, [call], {name: ["0", "1"]})
        assert [{name: "0"}, {name: "1"}] == [machine_settings(arm) for arm in arms]


def test_an_offload_needs_a_device_of_our_own() -> None:
    with pytest.raises(PlanError, match="no device of its own"):
        expand_arms("recv", ["recv"], {"offload.rx-gro": ["on"]})


@pytest.mark.parametrize(
    "name",
    ["sysctl.", "sysctl.net", "sysctl.../etc/passwd", "sysctl.net..x", "offload.a b", "offload."],
)
def test_what_is_no_name_is_said(name: str) -> None:
    with pytest.raises(PlanError, match="not the name of one"):
        expand_arms("bulk", ["send"], {name: ["1"]})


def test_a_command_line_and_a_plan_file_say_the_same() -> None:
    words = {
        "scenario": "bulk",
        "call": "send",
        "sysctl": ["net.core.optmem_max=20480,131072", "net.ipv4.tcp_wmem=4096 16384 4194304"],
        "offload": ["tx-udp-segmentation=on,off"],
        "mtu": "1500,9000",
    }
    plan = """
        scenario = "bulk"
        call = "send"
        mtu = [1500, 9000]
        sysctl.net.core.optmem_max = [20480, 131072]
        sysctl."net.ipv4.tcp_wmem" = "4096 16384 4194304"
        offload = { tx-udp-segmentation = ["on", "off"] }
    """
    request = read_request(words, "the command line")
    assert request == read_request(parse_plan(plan, "plan.toml"), "plan.toml")
    assert (
        "sockmeter run bulk --call send --mtu 1500,9000 "
        "--sysctl net.core.optmem_max=20480,131072 "
        "--sysctl 'net.ipv4.tcp_wmem=4096 16384 4194304' "
        "--offload tx-udp-segmentation=on,off"
    ) == spell_command(request)


@pytest.mark.parametrize("value", ["net.core.optmem_max", 7, [3]])
def test_what_is_no_setting_is_said(value: object) -> None:
    with pytest.raises(PlanError, match="no NAME=VALUE"):
        read_request({"scenario": "bulk", "call": "send", "sysctl": value}, "here")


def test_a_setting_given_twice_is_said() -> None:
    words = {"scenario": "bulk", "call": "send", "sysctl": ["net.a.b=1", "net.a.b=2"]}
    with pytest.raises(PlanError, match="given twice"):
        read_request(words, "here")


def test_a_crossover_chooses_sizes_for_the_kind_of_call() -> None:
    gso = crossover_words({"scenario": "zerocopy", "call": "send-gso"})
    assert 1 in gso["segments"]  # type: ignore[operator]
    stream = crossover_words({"scenario": "zerocopy", "call": "send", "family": "tcp4"})
    assert 1_048_576 in stream["size"]  # type: ignore[operator]
    datagram = crossover_words({"scenario": "zerocopy", "call": "send"})
    assert 65_535 == datagram["mtu"]
    assert all(size <= 65_507 for size in datagram["size"])  # type: ignore[attr-defined]
    for words in (gso, stream, datagram):
        assert read_request(words, "here").factors


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"scenario": "bulk", "call": "send"}, "only scenario zerocopy"),
        ({"scenario": "zerocopy", "call": "send", "size": "64"}, "chooses the sizes"),
        ({"scenario": "zerocopy", "call": "send,send-gso"}, "no sizes in common"),
        ({"scenario": "zerocopy", "call": "send", "family": "udp4,tcp4"}, "no sizes in common"),
    ],
)
def test_a_crossover_that_has_no_sizes_is_said(words: dict[str, object], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        crossover_words(words)


def test_a_zerocopy_arm_has_the_copy_that_agrees_in_all_else() -> None:
    """By call and size; a limit is nothing that a copy has, and a copy has no copy itself."""
    arms = make_arms("send", "uring-send", scenario="zerocopy", size=[64, 1472], limit=[1, 32])
    found = [(arm, copy_of(arms, index)) for index, arm in enumerate(arms)]
    told = [(arm.call, arm.factors["size"], arms[copy]) for arm, copy in found if copy is not None]
    assert [arm for arm, copy in found if copy is None] == [
        arm for arm in arms if arm.factors["zerocopy"] == "no"
    ]
    assert 8 == len(told)
    assert [(call, size) for call, size, _ in told] == [
        (copy.call, copy.factors["size"]) for _, _, copy in told
    ]


def test_without_its_copy_among_them_an_arm_has_none() -> None:
    assert None is copy_of(make_arms("send", zerocopy=["poll"], size=[64]), 0)
