# SPDX-License-Identifier: MIT
"""Bytes per second beside other people's senders: the same sink, CPU and priority, in turn.

The directory holds binaries that the user has built, `udpgso_bench_tx`, `msg_zerocopy` and
`io_uring_zerocopy_tx`; what is not there is not compared. Ours runs with its histograms. Their own
rates are not believed, one of them prints KiB per ms as MB/s, another divides by whole seconds:
messages, their size and the time come from what they counted.

A read of the clock cannot hide behind a call, and they have none: what that takes of our rate is
measured beside it, and is all that theirs may be above ours.
"""

import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from sockmeter.judge.intervals import sign_interval
from sockmeter.model.runs import Design
from sockmeter.model.segments import Segment
from sockmeter.plan.designs import Request, make_design
from sockmeter.plan.sinks import find_sink
from sockmeter.rig.host import HostRig, choose_cpu
from sockmeter.rig.probe import find_probe
from sockmeter.rig.turning import Journal, Stage, open_stage
from sockmeter.rig.wire import decode_output, encode_plan
from tests.bench.bounds import Bound

PAIRS = 9
SECONDS = 1
MESSAGE_BYTES = 61_824  # 42 segments of 1,472: what udpgso_bench_tx sends
JUMBO = "65535"  # bytes of MTU, so that no message is cut into IP fragments


@dataclass(frozen=True, slots=True)
class Comparison:
    """One way of sending: their options, and our request for the same."""

    name: str
    options: tuple[str, ...]
    request: Request
    is_zerocopy: bool = False


def _request(scenario: str, call: str, **factors: str) -> Request:
    texts = {name: [value] for name, value in {"priority": "0", **factors}.items()}
    return Request(scenario=scenario, call=[call], factors=texts)


UDPGSO = (
    Comparison("plain", (), _request("bulk", "send", size="1472")),
    Comparison("sendmmsg", ("-m",), _request("bulk", "sendmmsg", size="1472", batch="42")),
    Comparison(
        "UDP_SEGMENT", ("-S", "0"), _request("bulk", "sendmsg-gso", size="1472", segments="42")
    ),
)
MSG_ZEROCOPY = (
    Comparison(
        "udp, copying",
        ("udp",),
        _request("bulk", "send", size=str(MESSAGE_BYTES), mtu=JUMBO),
    ),
    Comparison(
        "udp, zerocopy",
        ("-z", "udp"),
        _request(
            *("zerocopy", "send"),
            size=str(MESSAGE_BYTES),
            mtu=JUMBO,
            buffers="1",
            zerocopy="recvmsg",
        ),
        is_zerocopy=True,
    ),
)
# Theirs is a plain ring, eight sends in flight, and reads notifications with the completions.
_RING = {"size": str(MESSAGE_BYTES), "mtu": JUMBO, "ring": "plain", "batch": "8", "buffers": "1"}
IO_URING = (
    Comparison("udp, copying", ("-m", "0", "udp"), _request("bulk", "uring-send", **_RING)),
    Comparison(
        "udp, zerocopy",
        ("-m", "1", "udp"),
        _request("zerocopy", "uring-send", zerocopy="cqe", limit="64", **_RING),
        is_zerocopy=True,
    ),
)
IO_URING_EXTRA_S = 0.2  # that it runs beyond the seconds it is given


def compare_sending(directory: Path) -> Iterator[Bound]:
    """Yield each program's rate as a multiple of ours: the least that the pairs leave."""
    with open_stage(make_design(UDPGSO[0].request).arms, Journal()) as stage:
        for program, comparisons, words_of, rate_of in (
            (directory / "udpgso_bench_tx", UDPGSO, _udpgso_words, _udpgso_rate),
            (directory / "msg_zerocopy", MSG_ZEROCOPY, _msg_zerocopy_words, _msg_zerocopy_rate),
            (directory / "io_uring_zerocopy_tx", IO_URING, _io_uring_words, _io_uring_rate),
        ):
            if program.is_file():
                for comparison in comparisons:
                    yield _compare(stage, program, comparison, words_of, rate_of)


def _compare(
    stage: Stage,
    program: Path,
    comparison: Comparison,
    words_of: Callable[[str], list[str]],
    rate_of: Callable[[str], float],
) -> Bound:
    design, arm = _design_of(stage, comparison)
    sink = find_sink(stage.best_sink())
    words = [str(program), *words_of(sink.address4), *comparison.options]
    rounds = []
    with stage.turned(design.arms[arm]):
        for number in range(PAIRS):
            first = rate_of(_run(stage, words)) if number % 2 else 0.0
            ours, unobserved = (
                _our_rate(stage, design, arm, observe=each) for each in (True, False)
            )
            rounds.append((first or rate_of(_run(stage, words)), ours, unobserved))
    theirs, ours, unobserved = np.array(rounds).T
    ratios = sign_interval(np.log(theirs / ours), 0.05)
    return Bound(
        f"{program.name} {comparison.name}, {sink.name}",
        float(np.exp(ratios.low)),
        float(np.median(unobserved / ours)),
        "of our MB/s at least",
        f"median {np.exp(ratios.estimate):.3f} of ours, up to {np.exp(ratios.high):.3f}; "
        f"{np.median(theirs):,.0f}, {np.median(ours):,.0f} and without the clock "
        f"{np.median(unobserved):,.0f} MB/s, {PAIRS} rounds",
    )


def _design_of(stage: Stage, comparison: Comparison) -> tuple[Design, int]:
    """Return our design, sized for as long as theirs runs, and the arm that is compared."""
    design = make_design(comparison.request)
    arm = next(
        index
        for index, each in enumerate(design.arms)
        if (each.factors["zerocopy"] != "no") == comparison.is_zerocopy
    )
    rig = HostRig(find_probe().inside(stage.namespaces), cpu=choose_cpu(), stage=stage)
    named, _ = rig.prepare(design)
    with stage.turned(named.arms[arm]):
        trial = _segment_s(stage, named, arm)
    calls = int(named.calls * SECONDS / trial)
    return msgspec.structs.replace(named, calls=calls - calls % named.queue), arm


def _segment_s(stage: Stage, design: Design, arm: int) -> float:
    return _segment(stage, design, arm).elapsed_ns / 1e9


def _our_rate(stage: Stage, design: Design, arm: int, *, observe: bool) -> float:
    segment = _segment(stage, design, arm, observe=observe)
    return segment.bytes / segment.elapsed_ns * 1e3


def _segment(stage: Stage, design: Design, arm: int, *, observe: bool = True) -> Segment:
    probe = find_probe().inside(stage.namespaces)
    plan = encode_plan(design, [arm], cap=0, cpu=choose_cpu(), observe=observe)
    report = decode_output(probe.run(plan))
    (segment,) = report.segments
    return segment


def _run(stage: Stage, words: Sequence[str]) -> str:
    """Run somebody's program in the network of the sinks, on our CPU; return what it said."""
    inside = [
        word
        for descriptor in stage.namespaces
        for word in (f"--{_kind_of(descriptor)}=/proc/self/fd/{descriptor}",)
    ]
    pinned = ["taskset", "--cpu-list", str(choose_cpu())]
    finished = subprocess.run(
        ["nsenter", *inside, *pinned, *words],
        pass_fds=list(stage.namespaces),
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    return finished.stdout + finished.stderr


def _kind_of(descriptor: int) -> str:
    return "net" if "net:" in str(Path(f"/proc/self/fd/{descriptor}").readlink()) else "user"


def _udpgso_words(address: str) -> list[str]:
    return ["-4", "-D", address, "-l", str(SECONDS), "-a"]


def _udpgso_rate(output: str) -> float:
    """Return MB/s: messages times their size over the seconds that it measured itself."""
    seconds = re.search(r"Summary over (\d+)\.(\d+) seconds", output)
    messages = re.search(r"(\d+) msgs \(", output)
    assert seconds is not None, output
    assert messages is not None, output
    elapsed_s = int(seconds[1]) + int(seconds[2]) / 1e3
    return int(messages[1]) * MESSAGE_BYTES / elapsed_s / 1e6


def _msg_zerocopy_words(address: str) -> list[str]:
    own = address.removesuffix("2") + "1"
    return ["-4", "-D", address, "-S", own, "-t", str(SECONDS), "-s", str(MESSAGE_BYTES)]


def _msg_zerocopy_rate(output: str) -> float:
    """Return MB/s: its packets over the time that it was given; it prints no time."""
    packets = re.search(r"tx=(\d+)", output)
    assert packets is not None, output
    return int(packets[1]) * MESSAGE_BYTES / SECONDS / 1e6


def _io_uring_words(address: str) -> list[str]:
    size = str(MESSAGE_BYTES)
    return ["-4", "-D", address, "-t", str(SECONDS), "-s", size, "-n", "8"]


def _io_uring_rate(output: str) -> float:
    """Return MB/s: its packets over the time that it ran; it divides by whole seconds."""
    packets = re.search(r"tx=(\d+)", output)
    assert packets is not None, output
    return int(packets[1]) * MESSAGE_BYTES / (SECONDS + IO_URING_EXTRA_S) / 1e6
