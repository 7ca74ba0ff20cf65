# SPDX-License-Identifier: MIT
"""The host rig: rounds in fresh processes on this machine, timed by its own clock."""

import os
from collections.abc import Sequence

import msgspec

from sockmeter.model.errors import MachineError, ProbeError
from sockmeter.model.runs import Design, Instrument
from sockmeter.model.segments import Segment
from sockmeter.plan.designs import SHORTEST_SEGMENT_NS
from sockmeter.plan.pacing import duration_s, is_paced, shortened
from sockmeter.rig.probe import Probe
from sockmeter.rig.rigs import Outcome
from sockmeter.rig.wire import Report, arm_of, check_answers, decode_output, encode_plan

CALIBRATION_CALLS = 1_000


class HostRig:
    """Times calls on the machine that this runs on; satisfies `rig.rigs.Rig`."""

    name = "host"

    def __init__(self, probe: Probe, *, cpu: int) -> None:
        self._probe = probe
        self._cpu = cpu

    def prepare(self, design: Design) -> tuple[Design, Instrument]:
        """Ask the probe what it is, and size the segments: one number of calls for all arms.

        One short round, never judged. The shortest segment must last 10 ms, so the fastest arm
        decides; the empty bracket has no socket and would ask for millions, so it does not. A
        segment that goes by the clock is as long as its arm says.
        """
        trial = msgspec.structs.replace(
            design,
            arms=[shortened(arm) for arm in design.arms],
            calls=min(design.calls, CALIBRATION_CALLS),
        )
        report = self._run(trial, range(len(design.arms)), cap=0)
        costs_ns = [
            segment.elapsed_ns / segment.calls
            for segment in report.segments
            if not is_paced(arm := arm_of(design, segment.arm)) and arm.call != "null"
        ]
        calls = design.calls
        if costs_ns:
            calls = max(calls, int(SHORTEST_SEGMENT_NS / min(costs_ns)) + 1)
        # Whole bursts: the probe rounds up to them. Sockets that hold less make shorter ones.
        calls = -(-calls // design.queue) * design.queue
        return msgspec.structs.replace(design, calls=calls), report.instrument

    def run_round(self, design: Design, order: Sequence[int], cap: int) -> Outcome:
        """Run a segment of every arm in one fresh process."""
        try:
            report = self._run(design, order, cap=cap)
        except ProbeError as error:
            return Outcome(segments=[], refusals=[], dropped=str(error))
        return Outcome(
            segments=report.segments,
            refusals=report.refusals,
            dropped=_reason_to_drop(report.segments, design.steal_limit),
        )

    def _run(self, design: Design, order: Sequence[int], *, cap: int) -> Report:
        plan = encode_plan(design, order, cap=cap, cpu=self._cpu)
        paced_s = duration_s(arm_of(design, index) for index in order)
        return check_answers(decode_output(self._probe.run(plan, paced_s=paced_s)), order)


def choose_cpu() -> int:
    """Return the last CPU that this process may run on: the first ones serve most interrupts."""
    try:
        return max(os.sched_getaffinity(0))
    except OSError as error:
        raise MachineError(
            f"sched_getaffinity: {error.strerror}: which CPUs are allowed is not told",
            mend="name one with --cpu and allow the call where this is sandboxed",
        ) from error


def _reason_to_drop(segments: Sequence[Segment], steal_limit: float) -> str | None:
    """Return why the round does not count, by rules that do not know which arm they look at."""
    if any(segment.clock_back for segment in segments):
        return "the clock ran back"
    if any(segment.cpu_start != segment.cpu_end for segment in segments):
        return "the thread moved to another CPU"
    # Steal moves in steps of 10 ms, as long as a segment: only the round can be looked at.
    known = [(each.steal_ns, each.elapsed_ns) for each in segments if each.steal_ns is not None]
    steal_ns, elapsed_ns = (sum(column) for column in zip(*known, strict=True)) if known else (0, 0)
    if steal_ns > steal_limit * elapsed_ns:
        return f"the hypervisor stole {steal_ns / elapsed_ns:.0%} of the round"
    return None
