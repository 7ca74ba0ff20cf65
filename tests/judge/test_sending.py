# SPDX-License-Identifier: MIT
"""Rates, shares and notifications of an arm."""

import pytest

from sockmeter.judge.sending import (
    byte_costs,
    notified_of,
    occupancy_of,
    sending_fault,
    sent_of,
)
from tests.builders import make_histogram, make_segment, make_zerocopy


def test_a_megabyte_is_a_million_bytes_over_the_true_elapsed_time() -> None:
    """Not KiB per ms, and not whole seconds."""
    segment = make_segment(0, [1000] * 100, bytes=61_824 * 100, elapsed_ns=1_500_000)
    sent = sent_of([segment, segment])
    assert sent is not None
    assert 61_824 * 100 / 1e6 / 1.5e-3 == pytest.approx(sent.megabytes_per_s)
    assert 100 / 1.5e-3 == pytest.approx(sent.calls_per_s)
    assert 1000 / 61_824 == pytest.approx(sent.units_per_byte)


def test_all_in_holds_the_reading_of_notifications() -> None:
    sent = sent_of([make_zerocopy([1000] * 10)])
    assert sent is not None
    assert 1800 == sent.units_per_call


def test_three_costs_are_kept_apart() -> None:
    notified = notified_of([make_zerocopy([1000] * 10)])
    assert notified is not None
    assert (500, 800, 900) == (notified.read, notified.look_per_send, notified.delay)
    assert (2, 1) == (notified.looks_per_send, notified.sends_per_notification)


def test_a_copying_send_has_no_notifications() -> None:
    assert notified_of([make_segment(0)]) is None
    assert sending_fault([make_segment(0)]) is None


def test_bounds_of_the_copied_share_are_kept() -> None:
    counters = {"copied_calls_least": 1, "copied_calls_most": 7, "marked_notifications": 1}
    notified = notified_of([make_zerocopy([1000] * 10, counters=counters)])
    assert notified is not None
    assert (0.1, 0.7, 0.1) == (notified.copied_least, notified.copied_most, notified.marked)


def test_zerocopy_that_copied_is_a_fault() -> None:
    segment = make_zerocopy([1000] * 10, counters={"marked_notifications": 10})
    assert sending_fault([segment]) == "100% of the notifications say that the kernel copied"


@pytest.mark.parametrize("counters", [{"returned_calls": 9}, {"impossible_notifications": 1}])
def test_a_book_that_does_not_balance_is_a_fault(counters: dict[str, int]) -> None:
    fault = sending_fault([make_zerocopy([1000] * 10, counters=counters)])
    assert fault is not None
    assert "do not balance" in fault


def test_a_receiver_that_died_is_a_fault() -> None:
    segment = make_segment(0, counters={"receiver_errno": 104, "received_bytes": 10})
    assert "the receiver ended before the sender" == sending_fault([segment])


def test_what_was_received_is_a_share_of_what_was_sent() -> None:
    segment = make_segment(
        0,
        [1000] * 10,
        bytes=1000,
        counters={"received_bytes": 250},
        histograms={"gro_segments": make_histogram(4, 6, unit="datagrams")},
    )
    sent = sent_of([segment])
    assert sent is not None
    assert (0.25, 5) == (sent.received_share, sent.segments_per_read)


def test_what_reads_held_is_counted_over_all_segments() -> None:
    """Nine of sixteen reads 44 datagrams, four 1, three 40; none without UDP_GRO."""
    segments = [
        make_segment(0, histograms={"gro_segments": make_histogram(*held, unit="datagrams")})
        for held in ([44] * 5 + [1] * 4, [44] * 4 + [40] * 3)
    ]
    assert [(44, 9 / 16), (1, 4 / 16), (40, 3 / 16)] == occupancy_of(segments)
    assert [] == occupancy_of([make_segment(0)])


def test_what_a_byte_costs_holds_the_reading_of_notifications() -> None:
    """1,000 ticks a send and 800 of looking, for 64 bytes."""
    costs = byte_costs([make_zerocopy([1000] * 10)])
    assert costs is not None
    assert [1800 / 64] == list(costs)


def test_a_round_without_bytes_has_no_cost_of_a_byte() -> None:
    assert byte_costs([make_segment(0), make_segment(0, bytes=0)]) is None
    assert byte_costs([]) is None
