# SPDX-License-Identifier: MIT
"""What observing costs a call: the same loop with and without the clock, in one process.

The clock of the whole loop is read in both, so the difference of the two is what reading and
logging add to each call; the elapsed time holds the bucketing after each burst as well.
"""

from collections.abc import Callable, Iterator

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
    """Yield the cost of observing, in the loop and all in, and the probe's memory."""
    probe, cpu = find_probe(), choose_cpu()
    # The empty bracket has no socket to fill or drain, so its elapsed time holds the bucketing too.
    yield _bound("observing null, all in", _request("send", "null"), _elapsed_ticks, probe, cpu)
    yield _bound("observing recv, in the loop", _request("recv", "recv"), _loop_ticks, probe, cpu)
    design = make_design(_request("recv", "recv"))
    resident_bytes = _run(probe, design, cpu, observe=True).instrument.resident_bytes
    if resident_bytes is not None:
        yield Bound(
            "resident memory of the probe",
            resident_bytes / 2**20,
            MOST_RESIDENT_BYTES / 2**20,
            "MiB",
        )


def _request(scenario: str, call: str) -> Request:
    return Request(scenario=scenario, call=[call], rounds=ROUNDS, calls=20_000)


def _bound(
    name: str, request: Request, cost_of: Callable[[Report], float], probe: LocalProbe, cpu: int
) -> Bound:
    design = make_design(request)
    costs = []
    for number in range(ROUNDS):
        first = number % 2 == 0
        pair = [cost_of(_run(probe, design, cpu, observe=each)) for each in (first, not first)]
        costs.append(pair[0] - pair[1] if first else pair[1] - pair[0])
    interval = sign_interval(np.array(costs), 0.05)
    detail = f"95 % interval {interval.low:.1f} to {interval.high:.1f}, {ROUNDS} pairs"
    return Bound(name, interval.estimate, MOST_TICKS, "ticks a call", detail)


def _loop_ticks(report: Report) -> float:
    (segment,) = report.segments
    return segment.loop / segment.calls


def _elapsed_ticks(report: Report) -> float:
    (segment,) = report.segments
    return segment.elapsed_ns * (report.instrument.clock.clock_hz or 1e9) / 1e9 / segment.calls


def _run(probe: LocalProbe, design: Design, cpu: int, *, observe: bool) -> Report:
    plan = encode_plan(design, [0], cap=0, cpu=cpu, observe=observe)
    return decode_output(probe.run(plan))
