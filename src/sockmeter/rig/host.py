# SPDX-License-Identifier: MIT
"""The host rig: rounds in fresh processes on this machine, timed by its own clock."""

import math
import os
from collections.abc import Sequence
from contextlib import nullcontext

import msgspec

from sockmeter.model.arms import Arm
from sockmeter.model.errors import MachineError, PlanError, ProbeError
from sockmeter.model.runs import Design, Instrument
from sockmeter.model.segments import Refusal, Segment
from sockmeter.plan.designs import SHORTEST_SEGMENT_NS, Request, make_design
from sockmeter.plan.outbound import with_sink
from sockmeter.plan.pacing import duration_s, is_paced, shortened
from sockmeter.rig.probe import SHORTER, TIME_LIMIT_S, Probe
from sockmeter.rig.rigs import Outcome
from sockmeter.rig.sinks import NamespaceRefusedError
from sockmeter.rig.turning import Journal, Stage
from sockmeter.rig.wire import Report, arm_of, check_answers, decode_output, encode_plan

CALIBRATION_CALLS = 1_000
LONGEST_BURST = 65_536  # calls that the probe logs
TOO_LATE = "pace"  # the step of a refusal (docs/wire.md)


class HostRig:
    """Times calls on the machine that this runs on; satisfies `rig.rigs.Rig`."""

    name = "host"

    def __init__(self, probe: Probe, *, cpu: int, stage: Stage | None = None) -> None:
        self._probe = probe
        self._cpu = cpu
        self._stage = stage or Stage(None, {}, Journal(), is_staged=False)
        self._measured: set[int] = set()  # arms that had a segment in some round

    def prepare(self, design: Design) -> tuple[Design, Instrument]:
        """Ask the probe what it is, name the sinks, and size the segments, for every arm the same.

        One short round, never judged. The shortest segment must last 10 ms, so the fastest arm
        decides; the empty bracket has no socket and would ask for millions, so it does not. A
        segment that goes by the clock is as long as its arm says.
        """
        named = self._with_sinks(design)
        trial = msgspec.structs.replace(
            named,
            arms=[shortened(arm) for arm in named.arms],
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
        burst = _common_burst(named)
        _refuse_endless(calls * (sum(costs_ns) + costs_ns[0]) / 1e9 if costs_ns else 0.0)
        return msgspec.structs.replace(named, calls=-(-calls // burst) * burst), report.instrument

    def try_arms(self, arms: Sequence[Arm]) -> list[Refusal | None]:
        """Make a single call of each arm; return why it is refused, None where it is not.

        One that only came too late for its schedule is not refused: such a machine is busy.
        Raises ProbeError where the probe did not do its work.
        """
        if not arms:
            return []
        # Arms of all scenarios: the design's own, of any that has an empty bracket, makes way.
        once = make_design(Request(scenario="recv", call=["null"], calls=1))
        design = self._with_sinks(msgspec.structs.replace(once, arms=[*arms], warmup=0))
        report = self._run(design, range(len(arms)), cap=0)
        refusals = {each.arm: each for each in report.refusals if each.step != TOO_LATE}
        return [refusals.get(at) for at in range(len(arms))]

    def run_round(self, design: Design, order: Sequence[int], cap: int) -> Outcome:
        """Run a segment of every arm in one fresh process, or in one each."""
        try:
            report = self._run(design, order, cap=cap)
        except ProbeError as error:
            return Outcome(segments=[], refusals=[], dropped=str(error))
        refusals = [each for each in report.refusals if not self._is_disturbance(each)]
        reason = _reason_to_drop(report.segments, design.steal_limit)
        if len(refusals) < len(report.refusals):
            reason = "the schedule of an arm that is measured in others was not kept"
        self._measured.update(segment.arm for segment in report.segments)
        return Outcome(segments=report.segments, refusals=refusals, dropped=reason)

    def _is_disturbance(self, refusal: Refusal) -> bool:
        """Say whether what refused an arm is the machine's moment and not the arm."""
        return refusal.step == TOO_LATE and refusal.arm in self._measured

    def _run(self, design: Design, order: Sequence[int], *, cap: int) -> Report:
        """Run segments in one process, unless arms differ by a setting of the machine.

        A process that began under another setting may have kept some of it.
        """
        refusals = [
            self._refusal(index, self._stage.why_not(arm_of(design, index))) for index in order
        ]
        refused = [each for each in refusals if each is not None]
        left = [index for index, each in zip(order, refusals, strict=True) if each is None]
        settings = [self._stage.settings(arm) for arm in design.arms]
        is_shared = all(each == settings[0] for each in settings)
        parts = [left] if is_shared else [[index] for index in left]
        reports = [self._run_part(design, part, cap) for part in parts or [[]]]
        return Report(
            instrument=reports[0].instrument,
            segments=[segment for report in reports for segment in report.segments],
            refusals=refused + [refusal for report in reports for refusal in report.refusals],
        )

    def _run_part(self, design: Design, order: Sequence[int], cap: int) -> Report:
        """Run segments whose arms have the same settings."""
        try:
            with self._stage.turned(arm_of(design, order[0])) if order else nullcontext():
                return self._ask_probe(design, order, cap)
        except NamespaceRefusedError as error:
            report = self._ask_probe(design, [], cap)
            refusals = [self._refusal(index, error) for index in order]
            return msgspec.structs.replace(
                report, refusals=[each for each in refusals if each is not None]
            )

    def _ask_probe(self, design: Design, order: Sequence[int], cap: int) -> Report:
        plan = encode_plan(design, order, cap=cap, cpu=self._cpu)
        paced_s = duration_s(arm_of(design, index) for index in order)
        return check_answers(decode_output(self._probe.run(plan, paced_s=paced_s)), order)

    def _refusal(self, arm: int, error: NamespaceRefusedError | None) -> Refusal | None:
        if error is None:
            return None
        return Refusal(arm=arm, step=error.step, errno=error.errno_name, text=error.text)

    def _with_sinks(self, design: Design) -> Design:
        best = self._stage.best_sink()
        return msgspec.structs.replace(design, arms=[with_sink(arm, best) for arm in design.arms])


def _refuse_endless(round_s: float) -> None:
    """Raise PlanError for a round that the probe is not given the time for."""
    if round_s > TIME_LIMIT_S:
        raise PlanError(
            f"a round would take {round_s:,.0f} s, more than the {TIME_LIMIT_S:.0f} s that it has",
            mend=SHORTER,
        )


def _common_burst(design: Design) -> int:
    """Return the calls of a burst that every arm makes whole bursts of; 1 where it were huge."""
    common = math.lcm(*(_burst_of(arm, design.queue) for arm in design.arms))
    return common if common <= LONGEST_BURST else 1


def _burst_of(arm: Arm, queue: int) -> int:
    """Return the calls of a burst as the probe makes it: of whole calls and of whole messages."""
    sends, cork = int(arm.factors.get("limit", queue)), int(arm.factors.get("cork", 1))
    whole = -(-sends // cork) * cork
    if whole > LONGEST_BURST:
        whole -= cork
    return max(1, whole // int(arm.factors.get("batch", 1)))


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
