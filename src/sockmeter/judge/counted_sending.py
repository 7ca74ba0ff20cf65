# SPDX-License-Identifier: MIT
"""What counted sends cost all in: with every look for a notification, exactly.

The clock that the probe reads around a look is the guest's, so that it counts instructions there as
it does around a call.
"""

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from sockmeter.judge.counted import void_reason
from sockmeter.judge.messages import messages_compared
from sockmeter.judge.sending import LOOKS
from sockmeter.model.counted import CountedArm
from sockmeter.model.segments import Segment
from sockmeter.plan.outbound import SCENARIOS, copy_of


class CountedSends(msgspec.Struct, frozen=True, kw_only=True):
    """One arm, instructions; means are exact."""

    reading: Fraction | None  # of a system call that brought notifications; None where none did
    looking: Fraction  # what all that looked cost, empty ones and polls too, for each call
    carried: Fraction | None  # share of the notifications that came with calls, inside their cost
    sends_per_notification: Fraction | None
    per_call: Fraction  # all in, as the next two
    per_message: Fraction
    per_byte: Fraction


def counted_sends(arm: CountedArm) -> CountedSends | None:
    """Return what an arm of bulk or zerocopy cost all in; None where it sent nothing."""
    segment = arm.segment
    if segment is None or arm.arm.scenario not in SCENARIOS or not segment.bytes:
        return None
    calls = sum(number for _, number in arm.values)
    notifications = segment.counters.get("notifications", 0)
    carried = segment.counters.get("carried_notifications", 0)
    looks = sum(_total(segment, name)[1] for name in LOOKS)
    cost = sum(each * number for each, number in arm.values) + looks
    if not calls:
        return None
    return CountedSends(
        reading=_mean(segment, "read"),
        looking=Fraction(looks, calls),
        carried=Fraction(carried, notifications) if notifications else None,
        sends_per_notification=_mean(segment, "range"),
        per_call=Fraction(cost, calls),
        per_message=Fraction(cost, calls * messages_compared(arm.arm)),
        per_byte=Fraction(cost, segment.bytes),
    )


def copy_in(arms: Sequence[CountedArm], index: int) -> int | None:
    """Return the arm that copies the same message in the same guest; None without a sound one."""
    copy = copy_of([each.arm for each in arms], index)
    if copy is None or void_reason(arms[copy]) or void_reason(arms[index]):
        return None
    return copy


def _mean(segment: Segment, name: str) -> Fraction | None:
    count, total = _total(segment, name)
    return Fraction(total, count) if count else None


def _total(segment: Segment, name: str) -> tuple[int, int]:
    """Return count and sum of a histogram."""
    histogram = segment.histograms.get(name)
    return (0, 0) if histogram is None else (histogram.count, histogram.sum)
