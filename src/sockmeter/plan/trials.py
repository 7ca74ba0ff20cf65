# SPDX-License-Identifier: MIT
"""The arms that show whether a call, or a value of a factor, can be had on a machine at all."""

from collections.abc import Mapping, Sequence

from sockmeter.model.arms import Arm
from sockmeter.plan import outbound
from sockmeter.plan.arms import expand_arms
from sockmeter.plan.calls import Call
from sockmeter.plan.factors import FAMILIES, NOTIFY_WORDS, OFFLOAD, RINGS, Value
from sockmeter.plan.sinks import SINKS

CHECKSUM = "tx-checksum-ip-generic"

# Some ten milliseconds of the clock in place of seconds.
SHORTEST_PACED: Mapping[str, Value] = {
    "channels": 1,
    "interval": "1ms",
    "tick": "1ms",
    "busy": 0,
    "duration": "10ms",
}


def call_arm(call: Call) -> Arm:
    """Return an arm of the call, the zerocopy one where it has one."""
    factors: Mapping[str, Value] = SHORTEST_PACED if call.takes("duration") else {}
    if call.is_bundle:
        factors = {"family": "tcp4", "batch": 2}
    return trial_arm(call.scenario, call.name, factors)


def value_arms(calls: Sequence[Call]) -> dict[tuple[str, str], Arm]:
    """Return an arm for each value of the calls' factors that not every kernel and user has.

    By factor and value. Those that turn something on the machine are in `turning_arms`.
    """
    arms = {
        **{("family", each): trial_arm("recv", "recv", {"family": each}) for each in FAMILIES},
        **{("ring", kind): trial_arm("recv", "uring-recv", {"ring": kind}) for kind in RINGS},
        ("registered", "files"): trial_arm("recv", "uring-recv", {"registered": "files"}),
        ("registered", "buffers"): trial_arm("send", "uring-send-zc", {"registered": "buffers"}),
        ("gro", "yes"): trial_arm("bulk", "send", {"gro": True}),
        ("segments", "2"): trial_arm("bulk", "send-gso", {"segments": 2}),
        **{("zerocopy", way): _way_arm(way) for way in NOTIFY_WORDS if way != outbound.COPY},
    }
    return {key: arm for key, arm in arms.items() if _is_taken(key[0], calls)}


def turning_arms(calls: Sequence[Call]) -> dict[tuple[str, str], Arm]:
    """Return the same of those that change a network of our own: no two share a process."""
    if not _is_taken("sink", calls):
        return {}
    return {
        **{("sink", each.name): trial_arm("bulk", "send", {"sink": each.name}) for each in SINKS},
        ("mtu", "1500"): trial_arm("bulk", "send", {"mtu": 1500}),
        ("offload", CHECKSUM): trial_arm("bulk", "send", {f"{OFFLOAD}{CHECKSUM}": "on"}),
    }


def trial_arm(scenario: str, call: str, factors: Mapping[str, Value]) -> Arm:
    """Return the last arm of these factors: of zerocopy's, the first one copies."""
    return expand_arms(scenario, [call], {name: [each] for name, each in factors.items()})[-1]


def _is_taken(factor: str, calls: Sequence[Call]) -> bool:
    return any(call.takes(factor) for call in calls)


def _way_arm(way: str) -> Arm:
    call = "uring-send" if way == outbound.COMPLETION else "send"
    return trial_arm("zerocopy", call, {"zerocopy": way})
