# SPDX-License-Identifier: MIT
"""The probe as one executable: plans in, records out, on this machine."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.system

ROOT = Path(__file__).parents[2]
BUILT = ("build/probe/sockmeter-probe", "build/tests/probe/sockmeter-probe")
DEPTH = 64
MEBIBYTE = 1 << 20

RECEIVES = ("recv", "recvfrom", "recvmsg", "recvmmsg", "read", "readv")
SENDS = ("send", "sendto", "sendmsg", "sendmmsg", "write", "writev")
FAMILIES = ("udp4", "udp6", "tcp4", "tcp6", "unix-stream", "unix-dgram")

Record = dict[str, Any]


@pytest.fixture(scope="module")
def probe() -> Path:
    """Return the executable that SOCKMETER_PROBE names, or a built one."""
    named = os.environ.get("SOCKMETER_PROBE")
    candidates = [Path(named)] if named else [ROOT / path for path in BUILT]
    for path in candidates:
        if path.is_file():
            return path
    pytest.skip(f"no probe: none of {', '.join(map(str, candidates))} is there")


def make_segment(segment_id: int, **words: int | str) -> str:
    values: dict[str, int | str] = {
        "id": segment_id,
        "scenario": "recv",
        "call": "recvfrom",
        "family": "udp4",
        "size": 64,
        "batch": 1,
        "name": "no",
        "control": "none",
        "connected": "yes",
        "cpu": -1,
        "priority": "auto",
        "calls": 1000,
        "warmup": 128,
        "queue": DEPTH,
        "observe": "yes",
        "work": 0,
    }
    return " ".join(["segment", *(f"{key}={value}" for key, value in (values | words).items())])


def make_plan(*segments: str, clock: str = "auto", cap: int = 0) -> str:
    return "\n".join(["sockmeter-plan 1", f"clock {clock}", f"cap {cap}", *segments, "end", ""])


def run_probe(probe: Path, plan: str) -> tuple[int, list[Record]]:
    finished = subprocess.run([probe], input=plan.encode(), capture_output=True, check=False)
    return finished.returncode, [json.loads(line) for line in finished.stdout.splitlines()]


def run_segments(probe: Path, *segments: str, **head: Any) -> list[Record]:
    """Run a plan that must succeed and return its records between the machine and the end."""
    status, records = run_probe(probe, make_plan(*segments, **head))
    assert 0 == status, records
    assert ["version", "machine"] == [record["record"] for record in records[:2]]
    assert "end" == records[-1]["record"]
    return records[2:-1]


def lower_edge(index: int) -> int:
    exponent = max(index // 128 - 1, 0)
    return (index - 128 * exponent) << exponent


def median(segment: Record) -> int:
    """Return the lower edge of the bucket that holds the median."""
    left = segment["count"] / 2
    for index, count in segment["buckets"]:
        left -= count
        if left <= 0:
            return lower_edge(index)
    raise AssertionError("more calls than the buckets hold")


def allowed_by(records: Sequence[Record]) -> list[Record]:
    """Leave out the families that this machine does not have: IPv6 may be off."""
    return [record for record in records if record["record"] == "segment"]


def check_laws(segment: Record) -> None:
    """Hold what docs/wire.md says of every observed segment."""
    in_buckets = sum(count for _, count in segment["buckets"])
    indices = [index for index, _ in segment["buckets"]]
    lowest = sum(count * lower_edge(index) for index, count in segment["buckets"])
    highest = sum(count * (lower_edge(index + 1) - 1) for index, count in segment["buckets"])
    assert segment["count"] - segment["beyond_range"] == in_buckets
    assert segment["calls"] == segment["count"] + segment["clock_back"]
    assert sorted(set(indices)) == indices
    if not segment["beyond_range"]:
        assert lowest <= segment["sum"] <= highest
    assert segment["min"] <= segment["max"]
    if not segment["clock_back"]:
        assert segment["sum"] == segment["loop"]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("scenario", "calls"), [("recv", RECEIVES), ("send", SENDS)])
def test_every_call_of_every_family_moves_every_byte(
    probe: Path, family: str, scenario: str, calls: Sequence[str]
) -> None:
    """Nothing fails or is short where nobody disturbs the sockets, and the sums agree."""
    batches = [8 if "mmsg" in call else 1 for call in calls]
    segments = allowed_by(
        run_segments(
            probe,
            *(
                make_segment(i, scenario=scenario, call=call, family=family, batch=batches[i])
                for i, call in enumerate(calls)
            ),
        )
    )
    for segment in segments:
        batch = batches[segment["id"]]
        check_laws(segment)
        assert {} == segment["failed"]
        assert 0 == segment["short"]
        assert segment["calls"] * batch == segment["datagrams"]
        assert segment["datagrams"] * 64 == segment["bytes"]
        assert 0 == segment["calls"] * batch % segment["depth"]
        assert segment["calls"] >= 1000


def test_the_null_call_is_cheaper_than_any_other(probe: Path) -> None:
    """It is the bracket and the loop alone."""
    null, *others = run_segments(
        probe,
        make_segment(0, call="null"),
        *(make_segment(i + 1, call=call) for i, call in enumerate(RECEIVES)),
    )
    assert {"datagrams": 0, "bytes": 0, "short": 0} == {
        key: null[key] for key in ("datagrams", "bytes", "short")
    }
    check_laws(null)
    assert median(null) < min(median(other) for other in others)


def test_recvmsg_costs_more_than_recvfrom(probe: Path) -> None:
    """The message header is copied in and out; the least of each is all but free of noise."""
    recvfrom, recvmsg = (
        min(segment["min"] for segment in segments)
        for segments in zip(
            *(
                run_segments(probe, make_segment(0), make_segment(1, call="recvmsg"))
                for _ in range(5)
            ),
            strict=True,
        )
    )
    assert recvfrom < recvmsg


def test_injected_work_is_inside_the_bracket(probe: Path) -> None:
    """A thousand dependent multiplications take at least a cycle each."""
    plain, working = run_segments(
        probe, make_segment(0, call="null"), make_segment(1, call="null", work=1000)
    )
    assert median(working) > median(plain) + 500


def test_an_unobserved_segment_has_a_loop_and_no_histogram(probe: Path) -> None:
    """Its calls are counted all the same."""
    (segment,) = run_segments(probe, make_segment(0, observe="no"))
    assert 0 == segment["count"] == segment["sum"]
    assert segment["min"] is None
    assert segment["max"] is None
    assert [] == segment["buckets"]
    assert segment["loop"] > 0
    assert segment["calls"] == segment["datagrams"]


def test_calls_above_the_cap_are_counted_and_summed_apart(probe: Path) -> None:
    """A cap of one clock unit is below every call."""
    (segment,) = run_segments(probe, make_segment(0), cap=1)
    assert segment["count"] == segment["over_cap_count"]
    assert segment["sum"] == segment["over_cap_sum"]


def test_the_queue_is_lowered_to_what_the_sockets_hold(probe: Path) -> None:
    """A Unix datagram socket holds max_dgram_qlen + 1 messages, whatever its buffers."""
    limit = int(Path("/proc/sys/net/unix/max_dgram_qlen").read_text())
    (segment,) = run_segments(
        probe,
        make_segment(0, family="unix-dgram", connected="no", queue=limit + 500),
    )
    assert limit + 1 == segment["depth"]
    assert {} == segment["failed"]


def test_a_batch_that_the_queue_cannot_hold_is_refused(probe: Path) -> None:
    """Never lowered below the batch: that would be another measurement."""
    limit = int(Path("/proc/sys/net/unix/max_dgram_qlen").read_text())
    batch = limit + 2
    (refused,) = run_segments(
        probe,
        make_segment(
            7, call="recvmmsg", family="unix-dgram", connected="no", batch=batch, queue=batch
        ),
    )
    assert {
        "record": "refused",
        "id": 7,
        "step": "queue",
        "errno": "ENOBUFS",
        "text": "No buffer space available",
    } == refused


def test_the_largest_datagram_is_measured(probe: Path) -> None:
    """65,507 bytes over IPv4."""
    (segment,) = run_segments(probe, make_segment(0, size=65507, calls=100, queue=4))
    assert segment["calls"] * 65507 == segment["bytes"]


def test_a_cpu_that_is_not_there_is_refused_and_the_plan_goes_on(probe: Path) -> None:
    """No machine has CPU 8191 of ours."""
    refused, segment = run_segments(probe, make_segment(0, cpu=8191), make_segment(1))
    assert ("pin", "EINVAL") == (refused["step"], refused["errno"])
    assert 1 == segment["id"]


def test_a_pinned_segment_stays_where_it_was_put(probe: Path) -> None:
    """And an unpinned one after it has no CPU whose steal could be counted."""
    cpu = min(os.sched_getaffinity(0))
    pinned, free = run_segments(probe, make_segment(0, cpu=cpu), make_segment(1))
    assert cpu == pinned["cpu_start"] == pinned["cpu_end"]
    assert isinstance(pinned["steal_ns"], int)
    assert free["steal_ns"] is None


def test_the_end_record_counts_what_ran_and_what_was_refused(probe: Path) -> None:
    """And stands last."""
    status, records = run_probe(
        probe, make_plan(make_segment(0), make_segment(1, cpu=8191), make_segment(2))
    )
    assert 0 == status
    assert {"record": "end", "segments": 2, "refused": 1} == records[-1]


def test_a_plan_of_nothing_says_what_the_machine_is(probe: Path) -> None:
    """At most 16 MiB stay resident, whatever is measured later: all is touched by then."""
    status, records = run_probe(probe, make_plan())
    assert 0 == status
    assert ["version", "machine", "end"] == [record["record"] for record in records]
    machine = records[1]
    assert 0 < machine["resident_bytes"] <= 16 * MEBIBYTE
    assert machine["quantum"] >= 1
    assert 0 == machine["bracket_cost"] % machine["quantum"]


def test_clock_gettime_can_be_asked_for(probe: Path) -> None:
    """Its unit is the nanosecond, and it runs at a thousand million of them a second."""
    status, records = run_probe(probe, make_plan(make_segment(0), clock="clock_gettime"))
    assert 0 == status
    assert ("clock_gettime", "ns") == (records[1]["clock"], records[1]["unit"])
    assert 1e9 == pytest.approx(records[1]["clock_hz"], rel=1e-4)
    check_laws(records[2])


def test_cycles_are_counted_or_refused_but_never_replaced(probe: Path) -> None:
    """A guest often has no PMU: then there is an error record and nothing is measured."""
    status, records = run_probe(probe, make_plan(make_segment(0), clock="cycles"))
    if status == 0:
        assert ("cycles", "cycles", None) == (
            records[1]["clock"],
            records[1]["unit"],
            records[1]["clock_hz"],
        )
        check_laws(records[2])
        return
    assert 1 == status
    assert ["version", "error"] == [record["record"] for record in records]
    assert 2 == records[1]["line"]


@pytest.mark.parametrize(
    ("plan", "line"),
    [
        ("", 0),
        (make_plan(make_segment(0)).removesuffix("end\n"), 0),
        (make_plan(make_segment(0))[:-40], 4),
        ("sockmeter-plan 2\nend\n", 1),
        (make_plan(make_segment(0, call="recvfro")), 4),
        (make_plan(make_segment(0), make_segment(0)), 5),
        (make_plan(make_segment(0, family="tcp4", connected="no")), 4),
        (make_plan(make_segment(0)) + "# " + "x" * (1 << 18), 0),
    ],
)
def test_a_plan_not_understood_has_a_line_and_runs_nothing(
    probe: Path, plan: str, line: int
) -> None:
    """The version record stands before the error, nothing after it."""
    status, records = run_probe(probe, plan)
    assert 2 == status
    assert ["version", "error"] == [record["record"] for record in records]
    assert line == records[1]["line"]
    assert records[1]["text"]


def test_bytes_that_are_no_text_come_back_as_json(probe: Path) -> None:
    """The plan may be anything; the output is always ASCII."""
    finished = subprocess.run([probe], input=b'\xff\x00"\n', capture_output=True, check=False)
    assert 2 == finished.returncode
    assert finished.stdout.isascii()
    assert "error" == json.loads(finished.stdout.splitlines()[1])["record"]


def test_a_full_disk_is_a_failure(probe: Path) -> None:
    """The records that were lost are not taken for written."""
    with open("/dev/full", "wb") as full:
        finished = subprocess.run(
            [probe], input=make_plan().encode(), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert 1 == finished.returncode
    assert b"No space left on device" in finished.stderr
