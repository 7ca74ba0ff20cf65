# SPDX-License-Identifier: MIT
"""Counted sends with every look for a notification: exact, and against the right copy."""

from fractions import Fraction

import msgspec

from sockmeter.judge.counted_sending import counted_sends
from tests.counted_builders import make_counted_arm, make_counted_sends, make_refused_arm


def test_the_parts_are_the_whole() -> None:
    """Of 3 sends: 10,160 twice and 19,650, and a poll and a reading after each."""
    sends = counted_sends([make_counted_sends([10_160, 10_160, 19_650], zerocopy="poll")], 0)
    assert sends is not None
    assert [1651, 1651 + 1022, 1] == [sends.reading, sends.looking, sends.sends_per_notification]
    total = 2 * 10_160 + 19_650 + 3 * (1651 + 1022)
    assert Fraction(total, 3) == sends.per_call
    assert Fraction(total, 3 * 44) == sends.per_message
    assert Fraction(total, 3 * 44 * 1472) == sends.per_byte


def test_a_copying_send_looks_for_nothing() -> None:
    sends = counted_sends([make_counted_sends([104_365])], 0)
    assert sends is not None
    assert [None, 0, None, 104_365] == [
        sends.reading,
        sends.looking,
        sends.carried,
        sends.per_call,
    ]


def test_what_came_with_calls_is_a_share_of_the_notifications() -> None:
    arm = make_counted_sends([9, 9], zerocopy="cqe", carried_notifications=1)
    sends = counted_sends([arm], 0)
    assert sends is not None
    assert Fraction(1, 2) == sends.carried


def test_a_byte_is_set_against_the_copy_of_its_message_in_its_own_kernel() -> None:
    arms = [
        make_counted_sends([9], segments=segments, zerocopy=zerocopy)
        for zerocopy in ("no", "poll")
        for segments in (4, 44)
    ]
    kernels = [
        msgspec.structs.replace(
            each,
            arm=msgspec.structs.replace(each.arm, factors={**each.arm.factors, "kernel": kernel}),
        )
        for kernel in ("6.1", "6.12")
        for each in arms
    ]
    sends = [counted_sends(kernels, row) for row in range(8)]
    assert [None, None, 0, 1, None, None, 4, 5] == [each and each.copy_row for each in sends]
    # 9 against 9, and a poll and a reading with it.
    assert [None, None, *[Fraction(1022 + 1651, 9)] * 2] == [
        each and each.fraction for each in sends[:4]
    ]


def test_zerocopy_that_copied_is_set_against_nothing() -> None:
    void = make_counted_sends([9], zerocopy="poll", marked_notifications=1)
    sends = counted_sends([make_counted_sends([9]), void], 1)
    assert sends is not None
    assert (None, None) == (sends.copy_row, sends.fraction)


def test_other_scenarios_and_refused_arms_have_none() -> None:
    arms = [make_counted_arm([9]), make_refused_arm()]
    assert [None, None] == [counted_sends(arms, row) for row in range(2)]
