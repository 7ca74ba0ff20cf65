# SPDX-License-Identifier: MIT
"""Scenario rr on this machine: every way to hold a conversation, and what ends one."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.probe.test_probe import (
    FAMILIES,
    Record,
    allowed_by,
    check_laws,
    make_plan,
    make_segment,
    probe,
    run_segments,
)
from tests.system.test_runs import child_processes, wait_until_gone

pytestmark = pytest.mark.system

__all__ = ["probe"]  # the fixture

CALLS = ("recv", "recvfrom", "recvmsg", "read", "readv")
NEEDS_TWO_CPUS = pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="two ends that spin need two CPUs"
)
CPU = max(os.sched_getaffinity(0))


def make_rr(segment_id: int, **words: int | str) -> str:
    values: dict[str, int | str] = {
        "scenario": "rr",
        "call": "recv",
        "cpu": CPU,
        "calls": 300,
        "warmup": 10,
        "wait": "block",
        "peer": "thread",
        "peer_cpu": "same",
    }
    return make_segment(segment_id, **(values | words))


def check_transactions(segment: Record, size: int = 64) -> None:
    """Hold what docs/wire.md says of every observed segment of rr."""
    check_laws(segment)
    parts = segment["histograms"]
    assert {"request", "response"} == set(parts)
    assert [segment["calls"]] * 2 == [part["count"] for part in parts.values()]
    assert 2 * segment["calls"] * size == segment["bytes"]
    assert {} == segment["failed"]
    assert segment["counters"]["peer_cpu_ns"] > 0


@pytest.mark.parametrize("peer", ["thread", "process"])
@pytest.mark.parametrize("family", FAMILIES)
def test_every_call_of_every_family_holds_a_conversation(
    probe: Path, family: str, peer: str
) -> None:
    """Blocking, both ends on one CPU: the parts of a transaction are all of it."""
    segments = allowed_by(
        run_segments(
            probe,
            *(
                make_rr(number, call=call, family=family, peer=peer)
                for number, call in enumerate(CALLS)
            ),
        )
    )
    for segment in segments:
        check_transactions(segment)
        assert 300 == segment["calls"]
        assert 0 == segment["counters"]["empty_polls"]
        assert CPU == segment["counters"]["peer_cpu"]
        parts = segment["histograms"]
        assert segment["sum"] == parts["request"]["sum"] + parts["response"]["sum"]


@NEEDS_TWO_CPUS
@pytest.mark.parametrize("peer", ["thread", "process"])
def test_two_ends_that_spin_find_the_message_by_asking(probe: Path, peer: str) -> None:
    """The receive that finds it is a part of the wait, and most receives find nothing."""
    (segment,) = run_segments(probe, make_rr(0, wait="spin", peer_cpu="other", peer=peer))
    check_transactions(segment)
    parts = segment["histograms"]
    assert CPU != segment["counters"]["peer_cpu"]
    assert segment["counters"]["empty_polls"] > 0
    assert segment["sum"] > parts["request"]["sum"] + parts["response"]["sum"]


@pytest.mark.parametrize("ring", ["plain", "defer-taskrun"])
@pytest.mark.parametrize("peer", ["thread", "process"])
@pytest.mark.parametrize("family", ["udp4", "tcp4", "unix-dgram"])
@pytest.mark.parametrize("call", ["uring-recv", "uring-recvmsg"])
def test_ends_that_talk_through_rings_enter_once_a_transaction(
    probe: Path, call: str, family: str, peer: str, ring: str
) -> None:
    """The send, the receive and the wait are one call; a stream's message comes whole."""
    words = {"call": call, "family": family, "peer": peer, "ring": ring}
    small, large = run_segments(
        probe,
        make_rr(0, **words),
        make_rr(1, **words, registered="files", size=30_000),
    )
    if small["record"] == "refused" and small["step"] == "io_uring":
        pytest.skip(small["text"])
    check_transactions(small)
    check_transactions(large, size=30_000)
    assert small["calls"] == small["counters"]["enters"]


def test_ends_that_talk_through_rings_do_not_spin(probe: Path) -> None:
    """They would have to ask the kernel, and that is the call that waits."""
    spinning, polled = run_segments(
        probe,
        make_rr(0, call="uring-recv", ring="defer-taskrun", wait="spin", peer_cpu="other"),
        make_rr(1, call="uring-recv", ring="sqpoll"),
    )
    for refused in (spinning, polled):
        assert ("ring", "EINVAL") == (refused["step"], refused["errno"])


def takewhile_refused(runs: Iterable[subprocess.CompletedProcess[bytes]]) -> Iterator[Record]:
    """Yield the one answer of each run, up to the first that is a segment."""
    for finished in runs:
        record = json.loads(finished.stdout.splitlines()[2])
        yield record
        if record["record"] == "segment":
            return


def test_a_peer_that_cannot_make_its_ring_says_why(probe: Path) -> None:
    """With one descriptor less than both need: its refusal is the row, and not its silence."""
    (unlimited,) = run_segments(probe, make_rr(0, call="uring-recv"))
    if unlimited["record"] == "refused":
        pytest.skip(unlimited["text"])
    plan = make_plan(make_rr(0, call="uring-recv")).encode()
    *without, enough = takewhile_refused(
        subprocess.run(
            ["prlimit", f"--nofile={descriptors}", probe],
            input=plan,
            capture_output=True,
            check=True,
        )
        for descriptors in range(4, 32)
    )
    assert "segment" == enough["record"]
    assert {"EMFILE"} == {record["errno"] for record in without}
    assert "io_uring" == without[-1]["step"]


def test_two_ends_that_spin_on_one_cpu_are_refused(probe: Path) -> None:
    """Neither would ever let the other run; the rest of the plan is measured."""
    refused, measured = run_segments(probe, make_rr(0, wait="spin"), make_rr(1))
    assert ("refused", "wait", "EDEADLK") == tuple(
        refused[key] for key in ("record", "step", "errno")
    )
    check_transactions(measured)


def test_a_peer_on_a_cpu_that_is_not_there_is_refused(probe: Path) -> None:
    (refused,) = run_segments(probe, make_rr(0, peer_cpu=4000))
    assert ("peer_cpu", "EINVAL") == (refused["step"], refused["errno"])


@pytest.mark.parametrize("call", ["recvfrom", "recvmsg"])
@pytest.mark.parametrize("family", ["udp4", "udp6", "unix-dgram"])
def test_a_server_that_is_not_connected_answers_whom_it_heard(
    probe: Path, family: str, call: str
) -> None:
    for segment in allowed_by(
        run_segments(probe, make_rr(0, call=call, family=family, connected="no"))
    ):
        check_transactions(segment)


@pytest.mark.parametrize("wait", ["block", pytest.param("spin", marks=NEEDS_TWO_CPUS)])
def test_a_stream_that_cuts_messages_moves_them_whole(probe: Path, wait: str) -> None:
    """A megabyte over TCP never comes in one piece."""
    (segment,) = run_segments(
        probe,
        make_rr(0, family="tcp4", size=1_000_000, calls=20, wait=wait, peer_cpu="other"),
    )
    check_transactions(segment, size=1_000_000)
    assert segment["counters"]["extra_receives"] > 0


def test_null_has_no_peer(probe: Path) -> None:
    (segment,) = run_segments(probe, make_rr(0, call="null"))
    check_laws(segment)
    assert 0 == segment["bytes"]
    assert "peer_cpu_ns" not in segment["counters"]


def test_unobserved_it_has_a_loop_and_no_histogram(probe: Path) -> None:
    (segment,) = run_segments(probe, make_rr(0, observe="no"))
    assert 0 == segment["count"]
    assert segment["loop"] > 0
    assert 300 == segment["calls"]


@pytest.mark.parametrize("call", ["recv", "uring-recv"])
@pytest.mark.parametrize("family", ["tcp4", "udp4"])
def test_a_peer_that_is_killed_ends_its_segment_alone(probe: Path, family: str, call: str) -> None:
    """The closed connection, the ICMP error or the silence leads to it; its death is what is said.

    A process that is still ending when its connection has closed is not yet known to be dead.
    """
    plan = make_plan(
        make_rr(0, call=call, family=family, peer="process", calls=1 << 30),
        make_rr(1, calls=300),
    )
    process = subprocess.Popen([probe], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(plan.encode())
    process.stdin.close()
    process.stdin = None
    deadline_s = time.monotonic() + 30
    while not (peers := child_processes(process.pid)):
        assert time.monotonic() < deadline_s, "no peer"
        time.sleep(0.01)
    time.sleep(0.3)
    os.kill(peers[0], signal.SIGKILL)
    output, _ = process.communicate(timeout=60)
    records = [json.loads(line) for line in output.splitlines()]
    refused, measured = records[2:-1]
    assert ("refused", "peer") == (refused["record"], refused["step"])
    assert refused["errno"] in {"EOWNERDEAD", "EPIPE", "ECONNRESET", "ECONNREFUSED"}
    assert refused["text"].endswith("the peer died")
    check_transactions(measured)


def test_a_probe_that_is_killed_takes_its_peer_with_it(probe: Path) -> None:
    process = subprocess.Popen([probe], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert process.stdin is not None
    process.stdin.write(make_plan(make_rr(0, peer="process", calls=1 << 30)).encode())
    process.stdin.close()
    deadline_s = time.monotonic() + 30
    while not (peers := child_processes(process.pid)):
        assert time.monotonic() < deadline_s, "no peer"
        time.sleep(0.01)
    process.kill()
    process.wait(timeout=30)
    wait_until_gone(peers)
