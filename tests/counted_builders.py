# SPDX-License-Identifier: MIT
"""Builders of counted runs: a test gives only the fields that matter to it."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sockmeter.model.arms import Arm
from sockmeter.model.counted import Boot, CountedArm, CountedKernel, CountedRun, Shape
from sockmeter.model.environment import Environment, Fact
from sockmeter.model.segments import Refusal
from tests.builders import make_arm, make_histogram, make_segment
from tests.explain.make_profiles import make_node, make_profile


def make_counted_arm(
    values: Sequence[int], arm: Arm | None = None, *, boot: int = 0, **segment: Any
) -> CountedArm:
    """Return an arm whose calls cost `values` in order.

    All of a call runs in sys_recvfrom but what is beyond the commonest cost: that is a refill.
    """
    counts = Counter(values)
    common = min(counts, key=lambda cost: (-counts[cost], cost))
    return CountedArm(
        arm=arm or make_arm(),
        boot=boot,
        segment=make_segment(0, values, **segment),
        refusal=None,
        values=[(cost, 1) for cost in values],
        idle_ns=0,
        shapes=[
            make_shape(cost, calls, common)
            for cost, calls in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        ],
    )


def make_counted_sends(
    values: Sequence[int], *, segments: int = 44, zerocopy: str = "no", **counters: int
) -> CountedArm:
    """Return sends of so many datagrams of 1,472 bytes, each of which cost a value.

    Without copying, each is followed by a poll of 1,022 instructions and a reading of 1,651.
    """
    common: dict[str, int | str] = {"family": "udp4", "size": 1472, "segments": segments}
    factors = {**common, "zerocopy": zerocopy, **({} if zerocopy == "no" else {"limit": 1})}
    sends = len(values)
    kept = {"sent_calls": sends, "returned_calls": sends, "notifications": sends}
    looks = {"read": [1651] * sends, "poll": [1022] * sends, "read_empty": []}
    histograms = {name: make_histogram(*costs) for name, costs in looks.items()}
    histograms["range"] = make_histogram(*[1] * sends, unit="sends")
    return make_counted_arm(
        values,
        Arm(scenario="zerocopy", call="send-gso", factors=factors),
        bytes=1472 * segments * sends,
        counters={} if zerocopy == "no" else kept | counters,
        histograms={} if zerocopy == "no" else histograms,
    )


def make_shape(cost: int, calls: int, common: int) -> Shape:
    refill = (
        [make_node("___slab_alloc", entries=calls, kinds={".": calls * (cost - common)})]
        if cost > common
        else []
    )
    own = min(cost, common) - 64
    return Shape(
        cost=cost,
        calls=calls,
        profile=make_profile(
            make_node(
                "sys_recvfrom",
                *refill,
                entries=calls,
                kinds={".": calls * own},
                iterations=calls * 64,
                iteration_bytes=calls * 64,
            ),
            calls=calls,
        ),
    )


def make_refused_arm(arm: Arm | None = None) -> CountedArm:
    return CountedArm(
        arm=arm or make_arm(),
        boot=0,
        segment=None,
        refusal=Refusal(arm=0, step="socket", errno="EAFNOSUPPORT", text="not supported"),
        values=[],
        idle_ns=0,
        shapes=[],
    )


def make_boot(**fields: Any) -> Boot:
    defaults: dict[str, Any] = {
        "kernel": 0,
        "parameters": [],
        "sysctls": {},
        "cpu_model": "haswell",
        "smp": 1,
        "command_line": "console=ttyS0",
        "remarks": [],
    }
    return Boot(**(defaults | fields))


def make_counted_run(arms: Sequence[CountedArm], **fields: Any) -> CountedRun:
    defaults: dict[str, Any] = {
        "started_at": "2026-11-30T15:00:00+00:00",
        "environment": Environment(facts={"host.cpus": Fact(value=2)}),
        "command": "sockmeter count recv --call recvfrom --kernel debian:6.1",
        "sockmeter_version": "0.1.0",
        "emulator": "QEMU emulator version 7.2.22",
        "probe_sha256": "ab" * 32,
        "scenario": "recv",
        "calls": 4,
        "warmup": 512,
        "queue": 64,
        "kernels": [
            CountedKernel(
                name="debian:6.1",
                release="6.1.0-57-cloud-amd64",
                version="6.1.0-57-cloud-amd64 (builder) #1 SMP",
                sha256="cd" * 32,
                source="file",
            )
        ],
        "boots": [make_boot()],
        "arms": list(arms),
        "proved_calls": sum(calls for arm in arms for _, calls in arm.values),
    }
    return CountedRun(**(defaults | fields))
