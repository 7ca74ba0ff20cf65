# SPDX-License-Identifier: MIT
"""Calls through an io_uring on this machine: what they move, what they refuse, and when."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.probe.test_channels import make_channels
from tests.probe.test_outbound import ADDRESSES, make_sending
from tests.probe.test_probe import (
    Record,
    allowed_by,
    check_laws,
    make_plan,
    make_segment,
    probe,
    run_segments,
)

pytestmark = pytest.mark.system

__all__ = ["probe"]  # the fixture

CPUS = sorted(os.sched_getaffinity(0))
RECEIVES = ("uring-recv", "uring-recvmsg", "uring-recv-multishot", "uring-recvmsg-multishot")
SENDS = ("uring-send", "uring-sendmsg", "uring-send-zc", "uring-sendmsg-zc")
CPU = max(os.sched_getaffinity(0))


def make_ring(segment_id: int, call: str, **words: int | str) -> str:
    values: dict[str, int | str] = {
        "scenario": "send" if "send" in call else "recv",
        "call": call,
        "cpu": CPU,
        "batch": 8,
        "ring": "defer-taskrun",
        "registered": "none",
    }
    return make_segment(segment_id, **(values | words))


@pytest.fixture(autouse=True)
def _has_io_uring(probe: Path) -> None:
    """Skip where this kernel, this user or this build has none: the reason is in the record."""
    (record,) = run_segments(probe, make_ring(0, "uring-recv"))
    if record["record"] == "refused" and record["step"] == "io_uring":
        pytest.skip(record["text"])


def check_moved(segment: Record, batch: int = 8) -> None:
    assert "segment" == segment["record"], segment
    check_laws(segment)
    assert {} == segment["failed"]
    assert 0 == segment["short"]
    assert segment["calls"] * batch == segment["datagrams"]
    assert segment["datagrams"] * 64 == segment["bytes"]


@pytest.mark.parametrize("family", ["udp4", "udp6", "tcp4", "unix-stream", "unix-dgram"])
@pytest.mark.parametrize("call", [*RECEIVES, "uring-send", "uring-sendmsg"])
def test_every_operation_moves_every_byte(probe: Path, call: str, family: str) -> None:
    if call.startswith("uring-recvmsg-multishot") and family in ("tcp4", "unix-stream"):
        pytest.skip("a stream has no messages for recvmsg to part")
    (segment,) = run_segments(probe, make_ring(0, call, family=family))
    if segment["record"] == "refused" and segment["errno"] in ("EADDRNOTAVAIL", "EAFNOSUPPORT"):
        pytest.skip(segment["text"])
    check_moved(segment)


@pytest.mark.parametrize("ring", ["plain", "single-issuer", "defer-taskrun"])
def test_a_batch_is_one_io_uring_enter(probe: Path, ring: str) -> None:
    one, many = run_segments(
        probe,
        make_ring(0, "uring-recv", batch=1, ring=ring),
        make_ring(1, "uring-recv", batch=32, ring=ring),
    )
    check_moved(one, batch=1)
    check_moved(many, batch=32)
    assert [one["calls"], many["calls"]] == [
        segment["counters"]["enters"] for segment in (one, many)
    ]


@pytest.mark.skipif(len(CPUS) < 2, reason="its thread needs a second CPU")
def test_a_polling_kernel_thread_submits(probe: Path) -> None:
    """At real-time priority too, where the thread must first be let off the measured CPU."""
    for segment in run_segments(
        probe,
        make_ring(0, "uring-recv", ring="sqpoll"),
        make_ring(1, "uring-send", ring="sqpoll"),
    ):
        check_moved(segment)
        assert "enters" not in segment.get("counters", {})


def make_polled_traffic() -> list[str]:
    """Make segments whose other end is a thread of its own."""
    polled: dict[str, int | str] = {"ring": "sqpoll", "cpu": CPUS[-1]}
    return [
        make_channels(0, call="uring-recv", batch=32, find="scan", **polled),
        make_sending(1, call="uring-send", family="tcp4", size=4096, **polled),
    ]


@pytest.mark.skipif(len(CPUS) < 2, reason="the other end needs a second CPU")
def test_where_two_ends_have_two_cpus_there_is_none_for_a_thread_that_polls(probe: Path) -> None:
    """At the priority of the call it would keep the other end from running at all."""
    os.sched_setaffinity(0, CPUS[-2:])
    try:
        records = run_segments(probe, *make_polled_traffic())
    finally:
        os.sched_setaffinity(0, CPUS)
    for refused in records:
        assert ("refused", "ring", "ENODEV") == tuple(
            refused[key] for key in ("record", "step", "errno")
        )


@pytest.mark.skipif(len(CPUS) < 3, reason="its thread needs a third CPU")
def test_a_thread_that_polls_leaves_the_other_end_its_cpu(probe: Path) -> None:
    channels, stream = run_segments(probe, *make_polled_traffic())
    assert channels["counters"]["sent"] == channels["counters"]["received"]
    assert ({}, 0) == (stream["failed"], stream["short"])


@pytest.mark.parametrize("ring", ["plain", "single-issuer", "sqpoll"])
@pytest.mark.parametrize("call", ["uring-recv-multishot", "uring-recvmsg-multishot"])
def test_a_multishot_receive_that_hides_its_work_is_refused(
    probe: Path, call: str, ring: str
) -> None:
    """It would do it in the untimed sends that fill the queue, and seem to cost nothing."""
    (refused,) = run_segments(probe, make_ring(0, call, ring=ring))
    assert ("refused", "ring", "EINVAL") == tuple(
        refused[key] for key in ("record", "step", "errno")
    )
    assert "defer-taskrun" in refused["text"]


def test_a_multishot_receive_does_its_work_inside_the_bracket(probe: Path) -> None:
    """A message costs a good part of what recv takes of it, and no handful of instructions."""
    recv, multishot = run_segments(
        probe,
        make_segment(0, call="recv", cpu=CPU, calls=8000),
        make_ring(1, "uring-recv-multishot", batch=32, calls=2000),
    )
    per_message = multishot["sum"] / multishot["datagrams"]
    assert per_message > recv["sum"] / recv["datagrams"] / 5


def test_one_call_takes_a_whole_burst_of_a_multishot_receive(probe: Path) -> None:
    """Else the first would find what the second is credited with."""
    (segment,) = run_segments(probe, make_ring(0, "uring-recv-multishot", queue=64))
    assert 8 == segment["depth"]


@pytest.mark.parametrize("family", ["tcp4", "unix-stream"])
@pytest.mark.parametrize("call", ["uring-recv-bundle", "uring-send-bundle"])
def test_a_bundle_is_one_operation_that_moves_a_batch(probe: Path, call: str, family: str) -> None:
    """Every buffer is used and given back, over many more calls than there are buffers."""
    one, many = run_segments(
        probe,
        make_ring(0, call, family=family, calls=400),
        make_ring(1, call, family=family, calls=400, batch=48),
    )
    if one["record"] == "refused":
        assert "this kernel has no bundles" in one["text"]
        pytest.skip(one["text"])
    for segment, batch in ((one, 8), (many, 48)):
        check_moved(segment, batch=batch)
        assert segment["calls"] <= segment["counters"]["enters"]


def test_a_bundle_of_bulk_arrives_whole(probe: Path) -> None:
    words = {"family": "tcp4", "batch": 16, "buffers": 200, "size": 4096}
    (segment,) = run_segments(
        probe, make_sending(0, call="uring-send-bundle", ring="defer-taskrun", **words)
    )
    if segment["record"] == "refused":
        pytest.skip(segment["text"])
    assert ({}, 0) == (segment["failed"], segment["short"])
    assert segment["calls"] * 16 == segment["datagrams"]
    assert segment["bytes"] == segment["counters"]["received_bytes"]


@pytest.mark.parametrize("call", ["uring-send-zc", "uring-sendmsg-zc"])
def test_zerocopy_on_loopback_is_copied_and_every_notification_comes(
    probe: Path, call: str
) -> None:
    (segment,) = run_segments(probe, make_ring(0, call))
    if segment["record"] == "refused" and segment["step"] == "io_uring":
        pytest.skip(segment["text"])
    check_moved(segment)
    counters = segment["counters"]
    assert segment["datagrams"] == counters["zerocopy_sends"]
    assert counters["zerocopy_sends"] == counters["zerocopy_notifications"]
    assert counters["zerocopy_sends"] == counters["zerocopy_copied"]
    assert 0 == counters["zerocopy_missing"]


@pytest.mark.parametrize("family", ["udp4", "udp6", "tcp4"])
@pytest.mark.parametrize("call", ["uring-send", "uring-sendmsg"])
def test_zerocopy_sends_of_a_ring_are_all_given_back(probe: Path, call: str, family: str) -> None:
    """One completion more for each, numbered as it was sent; loopback copies every one."""
    words = {"scenario": "zerocopy", "size": 4096, "family": family, "to": ADDRESSES[family]}
    words |= {"buffers": 16, "zerocopy": "cqe", "limit": 32, "batch": 4, "calls": 500}
    for segment in allowed_by(
        run_segments(probe, make_sending(0, **words, call=call, ring="defer-taskrun"))
    ):
        check_laws(segment)
        counters, histograms = segment["counters"], segment["histograms"]
        assert ({}, 0) == (segment["failed"], segment["short"])
        assert segment["calls"] * 4 == segment["datagrams"] == counters["sent_calls"]
        assert counters["sent_calls"] == counters["returned_calls"] == counters["notifications"]
        assert counters["sent_calls"] == counters["copied_calls_least"]
        assert 0 == counters["impossible_notifications"] == counters["joined_notifications"]
        assert counters["notifications"] == histograms["delay"]["count"]
        assert [[1, counters["sent_calls"]]] == histograms["range"]["buckets"]
        assert counters["carried_notifications"] <= counters["notifications"]


def test_a_ring_sends_what_bulk_sends(probe: Path) -> None:
    """Segments are cut by the socket's option or by each message's, and a batch is one enter."""
    segments = run_segments(
        probe,
        *(
            make_sending(at, call=call, segments=cut, batch=4, buffers=8, ring="defer-taskrun")
            for at, (call, cut) in enumerate(
                [("uring-send", 1), ("uring-send-gso", 10), ("uring-sendmsg-gso", 10)]
            )
        ),
    )
    for segment, cut in zip(segments, (1, 10, 10), strict=True):
        check_laws(segment)
        assert ({}, 0) == (segment["failed"], segment["short"])
        assert segment["calls"] * 4 * cut == segment["datagrams"]
        assert segment["datagrams"] * 1472 == segment["bytes"]
        assert segment["calls"] == segment["counters"]["enters"]


def test_payload_registered_with_the_ring_is_sent(probe: Path) -> None:
    plain, zerocopy = run_segments(
        probe,
        *(
            make_sending(
                at,
                scenario="zerocopy",
                call="uring-send",
                zerocopy=way,
                buffers=64,
                limit=16,
                ring="defer-taskrun",
                registered="buffers",
            )
            for at, way in enumerate(["no", "cqe"])
        ),
    )
    for segment in (plain, zerocopy):
        if segment["record"] == "refused":
            pytest.skip(segment["text"])
        assert {} == segment["failed"]


def test_files_and_buffers_may_be_registered(probe: Path) -> None:
    files, buffers = run_segments(
        probe,
        make_ring(0, "uring-recv", registered="files"),
        make_ring(1, "uring-send-zc", registered="buffers"),
    )
    check_moved(files)
    if buffers["record"] == "segment":
        check_moved(buffers)


def test_an_unconnected_sendmsg_names_its_destination(probe: Path) -> None:
    (segment,) = run_segments(probe, make_ring(0, "uring-sendmsg", connected="no"))
    check_moved(segment)


def test_where_seccomp_hides_it_the_others_go_on(probe: Path) -> None:
    """The row says what hides it; a filter stands in for a container's."""
    plan = make_plan(make_ring(0, "uring-recv"), make_segment(1, calls=200))
    script = (
        "import ctypes, os, struct, sys\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "load, jump, ret = 0x20, 0x15, 0x06\n"
        "code = [(load, 0, 0, 0), (jump, 0, 1, 425), (ret, 0, 0, 0x00050000 | 38),"
        " (ret, 0, 0, 0x7fff0000)]\n"
        "raw = b''.join(struct.pack('HBBI', *line) for line in code)\n"
        "program = ctypes.create_string_buffer(raw)\n"
        "class Prog(ctypes.Structure):\n"
        "    _fields_ = [('len', ctypes.c_ushort), ('filter', ctypes.c_void_p)]\n"
        "prog = Prog(len(code), ctypes.addressof(program))\n"
        "assert libc.prctl(38, 1, 0, 0, 0) == 0\n"
        "assert libc.prctl(22, 2, ctypes.byref(prog)) == 0\n"
        "os.execv(sys.argv[1], [sys.argv[1]])\n"
    )
    finished = subprocess.run(
        ["python3", "-c", script, str(probe)],
        input=plan.encode(),
        capture_output=True,
        check=True,
    )
    _, _, refused, measured, _ = finished.stdout.splitlines()
    assert b'"step":"io_uring","errno":"ENOSYS"' in refused
    assert b"seccomp" in refused
    assert b'"record":"segment"' in measured
