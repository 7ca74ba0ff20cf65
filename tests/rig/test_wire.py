# SPDX-License-Identifier: MIT
"""The wire format as Python reads and writes it; the golden pair is also the C tests'."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sockmeter.model.errors import MachineError, ProbeError
from sockmeter.plan.designs import Request
from sockmeter.plan.designs import make_design as plan_design
from sockmeter.rig.wire import check_answers, decode_output, encode_plan
from tests.builders import make_arm, make_design
from tests.rig.fake_probe import FakeProbe, read_plan

GOLDEN = Path(__file__).parent.parent / "golden"


def make_output() -> bytes:
    plan = encode_plan(make_design(), [0, 1, 2], cap=0, cpu=1)
    return FakeProbe(lambda _: [1000, 1026]).run(plan)


def test_we_write_the_words_of_the_golden_plan() -> None:
    """The probe's reader takes the golden plan in its own tests; ours has the same keys."""
    arms = [make_arm(call, batch=1, name=True, connected=False) for call in ("recvfrom", "recvmsg")]
    ours = read_plan(encode_plan(make_design(arms=arms), [0, 1], cap=5000, cpu=1))
    golden = read_plan((GOLDEN / "wire.plan").read_text())
    assert [set(golden[0])] * 2 == [set(words) for words in ours]
    lines = (GOLDEN / "wire.plan").read_text().splitlines()
    assert {"sockmeter-plan 1", "clock auto", "cap 5000", "end"} <= set(lines)


def test_the_golden_output_is_understood() -> None:
    report = decode_output((GOLDEN / "wire.jsonl").read_bytes())
    for segment in report.segments:
        in_buckets = sum(count for _, count in segment.buckets)
        assert segment.count == in_buckets + segment.beyond_range


def test_an_output_without_its_end_is_void() -> None:
    lines = make_output().splitlines(keepends=True)
    with pytest.raises(ProbeError, match="before its end record"):
        decode_output(b"".join(lines[:-1]))


def test_an_end_that_does_not_add_up_is_void() -> None:
    """A segment lost in the middle is noticed, because the end counts them."""
    lines = make_output().splitlines(keepends=True)
    del lines[3]
    with pytest.raises(ProbeError, match="before its end record"):
        decode_output(b"".join(lines))


def test_a_probe_of_another_version_is_refused() -> None:
    output = make_output().replace(b'"wire":1', b'"wire":2', 1)
    with pytest.raises(ProbeError, match="wire version 2"):
        decode_output(output)


def test_the_probes_own_complaint_is_passed_on() -> None:
    with pytest.raises(ProbeError, match="line 3: unknown call"):
        decode_output(b'{"record":"error","line":3,"text":"unknown call"}\n')


def test_silence_is_an_error() -> None:
    with pytest.raises(ProbeError, match="said nothing"):
        decode_output(b"")


@given(st.binary())
def test_any_bytes_are_a_report_or_a_probe_error(output: bytes) -> None:
    with pytest.raises(ProbeError):
        decode_output(output)


def test_counters_and_histograms_come_back_with_their_segment() -> None:
    """The second segment of the golden output has them; the first does not, and is as before."""
    plain, rich = decode_output((GOLDEN / "wire.jsonl").read_bytes()).segments
    assert {} == plain.counters
    assert {"eagain": 17, "late_ns": 2**64 - 1} == rich.counters
    assert ("ticks", 2, 307) == (
        rich.histograms["burst"].unit,
        rich.histograms["burst"].count,
        rich.histograms["burst"].sum,
    )
    assert rich.histograms["silent"].min is None


def test_answers_for_other_arms_are_refused() -> None:
    report = decode_output(make_output())
    with pytest.raises(ProbeError, match="other arms"):
        check_answers(report, [0, 1])


def test_a_segment_that_cannot_be_is_refused() -> None:
    output = make_output().replace(b'"calls":2', b'"calls":0', 1)
    with pytest.raises(ProbeError, match="segment 0 cannot be: it made no call"):
        decode_output(output)


def test_a_clock_that_cannot_be_had_is_the_machines_fault() -> None:
    record = b'{"record":"error","line":2,"text":"clock cycles cannot be had: No such file"}\n'
    with pytest.raises(MachineError, match="--clock auto"):
        decode_output(record)


def test_a_paced_arm_is_planned_in_whole_units_of_its_keys() -> None:
    """Spans of time as numbers of µs and ms; a multishot call says how it finds work."""
    request = Request(
        scenario="channels",
        call=["recv", "uring-recv-multishot"],
        factors={"interval": ["20ms"], "tick": ["500us"], "duration": ["2s"]},
    )
    recv, multishot = read_plan(encode_plan(plan_design(request), [0, 1], cap=0, cpu=1))
    assert ("20000", "500", "2000") == (
        recv["interval_us"],
        recv["tick_us"],
        recv["duration_ms"],
    )
    assert ("epoll", "multishot") == (recv["find"], multishot["find"])
    assert "ring" not in recv
    assert ("defer-taskrun", "other") == (multishot["ring"], multishot["peer_cpu"])
