# SPDX-License-Identifier: MIT
"""Scenario channels on this machine: what is sent is read, and what could not be is said."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.probe.test_probe import (
    Record,
    check_laws,
    make_plan,
    make_segment,
    probe,
    run_segments,
)

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="the sender needs a second CPU"),
]

__all__ = ["probe"]  # the fixture

CPU = max(os.sched_getaffinity(0))
CALLS = ("recv", "recvfrom", "recvmsg", "recvmmsg", "read", "readv")


def make_channels(segment_id: int, **words: int | str) -> str:
    values: dict[str, int | str] = {
        "scenario": "channels",
        "call": "recv",
        "cpu": CPU,
        "connected": "no",
        "channels": 50,
        "interval_us": 10_000,
        "tick_us": 5_000,
        "busy": 1,
        "duration_ms": 100,
        "find": "epoll",
        "peer_cpu": "other",
    }
    return make_segment(segment_id, **(values | words))


def check_channels(segment: Record) -> None:
    """Hold what docs/wire.md says of every segment of channels, on a machine however busy."""
    counters, parts = segment["counters"], segment["histograms"]
    # check_laws holds the sum against the loop, which here has the looks and the empty calls too.
    check_laws(segment | {"loop": segment["sum"]})
    whole = segment["sum"] + parts["find"]["sum"] + parts["empty"]["sum"]
    assert segment["loop"] == whole == parts["burst"]["sum"]
    assert counters["sent"] == counters["received"] + counters["lost"] + counters["send_failed"]
    assert 0 == counters["foreign"] == counters["cut_bursts"]
    assert counters["received"] == parts["latency"]["count"]
    assert counters["sent"] == parts["sender_late"]["count"]
    assert counters["ticks"] == parts["burst"]["count"] == parts["wake_late"]["count"]
    assert parts["burst_messages"]["sum"] == segment["datagrams"]
    assert {} == segment["failed"]
    assert 0 == segment["short"]


@pytest.mark.parametrize("find", ["epoll", "epoll-again", "scan"])
@pytest.mark.parametrize("registered", ["none", "files"])
def test_a_ring_receives_on_many_sockets_in_one_call(
    probe: Path, registered: str, find: str
) -> None:
    """As many messages as there are, in a batch's part of the calls; one batch more finds none."""
    words = {"ring": "defer-taskrun", "registered": registered, "find": find, "name": "no"}
    segments = run_segments(
        probe,
        make_channels(0, call="uring-recv", batch=1, **words),
        make_channels(1, call="uring-recv", batch=32, **words),
        make_channels(2, call="uring-recvmsg", batch=32, **(words | {"name": "yes"})),
    )
    if segments[0]["record"] == "refused" and segments[0]["step"] == "io_uring":
        pytest.skip(segments[0]["text"])
    for segment in segments:
        check_channels(segment)
        assert segment["counters"]["sent"] == segment["counters"]["received"]
    one, many, messages = segments
    assert one["calls"] == one["datagrams"]
    assert many["calls"] < many["datagrams"]
    assert messages["calls"] < messages["datagrams"]


@pytest.mark.parametrize("find", ["epoll", "epoll-again", "scan"])
@pytest.mark.parametrize("family", ["udp4", "udp6"])
def test_every_call_reads_every_message(probe: Path, family: str, find: str) -> None:
    """Fifty channels of 100 messages a second lose nothing; the load is small."""
    segments = run_segments(
        probe,
        *(
            make_channels(
                number,
                call=call,
                family=family,
                find=find,
                batch=4 if call == "recvmmsg" else 1,
                name="yes" if call in ("recvfrom", "recvmsg", "recvmmsg") else "no",
            )
            for number, call in enumerate(CALLS)
        ),
    )
    for segment in segments:
        if segment["record"] == "refused":
            assert "udp6" == family
            continue
        check_channels(segment)
        assert 500 == segment["counters"]["sent"] == segment["counters"]["received"]


def test_multishot_receives_bring_every_message(probe: Path) -> None:
    """A call brings many; each burst ends with one that brings none."""
    words: dict[str, int | str] = {"call": "uring-recv-multishot", "find": "multishot"}
    segment, refused = run_segments(
        probe,
        make_channels(0, ring="defer-taskrun", **words),
        make_channels(1, ring="plain", **words),
    )
    if segment["record"] == "refused" and segment["step"] == "io_uring":
        pytest.skip(segment["text"])
    check_channels(segment)
    assert 500 == segment["counters"]["sent"] == segment["counters"]["received"]
    assert segment["calls"] < segment["datagrams"]
    assert segment["counters"]["ticks"] == segment["histograms"]["empty"]["count"]
    assert ("ring", "EINVAL") == (refused["step"], refused["errno"])
    assert "wake the reader" in refused["text"]


def test_a_batch_finds_a_socket_empty_without_another_call(probe: Path) -> None:
    """Few messages where many had room say that there are no more: no EAGAIN."""
    batched, single = run_segments(
        probe, make_channels(0, call="recvmmsg", batch=64), make_channels(1)
    )
    assert 0 == batched["histograms"]["empty"]["count"]
    assert single["histograms"]["empty"]["count"] > 0


def test_scanning_asks_every_socket_every_tick(probe: Path) -> None:
    """There are no looks, and with nothing pending on half of them as many empty calls."""
    (segment,) = run_segments(probe, make_channels(0, find="scan"))
    assert 0 == segment["histograms"]["find"]["count"]
    assert 50 * segment["counters"]["ticks"] == segment["histograms"]["empty"]["count"]


def test_latency_counts_from_the_time_that_was_meant(probe: Path) -> None:
    """A message waits for the next tick: half of one on average, and never less than nothing."""
    (segment,) = run_segments(probe, make_channels(0, duration_ms=500, tick_us=5_000))
    latency = segment["histograms"]["latency"]
    assert 0 <= latency["min"]
    assert latency["sum"] / latency["count"] > 2_000_000


def test_a_reader_that_cannot_keep_the_pace_misses_ticks_and_says_so(probe: Path) -> None:
    """A call with 2**19 multiplications takes several ticks of 100 us.

    There are 250 messages a second: a load that a busy machine bears too, so that bursts do not
    grow until one outlasts the measured part, which is long enough for a stall.
    """
    few = {"channels": 5, "interval_us": 20_000, "tick_us": 100, "duration_ms": 500}
    (segment,) = run_segments(probe, make_channels(0, work=1 << 19, **few))
    assert "segment" == segment["record"], segment
    counters = segment["counters"]
    assert counters["missed_ticks"] > 0
    assert counters["overruns"] > 0
    assert counters["late"] > 0
    assert counters["sent"] == counters["received"] + counters["lost"]


def test_a_reader_that_never_keeps_up_is_refused(probe: Path) -> None:
    """Bursts that grow until one outlasts everything leave nothing to measure, and say so.

    They do so while two intervals of 100 ms warm up, within which no sender is late for long.
    """
    slow = {"work": 1 << 20, "channels": 500, "interval_us": 100_000, "duration_ms": 10}
    after = make_channels(1, duration_ms=500)
    refused, measured = run_segments(probe, make_channels(0, **slow), after)
    assert "refused" == refused["record"], refused
    assert ("pace", "ETIME") == (refused["step"], refused["errno"])
    check_channels(measured)


def test_channels_need_a_descriptor_each(probe: Path) -> None:
    """Where the limit cannot be raised, the segment is refused by name and the next one runs."""
    drop = ["setpriv", "--bounding-set", "-sys_resource"] if os.geteuid() == 0 else []
    plan = make_plan(make_channels(0, channels=10_000), make_channels(1))
    finished = subprocess.run(
        ["prlimit", "--nofile=1000:1000", *drop, probe],
        input=plan.encode(),
        capture_output=True,
        check=True,
    )
    _, _, refused, measured, _ = finished.stdout.splitlines()
    assert b'"step":"descriptors","errno":"EMFILE"' in refused
    assert b"ulimit -n" in refused
    assert b'"record":"segment"' in measured


def test_cycles_are_no_clock_for_latency(probe: Path) -> None:
    finished = subprocess.run(
        [probe],
        input=make_plan(make_channels(0), clock="cycles").encode(),
        capture_output=True,
        check=False,
    )
    if finished.returncode == 1:
        pytest.skip("no cycle counter here")
    assert b'"step":"clock"' in finished.stdout


def test_a_measured_part_without_a_message_is_refused(probe: Path) -> None:
    """A message in 200 ms, looked for during 20: nine parts in ten have none, and no calls."""
    words: dict[str, int | str] = {"channels": 1, "interval_us": 200_000, "busy": 0}
    records = run_segments(probe, *(make_channels(at, **words, duration_ms=20) for at in range(4)))
    refused = [record for record in records if record["record"] == "refused"]
    assert {"pace"} == {record["step"] for record in refused}
    assert all(record["calls"] > 0 for record in records if record not in refused)
