# SPDX-License-Identifier: MIT
"""Whether what was measured is what was asked for: failed and short calls, dropped rounds."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from sockmeter.judge.sending import sending_fault
from sockmeter.model.runs import Run
from sockmeter.model.segments import Refusal, Segment
from sockmeter.plan.designs import MOST_DROPPED

# A failed or short call costs something else than a whole one; one in a thousand moves a quantile
# by less than any effect that is judged.
VOID_SHARE = 0.001


class Faults(msgspec.Struct, frozen=True, kw_only=True):
    """What went wrong with an arm's calls, over all kept rounds."""

    calls: int
    failed: dict[str, int]  # errno name -> calls
    short: int  # calls that moved less than asked
    sent: int = 0  # messages of paced traffic
    lost: int = 0  # of them, never read
    zerocopy_sends: int = 0
    zerocopy_copied: int = 0  # of them, copied all the same
    unsound: str | None = None  # why zerocopy was none, or the other end was not there

    @property
    def void(self) -> str | None:
        """Why the arm means something else than it says, else None."""
        failed = sum(self.failed.values())
        if failed > VOID_SHARE * self.calls:
            most = max(self.failed, key=lambda errno: self.failed[errno])
            return f"{failed / self.calls:.1%} of the calls failed, most with {most}"
        if self.short > VOID_SHARE * self.calls:
            return f"{self.short / self.calls:.1%} of the calls moved less than asked"
        if self.lost > VOID_SHARE * self.sent:
            return f"{self.lost / self.sent:.1%} of the messages were lost"
        if self.zerocopy_copied > VOID_SHARE * self.zerocopy_sends:
            share = self.zerocopy_copied / self.zerocopy_sends
            return f"{share:.1%} of the zerocopy sends were copied"
        return self.unsound


def segments_of(run: Run, arm: int) -> list[Segment]:
    """Return the segments of an arm in the rounds that count; the index after the last is A2."""
    return [
        segment
        for finished in run.rounds
        if finished.dropped is None
        for segment in finished.segments
        if segment.arm == arm
    ]


def find_faults(run: Run, arm: int) -> Faults:
    """Return what went wrong with the calls of an arm."""
    return faults_of(segments_of(run, arm))


def faults_of(segments: Sequence[Segment]) -> Faults:
    """Return what went wrong with the calls of an arm's segments."""
    failed: Counter[str] = Counter()
    for segment in segments:
        failed.update(segment.failed)
    return Faults(
        calls=sum(segment.calls for segment in segments),
        failed=dict(failed),
        short=sum(segment.short for segment in segments),
        sent=sum(segment.counters.get("sent", 0) for segment in segments),
        lost=sum(segment.counters.get("lost", 0) for segment in segments),
        zerocopy_sends=sum(segment.counters.get("zerocopy_sends", 0) for segment in segments),
        zerocopy_copied=sum(segment.counters.get("zerocopy_copied", 0) for segment in segments),
        unsound=sending_fault(segments),
    )


def find_refusal(run: Run, arm: int) -> Refusal | None:
    """Return what refused an arm, or None."""
    for finished in run.rounds:
        for refusal in finished.refusals:
            if refusal.arm == arm:
                return refusal
    return None


def count_dropped(run: Run) -> int:
    """Return the number of rounds that do not count."""
    return sum(finished.dropped is not None for finished in run.rounds)


def dropped_too_many(dropped: int, rounds: int) -> bool:
    """Say whether so many of so many rounds were dropped that there is no verdict."""
    return dropped > MOST_DROPPED * rounds
