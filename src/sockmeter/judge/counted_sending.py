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
from sockmeter.judge.sending import LOOKS, recorded
from sockmeter.model.counted import CountedArm
from sockmeter.plan.outbound import SCENARIOS, copy_of


class CountedSends(msgspec.Struct, frozen=True, kw_only=True):
    """One arm: the sends, and every look for a notification; exact, in instructions."""

    reading: Fraction | None  # mean of a system call that brought notifications; None: none did
    looking: Fraction  # what all that looked cost, empty ones and polls too, for each call
    sends_per_notification: Fraction | None
    carried: Fraction | None  # share of the notifications that came with calls, inside their cost
    per_call: Fraction  # all in, as the next two
    per_message: Fraction
    per_byte: Fraction
    copy_row: int | None = None  # the arm that copies the same message; None for a copy itself
    fraction: Fraction | None = None  # by what a byte costs more than there, of its cost there


def counted_sends(arms: Sequence[CountedArm], row: int) -> CountedSends | None:
    """Return what an arm of bulk or zerocopy cost all in; None where it sent nothing."""
    sends, copy_row = _sends(arms[row]), _sound_copy_of(arms, row)
    copy = None if copy_row is None else _sends(arms[copy_row])
    if sends is None or copy is None:
        return sends
    return msgspec.structs.replace(
        sends, copy_row=copy_row, fraction=sends.per_byte / copy.per_byte - 1
    )


def _sends(arm: CountedArm) -> CountedSends | None:
    """Return what an arm cost, set against nothing."""
    segment = arm.segment
    calls = sum(number for _, number in arm.values)
    if segment is None or arm.arm.scenario not in SCENARIOS or not (segment.bytes and calls):
        return None
    notifications = segment.counters.get("notifications", 0)
    carried = segment.counters.get("carried_notifications", 0)
    looks = recorded([segment], *LOOKS).sum
    # Not the segment's sum, which holds what the clock jumped while the guest slept in calls.
    cost = sum(each * number for each, number in arm.values) + looks
    return CountedSends(
        reading=recorded([segment], "read").mean,
        looking=Fraction(looks, calls),
        sends_per_notification=recorded([segment], "range").mean,
        carried=Fraction(carried, notifications) if notifications else None,
        per_call=Fraction(cost, calls),
        per_message=Fraction(cost, calls * messages_compared(arm.arm)),
        per_byte=Fraction(cost, segment.bytes),
    )


def _sound_copy_of(arms: Sequence[CountedArm], row: int) -> int | None:
    """Return the arm that copies the same message in the same guest; None where one is void."""
    copy = copy_of([each.arm for each in arms], row)
    if copy is None or void_reason(arms[copy]) or void_reason(arms[row]):
        return None
    return copy
