# SPDX-License-Identifier: MIT
"""Builders of values: a test gives only the fields that matter to it."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sockmeter.model.arms import Arm
from sockmeter.model.buckets import bucket_of
from sockmeter.model.environment import Environment, Fact
from sockmeter.model.runs import Clock, Design, Ending, EndingKind, Instrument, Look, Round, Run
from sockmeter.model.segments import Histogram, Segment
from sockmeter.model.units import Unit


def make_arm(call: str = "recvfrom", **factors: int | str | bool) -> Arm:
    return Arm(scenario="recv", call=call, factors={"family": "udp4", "size": 64, **factors})


def make_design(**fields: Any) -> Design:
    defaults: dict[str, Any] = {
        "scenario": "recv",
        "arms": [make_arm("recvfrom"), make_arm("recvmsg")],
        "looks": [Look(20, 0.010), Look(40, 0.015), Look(80, 0.025)],
        "effect": 0.01,
        "seed": 1,
        "calls": 5000,
        "warmup": 512,
        "queue": 64,
        "clock": "auto",
        "steal_limit": 0.1,
    }
    return Design(**(defaults | fields))


def make_clock(**fields: Any) -> Clock:
    defaults: dict[str, Any] = {
        "name": "tsc",
        "unit": Unit.TICKS,
        "bracket": "lfence;rdtsc;lfence",
        "bracket_cost": 52.0,
        "quantum": 26,
        "clock_hz": 2.6e9,
    }
    return Clock(**(defaults | fields))


def make_instrument(**fields: Any) -> Instrument:
    defaults: dict[str, Any] = {
        "probe_version": "0.1.0",
        "arch": "x86_64",
        "clock": make_clock(),
        "memory_locked": True,
        "resident_bytes": 4_000_000,
        "could_not": [],
    }
    return Instrument(**(defaults | fields))


def make_segment(arm: int = 0, values: Sequence[int] = (1000,) * 100, **fields: Any) -> Segment:
    """Make the segment that a probe would report for calls of these costs, in clock units."""
    buckets: dict[int, int] = {}
    for value in values:
        buckets[bucket_of(value)] = buckets.get(bucket_of(value), 0) + 1
    defaults: dict[str, Any] = {
        "arm": arm,
        "depth": 64,
        "calls": len(values),
        "datagrams": len(values),
        "bytes": 64 * len(values),
        "failed": {},
        "short": 0,
        "count": len(values),
        "sum": sum(values),
        "min": min(values, default=None),
        "max": max(values, default=None),
        "over_cap_count": 0,
        "over_cap_sum": 0,
        "beyond_range": 0,
        "clock_back": 0,
        "loop": sum(values),
        "elapsed_ns": 10_000_000,
        "thread_cpu_ns": 9_900_000,
        "steal_ns": 0,
        "voluntary_switches": 0,
        "involuntary_switches": 0,
        "cpu_start": 1,
        "cpu_end": 1,
        "fifo_priority": 1,
        "buckets": sorted(buckets.items()),
    }
    return Segment(**(defaults | fields))


def make_histogram(*values: int, **fields: Any) -> Histogram:
    """Make the histogram that a probe would report of these values."""
    defaults: dict[str, Any] = {
        "unit": "ticks",
        "count": len(values),
        "sum": sum(values),
        "min": min(values, default=None),
        "max": max(values, default=None),
        "buckets": sorted(Counter(map(bucket_of, values)).items()),
    }
    return Histogram(**(defaults | fields))


def make_zerocopy(values: Sequence[int], **fields: Any) -> Segment:
    """Make a segment whose every send has a notification of its own, read at once, uncopied."""
    sends = len(values)
    counters = {
        "sent_calls": sends,
        "returned_calls": sends,
        "notifications": sends,
        "marked_notifications": 0,
        "impossible_notifications": 0,
        "out_of_order_notifications": 0,
        "copied_calls_least": 0,
        "copied_calls_most": 0,
        "optmem_refused_calls": 0,
        "memlock_refused_calls": 0,
    } | fields.pop("counters", {})
    histograms = {
        "read": make_histogram(*[500] * sends),
        "read_empty": make_histogram(),
        "poll": make_histogram(*[300] * sends),
        "delay": make_histogram(*[900] * sends),
        "range": make_histogram(*[1] * sends, unit="sends"),
    }
    return make_segment(0, values, counters=counters, histograms=histograms, **fields)


def make_round(number: int = 1, segments: Sequence[Segment] = (), **fields: Any) -> Round:
    defaults: dict[str, Any] = {
        "number": number,
        "order": [segment.arm for segment in segments],
        "started_ns": number * 100_000_000,
        "cap": 0 if number == 1 else 10_000,
        "segments": list(segments),
        "refusals": [],
        "dropped": None,
    }
    return Round(**(defaults | fields))


def make_ending(**fields: Any) -> Ending:
    defaults: dict[str, Any] = {
        "kind": EndingKind.SETTLED,
        "detail": "at the look after 20 rounds",
        "finished_at": "2026-11-30T15:00:05+00:00",
        "load_1min": 0.1,
    }
    return Ending(**(defaults | fields))


def make_run(rounds: Sequence[Round] = (), **fields: Any) -> Run:
    defaults: dict[str, Any] = {
        "rig": "host",
        "started_at": "2026-11-30T15:00:00+00:00",
        "command": "sockmeter run recv --call recvfrom,recvmsg",
        "sockmeter_version": "0.1.0",
        "design": make_design(),
        "instrument": make_instrument(),
        "environment": Environment(facts={"kernel.release": Fact(value="6.18.0")}),
        "rounds": list(rounds),
        "ending": make_ending(),
    }
    return Run(**(defaults | fields))
