# SPDX-License-Identifier: MIT
"""What observing costs a call: the same loop with and without the clock, in one process.

The clock of the whole loop is read in both, so the difference of the two is what reading,
subtracting and bucketing add to each call, wherever it falls.
"""

from collections.abc import Iterator

import numpy as np

from sockmeter.judge.intervals import sign_interval
from sockmeter.model.runs import Design
from sockmeter.plan.designs import Request, make_design
from sockmeter.rig.host import choose_cpu
from sockmeter.rig.probe import LocalProbe, find_probe
from sockmeter.rig.wire import Report, decode_output, encode_plan
from tests.bench.bounds import Bound

ROUNDS = 40
MOST_TICKS = 60.0
MOST_RESIDENT_BYTES = 16 * 1024 * 1024


def measure_observing() -> Iterator[Bound]:
    """Yield the cost of observing for two receives, and the probe's memory."""
    probe, cpu = find_probe(), choose_cpu()
    for scenario, call in (("recv", "recv"), ("recv", "recvmsg")):
        design = make_design(Request(scenario=scenario, call=[call], rounds=ROUNDS, calls=20_000))
        costs = []
        for number in range(ROUNDS):
            first = number % 2 == 0
            loops = [_loop_per_call(probe, design, cpu, observe=first)]
            loops.append(_loop_per_call(probe, design, cpu, observe=not first))
            costs.append(loops[0] - loops[1] if first else loops[1] - loops[0])
        interval = sign_interval(np.array(costs), 0.05)
        yield Bound(
            f"observing {call}, all in",
            interval.estimate,
            MOST_TICKS,
            "ticks a call",
            f"95 % interval {interval.low:.1f} to {interval.high:.1f}, {ROUNDS} pairs",
        )
    report = _run(probe, design, cpu, observe=True)
    yield Bound(
        "resident memory of the probe",
        report.instrument.resident_bytes / 2**20,
        MOST_RESIDENT_BYTES / 2**20,
        "MiB",
    )


def _loop_per_call(probe: LocalProbe, design: Design, cpu: int, *, observe: bool) -> float:
    (segment,) = _run(probe, design, cpu, observe=observe).segments
    return segment.loop / segment.calls


def _run(probe: LocalProbe, design: Design, cpu: int, *, observe: bool) -> Report:
    plan = encode_plan(design, [0], cap=0, cpu=cpu, observe=observe)
    return decode_output(probe.run(plan))
