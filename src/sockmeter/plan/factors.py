# SPDX-License-Identifier: MIT
"""The factors: what may vary between arms, in which unit and range, and how it is written."""

import re
from collections.abc import Callable

import msgspec

from sockmeter.model.errors import PlanError
from sockmeter.plan.sinks import AUTO, SINKS

FAMILIES = ("udp4", "udp6", "tcp4", "tcp6", "unix-stream", "unix-dgram")
STREAMS = frozenset({"tcp4", "tcp6", "unix-stream"})

# Largest payload of one message. UDP: 65,535 minus the headers that its length fields count
# (IPv4 20 + 8, IPv6 8; RFC 768, RFC 8200). The rest has none; the probe's buffer is the limit.
LARGEST_BYTES = {"udp4": 65_507, "udp6": 65_527}
BUFFER_BYTES = 1_048_576
LARGEST_BUNDLE = 256  # PEEK_MAX_IMPORT of io_uring/kbuf.c
LARGEST_BATCH = 1024  # UIO_MAXIOV caps vlen of recvmmsg and sendmmsg

DEFAULT_BYTES = 64
# In bulk and zerocopy a datagram fills an Ethernet frame: 1500 less 20 or 40 of IP and 8 of UDP. A
# stream's call hands over what the largest datagram could hold, rounded to pages.
FULL_BYTES = {"udp4": 1472, "udp6": 1452, "tcp4": 65_536, "tcp6": 65_536}
DEFAULT_BATCH = 32

LONGEST_NUMBER = 40  # characters
RINGS = ("plain", "single-issuer", "defer-taskrun", "sqpoll")
NOTIFY_WORDS = ("no", "poll", "recvmsg", "recvmmsg", "cmsg", "none", "cqe")

# Factors on the machine, named by what they turn: sysctl.net.core.optmem_max, offload.rx-gro.
SYSCTL = "sysctl."
OFFLOAD = "offload."
_TURNED = re.compile(r"(sysctl\.[a-z0-9_]+([./][A-Za-z0-9_-]+)+|offload\.[a-z0-9-]+)")

Value = int | str | bool


class Factor(msgspec.Struct, frozen=True):
    """One row of the table: how a factor is called, written, bounded and defaulted."""

    name: str
    parse: Callable[[str], Value]  # raises PlanError
    default: str  # as a person reads it
    unit: str
    summary: str


def shorten(text: str) -> str:
    """Return a text as it can stand in an error of one line."""
    return text if len(text) <= LONGEST_NUMBER else f"{text[:LONGEST_NUMBER]}…"


def whole_number(name: str, lowest: int, highest: int) -> Callable[[str], int]:
    """Make a parser of decimal integers within [lowest, highest]."""

    def parse(text: str) -> int:
        digits = text.replace("_", "")
        is_short = digits.isascii() and digits.isdigit() and len(digits) <= LONGEST_NUMBER
        if not is_short or not lowest <= int(digits) <= highest:
            raise PlanError(
                f"--{name} {shorten(text)}: not a whole number from {lowest} to {highest}",
            )
        return int(digits)

    return parse


def one_of(name: str, *words: str) -> Callable[[str], str]:
    """Make a parser that takes one of the words."""

    def parse(text: str) -> str:
        if text not in words:
            raise PlanError(f"--{name} {text}: unknown", mend=f"take one of {', '.join(words)}")
        return text

    return parse


SPAN_US = {"us": 1, "ms": 1_000, "s": 1_000_000, "min": 60_000_000, "h": 3_600_000_000}


def span_us(text: str) -> int:
    """Return a span of time such as `20ms` in microseconds; ValueError for what is none."""
    match = re.fullmatch(r"(\d+)(us|ms|s|min|h)", text, re.ASCII)
    if match is None:
        raise ValueError(f"{text!r} is no span of time")
    return int(match[1]) * SPAN_US[match[2]]


def span(name: str, shortest: str, longest: str) -> Callable[[str], str]:
    """Make a parser of spans of time within [shortest, longest]; it keeps the words."""

    def parse(text: str) -> str:
        try:
            is_in_range = span_us(shortest) <= span_us(text) <= span_us(longest)
        except ValueError:
            is_in_range = False
        if not is_in_range:
            raise PlanError(
                f"--{name} {text}: not a time from {shortest} to {longest}",
                mend=f"write it as a whole number and {', '.join(SPAN_US)}",
            )
        return text

    return parse


def yes_or_no(name: str) -> Callable[[str], bool]:
    """Make a parser of yes and no."""
    parse = one_of(name, "yes", "no")
    return lambda text: parse(text) == "yes"


def word_or(number: Callable[[str], int], *words: str) -> Callable[[str], Value]:
    """Make a parser that takes one of the words besides numbers."""
    return lambda text: text if text in words else number(text)


FACTORS = (
    Factor("family", one_of("family", *FAMILIES), "udp4", "", "address family and type of socket"),
    Factor(
        "size",
        whole_number("size", 1, BUFFER_BYTES),
        f"{DEFAULT_BYTES}; in bulk and zerocopy {FULL_BYTES['udp4']}, over udp6 "
        f"{FULL_BYTES['udp6']}, over a stream {FULL_BYTES['tcp4']}",
        "bytes",
        "payload of one message",
    ),
    Factor(
        "batch",
        whole_number("batch", 1, LARGEST_BATCH),
        f"{DEFAULT_BATCH}; of uring-* calls 1, but of multishots and bundles",
        "messages",
        "messages a call asks for, operations a ring is given; over a stream it must be given",
    ),
    Factor(
        "name",
        yes_or_no("name"),
        "yes",
        "",
        "whether recvfrom, recvmsg and recvmmsg ask for the sender's address",
    ),
    Factor(
        "control",
        one_of("control", "none", "buffer", "timestamp"),
        "none",
        "",
        "control data: none, a buffer with nothing asked, or SO_TIMESTAMPNS asked",
    ),
    Factor(
        "connected",
        yes_or_no("connected"),
        "no in recv and channels and for sendto in send, else yes",
        "",
        "whether the socket under test is connected; streams always are",
    ),
    Factor(
        "cpu",
        word_or(whole_number("cpu", 0, 8_191), "auto"),
        "auto",
        "",
        "CPU to measure on; auto is the last that this process may use",
    ),
    Factor(
        "priority",
        word_or(whole_number("priority", 0, 99), "auto"),
        "auto",
        "",
        "0: SCHED_OTHER, 1 to 99: SCHED_FIFO, auto: FIFO 1 (channels 50) where allowed",
    ),
    Factor(
        "wait",
        one_of("wait", "block", "spin"),
        "block",
        "",
        "how both ends wait for a message: in the call, or by asking again and again",
    ),
    Factor(
        "peer",
        one_of("peer", "thread", "process"),
        "thread",
        "",
        "what the other end is",
    ),
    Factor(
        "peer-cpu",
        word_or(whole_number("peer-cpu", 0, 8_191), "same", "other"),
        "other",
        "",
        "CPU of the other end: the measured one, the last other one, or a number",
    ),
    Factor(
        "ring",
        one_of("ring", *RINGS),
        "defer-taskrun",
        "",
        "how the io_uring of a uring-* call is set up; defer-taskrun implies single-issuer",
    ),
    Factor(
        "registered",
        one_of("registered", "none", "files", "buffers"),
        "none",
        "",
        "what is registered with it: nothing, the socket, or the payload too (uring-send-zc)",
    ),
    Factor(
        "channels", whole_number("channels", 1, 16_384), "450", "sockets", "sockets that receive"
    ),
    Factor(
        "interval",
        span("interval", "100us", "10s"),
        "20ms",
        "",
        "time between two messages of a channel",
    ),
    Factor(
        "tick", span("tick", "100us", "10s"), "10ms", "", "time between two looks of the reader"
    ),
    Factor("busy", whole_number("busy", 0, 64), "5", "threads", "threads that use the CPUs too"),
    Factor(
        "find",
        one_of("find", "epoll", "epoll-again", "scan"),
        "epoll",
        "",
        "how the reader finds work: epoll and drain, epoll until nothing is ready, every socket",
    ),
    Factor(
        "duration",
        span("duration", "1ms", "1h"),
        "1s",
        "",
        "length of a segment that goes by the clock",
    ),
    Factor(
        "sink",
        one_of("sink", AUTO, *(sink.name for sink in SINKS)),
        AUTO,
        "",
        "where bulk traffic goes; auto: the first of them that this kernel has, loopback for TCP",
    ),
    Factor(
        "mtu",
        whole_number("mtu", 68, 65_536),
        "the device's own",
        "bytes",
        "MTU of the sink's device, in the private namespace",
    ),
    Factor(
        "gro",
        yes_or_no("gro"),
        "no",
        "",
        "whether the reader of the loopback sink has UDP_GRO",
    ),
    Factor(
        "segments",
        word_or(whole_number("segments", 1, 1024), "auto"),
        "auto",
        "datagrams",
        "datagrams of --size that a …-gso message is cut into; auto: as many as fit, 64 at most",
    ),
    Factor(
        "buffers",
        whole_number("buffers", 1, 65_536),
        "1, for zerocopy 256",
        "buffers",
        "payload buffers that the sends take in turn: one is hot, many are cold",
    ),
    Factor(
        "zerocopy",
        one_of("zerocopy", *NOTIFY_WORDS),
        "no; for zerocopy no,poll, of uring-* calls no,cqe",
        "",
        "MSG_ZEROCOPY, and how its notifications are read; no: the kernel copies; cqe: uring-* "
        "calls by IORING_OP_SEND_ZC, whose notifications are completions",
    ),
    Factor(
        "limit",
        whole_number("limit", 1, 65_536),
        "32",
        "sends",
        "sends between two looks at the notifications",
    ),
    Factor(
        "cork",
        whole_number("cork", 1, 64),
        "1",
        "sends",
        "sends that make one message: all but the last with MSG_MORE",
    ),
    Factor(
        "work",
        whole_number("work", 0, 2**20),
        "0",
        "multiplies",
        "work injected after the call, inside the bracket, to test whether it is found",
    ),
)

FACTOR_NAMES = tuple(factor.name for factor in FACTORS)


def is_machine_factor(name: str) -> bool:
    """Say whether the factor turns something on the machine, and not in the probe."""
    return name.startswith((SYSCTL, OFFLOAD))


def find_factor(name: str) -> Factor:
    """Return one row of the table; PlanError if there is none."""
    for factor in FACTORS:
        if factor.name == name:
            return factor
    if is_machine_factor(name):
        return _turned(name)
    raise PlanError(f"unknown factor {name!r}", mend=f"take one of {', '.join(FACTOR_NAMES)}")


def _turned(name: str) -> Factor:
    kind, _, what = name.partition(".")
    if not _TURNED.fullmatch(name):
        raise PlanError(f"--{kind} {what}: not the name of one", mend=TURNED_FORMS[kind])
    parse = one_of(kind, "on", "off") if kind == "offload" else _sysctl_value
    return Factor(name, parse, "as it is", "", TURNED_FORMS[kind])


def _sysctl_value(text: str) -> str:
    if not text.isascii() or not text.isprintable():
        raise PlanError(f"--sysctl …={text!r}: not a value of a sysctl")
    return text


TURNED_FORMS = {
    "sysctl": "write it as --sysctl net.core.optmem_max=20480,131072",
    "offload": "write it as --offload tx-udp-segmentation=on,off",
}
