# SPDX-License-Identifier: MIT
"""The product of the factors: every comma makes an arm, the first arm is the baseline."""

from collections.abc import Mapping, Sequence
from itertools import product

from sockmeter.model.arms import Arm
from sockmeter.model.errors import PlanError
from sockmeter.plan import outbound
from sockmeter.plan.calls import NAME_AN_ADDRESS, NEEDS_CONNECTION, Call, find_call
from sockmeter.plan.factors import (
    BUFFER_BYTES,
    DEFAULT_BATCH,
    DEFAULT_BYTES,
    FACTOR_NAMES,
    FULL_BYTES,
    LARGEST_BUNDLE,
    LARGEST_BYTES,
    OFFLOAD,
    STREAMS,
    Value,
    find_factor,
    is_machine_factor,
)

# A round is one process that runs all of them; more would outlast the pairing that cancels drift.
MOST_ARMS = 64
# Whose payload may be registered with the ring: of bulk and zerocopy, that of their zerocopy form.
BUFFER_TAKERS = dict.fromkeys(outbound.SCENARIOS, ("uring-send", "uring-send-gso"))
STAMP_BYTES = 16  # what a paced message begins with: when it was due, and whose it is


def expand_arms(
    scenario: str, calls: Sequence[str], choices: Mapping[str, Sequence[Value]]
) -> list[Arm]:
    """Return one arm for every call and every combination of the factors that apply to it.

    `choices` holds the values asked for by factor name, in order; a factor that is absent takes
    its default. A value given twice makes two arms, which is how one asks for an A/A run.
    Raises PlanError for an unknown name and for a combination that cannot be.
    """
    if not calls:
        raise PlanError("no call given", mend=f"see: sockmeter list {scenario}")
    for name in choices:
        find_factor(name)
        if name.startswith(OFFLOAD) and scenario not in outbound.SCENARIOS:
            raise PlanError(
                f"--offload: scenario {scenario} has no device of its own",
                mend=f"it is a factor of {' and '.join(outbound.SCENARIOS)}",
            )
    known = outbound.with_defaults(scenario, choices)
    arms = [
        arm for name in calls for arm in _arms_of_call(scenario, find_call(scenario, name), known)
    ]
    for name in choices:
        if not any(name in arm.factors for arm in arms):
            raise PlanError(f"--{name} means nothing to {', '.join(dict.fromkeys(calls))}")
    for way in choices.get("zerocopy", []):
        if not any(arm.factors.get("zerocopy") == way for arm in arms):
            raise PlanError(
                f"--zerocopy {way} is no way of {', '.join(dict.fromkeys(calls))}",
                mend="cqe is that of uring-* calls, the others are those of the socket's calls",
            )
    if len(arms) > MOST_ARMS:
        raise PlanError(
            f"{len(arms)} arms: more than the {MOST_ARMS} that one round can hold",
            mend="split the plan into several runs",
        )
    return arms


def machine_settings(arm: Arm) -> dict[str, Value]:
    """Return the arm's factors that turn something on the machine, by name."""
    return {
        name: value
        for name, value in arm.factors.items()
        if name == "mtu" or is_machine_factor(name)
    }


def _arms_of_call(scenario: str, call: Call, choices: Mapping[str, Sequence[Value]]) -> list[Arm]:
    """Return the arms of one call.

    Which factors apply, and their defaults, hang on the family and on zerocopy: those come first.
    """
    firsts = [
        {name: value for name, value in (("family", family), ("zerocopy", way)) if value != ""}
        for family in _firsts(call, "family", choices)
        for way in _firsts(call, "zerocopy", choices)
    ]
    arms = []
    for first in firsts:
        names = [name for name in _names(choices) if _applies(name, call, first, choices)]
        columns = [
            [first[name]] if name in first else _values(name, call, first, choices)
            for name in names
        ]
        for values in product(*columns):
            arm = Arm(
                scenario=scenario,
                call=call.name,
                factors=outbound.complete(dict(zip(names, values, strict=True))),
            )
            _refuse_impossible(arm)
            arms.append(arm)
    return arms


def _firsts(call: Call, factor: str, choices: Mapping[str, Sequence[Value]]) -> Sequence[Value]:
    if not call.takes(factor):
        return [""]
    row = find_factor(factor)
    values = choices[factor] if factor in choices else [row.parse(row.default)]
    return outbound.ways_of(call, values) if factor == "zerocopy" else values


def _names(choices: Mapping[str, Sequence[Value]]) -> list[str]:
    return [*FACTOR_NAMES, *(name for name in choices if is_machine_factor(name))]


def _applies(
    factor: str,
    call: Call,
    first: Mapping[str, Value],
    choices: Mapping[str, Sequence[Value]],
) -> bool:
    if factor == "connected" and first.get("family") in STREAMS:
        return False
    if factor == "mtu" and factor not in choices:
        return False  # the device's own
    if factor == "limit" and first.get("zerocopy") in outbound.UNLIMITED:
        return False
    return call.takes(factor)


def _values(
    factor: str, call: Call, first: Mapping[str, Value], choices: Mapping[str, Sequence[Value]]
) -> Sequence[Value]:
    if factor in choices:
        return choices[factor]
    family = str(first.get("family", ""))
    if factor == "connected":
        is_sendto = (call.scenario, call.name) == ("send", "sendto")
        return [call.scenario not in ("recv", "channels") and not is_sendto]
    if factor == "batch":
        return [_batch(call, family)]
    if factor == "size":
        full = FULL_BYTES if call.scenario in outbound.SCENARIOS else {}
        return [full.get(family, DEFAULT_BYTES)]
    row = find_factor(factor)
    return [row.parse(row.default)]


def _batch(call: Call, family: str) -> int:
    if call.is_ring and not call.is_many_by_nature:
        return 1
    if family in STREAMS:
        raise PlanError(
            f"{call.name} over {family} without a batch: a stream has no messages to count",
            mend="say how many buffers of --size a call is given, e.g. --batch 8",
        )
    return DEFAULT_BATCH


def _refuse_impossible(arm: Arm) -> None:
    family = str(arm.factors.get("family", ""))
    if find_call(arm.scenario, arm.call).is_bundle:
        _refuse_impossible_bundle(arm, family)
    if arm.scenario == "rr":
        _refuse_impossible_conversation(arm)
    if arm.scenario == "channels":
        _refuse_impossible_channels(arm, family)
    size_bytes = arm.factors.get("size")
    largest = LARGEST_BYTES.get(family)
    if largest is not None and isinstance(size_bytes, int) and size_bytes > largest:
        raise PlanError(
            f"--size {size_bytes}: a {family} message holds at most {largest} bytes",
            mend=f"take --size {largest} or less, or a stream family",
        )
    takers = BUFFER_TAKERS.get(arm.scenario, ("uring-send-zc",))
    if arm.factors.get("registered") == "buffers" and arm.call not in takers:
        raise PlanError(
            f"--registered buffers: {arm.call} takes no registered buffer",
            mend=f"take --registered files, or the call {' or '.join(takers)} alone",
        )
    if (arm.scenario, arm.call) in NEEDS_CONNECTION and arm.factors.get("connected") is False:
        raise PlanError(
            f"{arm.call} needs a connected socket",
            mend=f"take --connected yes, or the call {NAME_AN_ADDRESS[arm.scenario]}",
        )
    if arm.scenario in outbound.SCENARIOS:
        outbound.refuse_impossible(arm)


def _refuse_impossible_conversation(arm: Arm) -> None:
    if "ring" not in arm.factors:
        return
    for name, value, mend in (
        ("ring", "sqpoll", "take --ring plain, single-issuer or defer-taskrun"),
        ("wait", "spin", "take --wait block"),
    ):
        if arm.factors.get(name) == value:
            raise PlanError(
                f"--{name} {value}: ends that talk through rings wait in io_uring_enter", mend=mend
            )


def _refuse_impossible_bundle(arm: Arm, family: str) -> None:
    if family not in STREAMS:
        raise PlanError(
            f"{arm.call} over {family}: a bundle parts a stream into buffers",
            mend=f"take --family {' or '.join(sorted(STREAMS))}",
        )
    if arm.call == "uring-recv-bundle" and int(arm.factors["size"]) == 1:
        raise PlanError(
            "--size 1: a bundle leaves the last byte of what was queued",
            mend="take --size 2 or more",
        )
    if int(arm.factors["batch"]) > LARGEST_BUNDLE:
        raise PlanError(
            f"--batch {arm.factors['batch']}: a bundle has at most {LARGEST_BUNDLE} buffers",
            mend=f"take --batch {LARGEST_BUNDLE} or less",
        )


def _refuse_impossible_channels(arm: Arm, family: str) -> None:
    if family not in ("udp4", "udp6"):
        raise PlanError(f"channels over {family}: its messages are datagrams of UDP")
    if int(arm.factors["size"]) < STAMP_BYTES:
        raise PlanError(
            f"--size {arm.factors['size']}: a message of channels begins with a stamp",
            mend=f"take --size {STAMP_BYTES} or more",
        )
    asked_bytes = int(arm.factors["size"]) * int(arm.factors.get("batch", 1))
    if asked_bytes > BUFFER_BYTES:
        raise PlanError(
            f"--size {arm.factors['size']} times --batch: {asked_bytes:,} bytes",
            mend=f"a call takes at most {BUFFER_BYTES:,}",
        )
    if arm.factors.get("control") == "timestamp":
        raise PlanError("channels asks for no timestamps", mend="take --control none or buffer")
