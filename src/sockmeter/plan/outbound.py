# SPDX-License-Identifier: MIT
"""What bulk and zerocopy ask of their arms: defaults, and combinations that cannot be."""

from collections.abc import Mapping, Sequence

import msgspec

from sockmeter.model.arms import Arm
from sockmeter.model.errors import PlanError
from sockmeter.plan.calls import Call
from sockmeter.plan.factors import BUFFER_BYTES, LARGEST_BYTES, STREAMS, Value
from sockmeter.plan.sinks import AUTO, find_sink

SCENARIOS = ("bulk", "zerocopy")

COLD_BUFFERS = 256
FEWEST_MOST_SEGMENTS = 64  # that every kernel with UDP_SEGMENT takes (UDP_MAX_SEGMENTS up to 6.8)

# Sizes over which a crossing is looked for.
CROSSOVER_SEGMENTS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 44]
CROSSOVER_STREAM_BYTES = [2**exponent for exponent in range(11, 21)]
CROSSOVER_DATAGRAM_BYTES = [1024, 2048, 4096, 8192, 12_288, 16_384, 24_576, 32_768, 49_152, 65_000]
LOOPBACK_MTU = 65_535  # the largest that every sink takes

COPY = "no"
COMPLETION = "cqe"  # the way of calls that go through a ring, and theirs alone
UNLIMITED = frozenset({COPY, "none"})  # ways that never look at notifications


def with_defaults(
    scenario: str, choices: Mapping[str, Sequence[Value]]
) -> Mapping[str, Sequence[Value]]:
    """Return the choices with what these scenarios default; zerocopy's baseline always copies."""
    if scenario == "bulk":
        return {"buffers": [1], "zerocopy": [COPY], **choices}
    if scenario != "zerocopy":
        return choices
    ways = list(choices.get("zerocopy", [COPY, "poll", COMPLETION]))
    if COPY not in ways:
        ways.insert(0, COPY)
    return {"buffers": [COLD_BUFFERS], **choices, "zerocopy": ways}


def ways_of(call: Call, ways: Sequence[Value]) -> list[Value]:
    """Return the ways of learning that a send is done which the call can go; PlanError for none."""
    possible = [way for way in ways if way == COPY or _can_go(call, way)]
    if not possible:
        raise PlanError(
            f"--zerocopy {ways[0]} is no way of {call.name}",
            mend=f"take --zerocopy {_way_of(call)}",
        )
    return possible


def _can_go(call: Call, way: Value) -> bool:
    """Say whether a call's notifications can be read so: no zerocopy operation takes a bundle."""
    return not call.is_bundle and (way == COMPLETION) == call.is_ring


def _way_of(call: Call) -> str:
    if call.is_bundle:
        return COPY
    return COMPLETION if call.is_ring else "poll"


def copying(factors: Mapping[str, Value]) -> dict[str, Value]:
    """Return the factors of the copying send that is the same in all else.

    It has no `limit`: there is nothing that it looks for.
    """
    return {**{name: value for name, value in factors.items() if name != "limit"}, "zerocopy": COPY}


def copy_of(arms: Sequence[Arm], index: int) -> int | None:
    """Return the arm that copies the message that an arm sends without copying.

    None for an arm that copies itself, and where its copy is not among the arms.
    """
    arm = arms[index]
    if arm.factors.get("zerocopy", COPY) == COPY:
        return None
    wanted = copying(arm.factors)
    for place, other in enumerate(arms):
        if other.call == arm.call and other.factors == wanted:
            return place
    return None


def complete(factors: dict[str, Value]) -> dict[str, Value]:
    """Return the factors with `segments` as a number; what is not of these scenarios as it is."""
    size_bytes, family = factors.get("size"), str(factors.get("family"))
    if factors.get("segments") == AUTO and isinstance(size_bytes, int):
        fitting = LARGEST_BYTES.get(family, size_bytes) // size_bytes
        factors["segments"] = max(1, min(fitting, FEWEST_MOST_SEGMENTS))
    return factors


def crossover_words(words: Mapping[str, object]) -> dict[str, object]:
    """Return the words of a plan with message sizes over which to look for a crossing.

    UDP without segmentation gets an MTU that carries each size whole. PlanError where the plan
    says sizes of its own, or has calls of both kinds.
    """
    if words.get("scenario") != "zerocopy":
        raise PlanError("--crossover: only scenario zerocopy has one")
    if {"size", "segments"} & words.keys():
        raise PlanError("--crossover chooses the sizes", mend="leave out --size and --segments")
    cut = [call.endswith("-gso") for call in _listed(words.get("call", ""))]
    if any(cut) and not all(cut):
        raise PlanError("--crossover: calls with and without segments have no sizes in common")
    if all(cut):
        return {**words, "segments": CROSSOVER_SEGMENTS}
    is_stream = [family in STREAMS for family in _listed(words.get("family", "udp4"))]
    if any(is_stream) and not all(is_stream):
        raise PlanError("--crossover: streams and datagrams have no sizes in common")
    if all(is_stream):
        return {**words, "size": CROSSOVER_STREAM_BYTES}
    return {"mtu": LOOPBACK_MTU, **words, "size": CROSSOVER_DATAGRAM_BYTES}


def _listed(value: object) -> list[str]:
    """Return the words of a plan's value: a list, or a text with commas."""
    texts = value if isinstance(value, list) else str(value).split(",")
    return [str(text).strip() for text in texts]


def sink_of(arm: Arm, best: str) -> str:
    """Return the sink of an arm; `best` is that of datagrams which leave the choice to us."""
    sink = str(arm.factors.get("sink", AUTO))
    if sink != AUTO:
        return sink
    needs_reader = arm.factors.get("family") in STREAMS or arm.factors.get("gro") is True
    return "loopback" if needs_reader else best


def with_sink(arm: Arm, best: str) -> Arm:
    """Return the arm with its sink by name: what was best is part of the result."""
    if "sink" not in arm.factors:
        return arm
    return msgspec.structs.replace(arm, factors={**arm.factors, "sink": sink_of(arm, best)})


def refuse_impossible(arm: Arm) -> None:
    """Raise PlanError for a combination that no kernel takes."""
    if arm.call == "null":
        return
    family = str(arm.factors["family"])
    if family.startswith("unix"):
        raise PlanError(
            f"{arm.scenario} sends over a network, and {family} is none",
            mend="take --family udp4, udp6, tcp4 or tcp6",
        )
    if family in STREAMS and "segments" in arm.factors:
        raise PlanError(
            f"{arm.call} over {family}: UDP_SEGMENT is UDP's alone",
            mend="take --call send, sendmsg or sendmmsg, or --family udp4",
        )
    sink = sink_of(arm, best="")
    is_read = sink != "" and find_sink(sink).is_received
    if family in STREAMS and not is_read:
        raise PlanError(
            f"--sink {sink}: a {family} sender needs somebody who answers",
            mend="take --sink loopback",
        )
    if arm.factors.get("gro") is True and (not is_read or family in STREAMS):
        raise PlanError(
            f"--gro yes: no UDP reader at {sink or 'auto'}", mend="take --sink loopback, UDP"
        )
    _refuse_unlooked(arm)
    _refuse_too_much(arm, family)


def _refuse_unlooked(arm: Arm) -> None:
    limit, batch = arm.factors.get("limit"), int(arm.factors.get("batch", 1))
    if limit is not None and int(limit) < batch:
        raise PlanError(
            f"--limit {limit}: a call of {batch} sends makes more than that between two looks",
            mend=f"take --limit {batch} or more, or a smaller --batch",
        )
    cork = int(arm.factors.get("cork", 1))
    if limit is not None and int(limit) < cork:
        raise PlanError(
            f"--limit {limit}: a message of {cork} sends is notified of when it has left, whole",
            mend=f"take --limit {cork} or more, or a smaller --cork",
        )


def _refuse_too_much(arm: Arm, family: str) -> None:
    size_bytes = int(arm.factors["size"])
    message_bytes = size_bytes * int(arm.factors.get("segments", 1))
    if message_bytes > BUFFER_BYTES:
        raise PlanError(
            f"--size {size_bytes} and so many --segments: a message of {message_bytes:,} bytes",
            mend=f"a call hands over at most {BUFFER_BYTES:,}",
        )
    corked_bytes = size_bytes * int(arm.factors.get("cork", 1))
    if corked_bytes > LARGEST_BYTES.get(family, corked_bytes):
        raise PlanError(
            f"--cork {arm.factors['cork']}: a datagram of {corked_bytes:,} bytes",
            mend=f"{family} holds at most {LARGEST_BYTES[family]:,}",
        )
