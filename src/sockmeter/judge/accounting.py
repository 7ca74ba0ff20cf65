# SPDX-License-Identifier: MIT
"""Where a segment's time went, as two instruments see it: the clock of the calls and the kernel's.

Calls times their mean can be no more than the CPU time that the kernel charged to the thread; what
is left is filling, draining and the harness.
"""

import msgspec

from sockmeter.model.runs import Clock, Run
from sockmeter.model.segments import Segment
from sockmeter.model.units import Unit


class Accounting(msgspec.Struct, frozen=True, kw_only=True):
    """One arm over all kept rounds."""

    elapsed_ns: int
    thread_cpu_ns: int
    in_calls_ns: float | None  # calls times their mean; None where the clock is no time
    involuntary_switches: int
    voluntary_switches: int
    steal_ns: int | None  # None where no segment could tell

    @property
    def share_on_cpu(self) -> float | None:
        """CPU time over elapsed time, 0 … 1; None where nothing elapsed."""
        return self.thread_cpu_ns / self.elapsed_ns if self.elapsed_ns else None

    @property
    def share_in_calls(self) -> float | None:
        """Time in the calls over CPU time; above 1 the instruments contradict each other."""
        if self.in_calls_ns is None or self.thread_cpu_ns == 0:
            return None
        return self.in_calls_ns / self.thread_cpu_ns


def account(run: Run, arm: int) -> Accounting | None:
    """Return where the time of an arm's segments went; None where it has none."""
    segments = [
        segment
        for finished in run.rounds
        if finished.dropped is None
        for segment in finished.segments
        if segment.arm == arm
    ]
    if not segments:
        return None
    steals_ns = [segment.steal_ns for segment in segments if segment.steal_ns is not None]
    return Accounting(
        elapsed_ns=sum(segment.elapsed_ns for segment in segments),
        thread_cpu_ns=sum(segment.thread_cpu_ns for segment in segments),
        in_calls_ns=_in_calls_ns(segments, run.instrument.clock),
        involuntary_switches=sum(segment.involuntary_switches for segment in segments),
        voluntary_switches=sum(segment.voluntary_switches for segment in segments),
        steal_ns=sum(steals_ns) if steals_ns else None,
    )


def _in_calls_ns(segments: list[Segment], clock: Clock) -> float | None:
    total = sum(segment.sum for segment in segments)
    if clock.unit is Unit.NS:
        return float(total)
    if clock.unit is Unit.TICKS and clock.clock_hz:
        return total / clock.clock_hz * 1e9
    return None
