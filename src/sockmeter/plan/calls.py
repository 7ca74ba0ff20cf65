# SPDX-License-Identifier: MIT
"""The calls that a scenario can measure, and the factors that mean something to each."""

import msgspec

from sockmeter.model.errors import PlanError
from sockmeter.plan.factors import is_machine_factor

# Factors of a call that goes through an io_uring.
RING = ("batch", "ring", "registered")
# Factors of a scenario whose two ends both run while it is measured.
CONVERSATION = ("wait", "peer", "peer-cpu")
# Factors of a scenario whose traffic goes by the clock.
PACED_TRAFFIC = ("channels", "interval", "tick", "busy", "duration", "peer-cpu")
PACED = (*PACED_TRAFFIC, "find")
PLACE = ("cpu", "priority", "work")
UNIVERSAL = ("family", "size", "connected", *PLACE)
OUTBOUND = ("family", "size", *PLACE, "sink", "mtu", "gro", "buffers", "zerocopy", "limit")

# The factors of every call of a scenario but the empty bracket; other scenarios have UNIVERSAL.
SCENARIO_FACTORS = {"bulk": OUTBOUND, "zerocopy": OUTBOUND}


class Call(msgspec.Struct, frozen=True):
    """One row of the table: a call and what may vary around it."""

    name: str
    scenario: str
    factors: tuple[str, ...]  # names of plan.factors that apply, besides those of the scenario
    summary: str

    @property
    def is_ring(self) -> bool:
        """Whether it goes through an io_uring."""
        return "ring" in self.factors

    @property
    def is_bundle(self) -> bool:
        """Whether one operation moves a batch of provided buffers of a stream."""
        return self.name.endswith("-bundle")

    @property
    def is_multishot(self) -> bool:
        """Whether one operation completes as often as messages come."""
        return self.name.endswith("-multishot")

    @property
    def is_many_by_nature(self) -> bool:
        """Whether one operation moves a batch: with a batch of one it shows nothing."""
        return self.is_bundle or self.is_multishot

    def takes(self, factor: str) -> bool:
        """Say whether the factor means something to this call."""
        if is_machine_factor(factor):
            return True
        if self.name == "null":
            return factor in PLACE
        return factor in (*SCENARIO_FACTORS.get(self.scenario, UNIVERSAL), *self.factors)


CALLS = (
    Call("recv", "recv", (), "recv(2): no address, no control data"),
    Call("recvfrom", "recv", ("name",), "recvfrom(2)"),
    Call("recvmsg", "recv", ("name", "control"), "recvmsg(2) with one buffer"),
    Call("recvmmsg", "recv", ("batch", "name", "control"), "recvmmsg(2), batch messages a call"),
    Call("read", "recv", (), "read(2)"),
    Call("readv", "recv", (), "readv(2) with one buffer"),
    Call("null", "recv", (), "the empty bracket, through the same path"),
    Call("uring-recv", "recv", RING, "batch IORING_OP_RECV, submitted and completed in one call"),
    Call("uring-recvmsg", "recv", ("name", "control", *RING), "batch IORING_OP_RECVMSG"),
    Call(
        "uring-recv-multishot",
        "recv",
        RING,
        "batch completions of a multishot IORING_OP_RECV into provided buffers",
    ),
    Call(
        "uring-recvmsg-multishot",
        "recv",
        ("name", "control", *RING),
        "batch completions of a multishot IORING_OP_RECVMSG into provided buffers",
    ),
    Call(
        "uring-recv-bundle",
        "recv",
        RING,
        "one IORING_OP_RECV of a stream into a bundle of batch provided buffers",
    ),
    Call("send", "send", (), "send(2) on a connected socket"),
    Call("sendto", "send", (), "sendto(2)"),
    Call("sendmsg", "send", (), "sendmsg(2) with one buffer"),
    Call("sendmmsg", "send", ("batch",), "sendmmsg(2), batch messages a call"),
    Call("write", "send", (), "write(2) on a connected socket"),
    Call("writev", "send", (), "writev(2) on a connected socket, one buffer"),
    Call("null", "send", (), "the empty bracket, through the same path"),
    Call("uring-send", "send", RING, "batch IORING_OP_SEND on a connected socket"),
    Call("uring-sendmsg", "send", RING, "batch IORING_OP_SENDMSG"),
    Call(
        "uring-send-bundle",
        "send",
        RING,
        "one IORING_OP_SEND of a bundle of batch provided buffers to a stream",
    ),
    Call("uring-send-zc", "send", RING, "batch IORING_OP_SEND_ZC, its notifications as they come"),
    Call("uring-sendmsg-zc", "send", RING, "batch IORING_OP_SENDMSG_ZC, the same"),
    Call("recv", "rr", CONVERSATION, "send(2), then recv(2)"),
    Call("recvfrom", "rr", ("name", *CONVERSATION), "sendto(2), then recvfrom(2)"),
    Call("recvmsg", "rr", ("name", *CONVERSATION), "sendmsg(2), then recvmsg(2)"),
    Call("read", "rr", CONVERSATION, "write(2), then read(2)"),
    Call("readv", "rr", CONVERSATION, "writev(2), then readv(2), one buffer"),
    Call(
        "uring-recv",
        "rr",
        ("ring", "registered", *CONVERSATION),
        "IORING_OP_SEND and IORING_OP_RECV in one io_uring_enter, at both ends",
    ),
    Call(
        "uring-recvmsg",
        "rr",
        ("name", "ring", "registered", *CONVERSATION),
        "IORING_OP_SENDMSG and IORING_OP_RECVMSG in one io_uring_enter, at both ends",
    ),
    Call("null", "rr", (), "the empty brackets, through the same path, without a peer"),
    Call("recv", "channels", PACED, "recv(2)"),
    Call("recvfrom", "channels", ("name", *PACED), "recvfrom(2)"),
    Call("recvmsg", "channels", ("name", "control", *PACED), "recvmsg(2) with one buffer"),
    Call(
        "recvmmsg",
        "channels",
        ("batch", "name", "control", *PACED),
        "recvmmsg(2), up to batch messages of a socket",
    ),
    Call("read", "channels", PACED, "read(2)"),
    Call("readv", "channels", PACED, "readv(2) with one buffer"),
    Call(
        "uring-recv",
        "channels",
        (*RING, *PACED),
        "IORING_OP_RECV on each of up to batch sockets, in one call",
    ),
    Call(
        "uring-recvmsg",
        "channels",
        ("name", "control", *RING, *PACED),
        "IORING_OP_RECVMSG on each of up to batch sockets, in one call",
    ),
    Call(
        "uring-recv-multishot",
        "channels",
        ("ring", *PACED_TRAFFIC),
        "a multishot IORING_OP_RECV on every socket; a call takes what has come to all of them",
    ),
    *(
        Call(name, scenario, factors, summary)
        for scenario in ("bulk", "zerocopy")
        for name, factors, summary in (
            ("send", ("cork",), "send(2)"),
            ("sendmsg", ("cork",), "sendmsg(2) with one buffer"),
            ("sendmmsg", ("batch",), "sendmmsg(2), batch messages a call"),
            ("send-gso", ("segments",), "send(2), cut into segments by the socket's UDP_SEGMENT"),
            ("sendmsg-gso", ("segments",), "sendmsg(2) with UDP_SEGMENT as control message"),
            ("sendmmsg-gso", ("batch", "segments"), "sendmmsg(2), each message with UDP_SEGMENT"),
            ("uring-send", RING, "batch IORING_OP_SEND, or SEND_ZC"),
            ("uring-sendmsg", RING, "batch IORING_OP_SENDMSG, or SENDMSG_ZC"),
            ("uring-send-bundle", RING, "one IORING_OP_SEND of batch provided buffers to a stream"),
            (
                "uring-send-gso",
                ("segments", *RING),
                "uring-send, cut into segments by the socket's UDP_SEGMENT",
            ),
            (
                "uring-sendmsg-gso",
                ("segments", *RING),
                "uring-sendmsg with UDP_SEGMENT as control message",
            ),
            ("null", (), "the empty bracket, through the same path"),
        )
    ),
)

# The socket names no destination, or the other end cannot learn whom to answer.
NEEDS_CONNECTION = frozenset(
    {("send", "send"), ("send", "write"), ("send", "writev")}
    | {("send", "uring-send"), ("send", "uring-send-zc")}
    | {("rr", "recv"), ("rr", "read"), ("rr", "readv"), ("rr", "uring-recv")}
    | {("rr", "uring-recvmsg")}
)
NAME_AN_ADDRESS = {"send": "sendto or sendmsg", "rr": "recvfrom or recvmsg"}


def calls_of(scenario: str) -> tuple[Call, ...]:
    """Return the scenario's calls in table order; PlanError if there is no such scenario."""
    calls = tuple(call for call in CALLS if call.scenario == scenario)
    if not calls:
        known = ", ".join(dict.fromkeys(call.scenario for call in CALLS))
        raise PlanError(f"unknown scenario {scenario!r}", mend=f"take one of {known}")
    return calls


def find_call(scenario: str, name: str) -> Call:
    """Return one row of the table; PlanError names the calls that there are."""
    for call in calls_of(scenario):
        if call.name == name:
            return call
    elsewhere = [call.scenario for call in CALLS if call.name == name]
    if elsewhere:
        raise PlanError(
            f"{name} is not a call of scenario {scenario}",
            mend=f"measure it with: sockmeter run {elsewhere[0]} --call {name}",
        )
    known = ", ".join(call.name for call in calls_of(scenario))
    raise PlanError(f"unknown call {name!r} in scenario {scenario}", mend=f"take one of {known}")
