# SPDX-License-Identifier: MIT
"""What arms of bulk and zerocopy came to: rates, shares, and what their notifications say.

Cost here is all in: the sends, and every system call that looked for a notification.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import msgspec
import numpy as np

from sockmeter.judge.arrays import FloatArray
from sockmeter.model.segments import Segment

LOOKS = ("read", "read_empty", "poll")  # histograms of the calls that look for notifications

# One notification in a thousand marked as copied moves no statistic that is judged.
VOID_SHARE = 0.001


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """What histograms hold: how many values, and their sum."""

    count: int
    sum: int

    @property
    def mean(self) -> Fraction | None:
        """The exact mean; None of nothing."""
        return Fraction(self.sum, self.count) if self.count else None


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """One arm's segments together."""

    megabytes_per_s: float  # decimal, over the true elapsed time
    calls_per_s: float
    datagrams_per_s: float
    units_per_byte: float  # clock units, all in
    units_per_call: float
    received_megabytes_per_s: float | None  # None where nobody read
    received_share: float | None  # of the bytes sent
    segments_per_read: float | None  # None without UDP_GRO


class Notified(msgspec.Struct, frozen=True, kw_only=True):
    """What one arm's notifications cost and said; costs are means, in clock units."""

    read: float | None  # of a system call that brought notifications; None where none did
    looks_per_send: float  # system calls that looked, for each send
    look_per_send: float  # what they cost together, for each send
    delay: float | None  # from the end of the send to the end of the reading
    sends_per_notification: float | None
    carried: float  # share of notifications that calls through a ring brought along, unread
    out_of_order: int
    copied_least: float  # bounds of the share of sends that were copied
    copied_most: float
    marked: float  # share of notifications that said so
    missing: int  # sends never given back
    optmem_refused: int  # sends that failed for want of option memory
    memlock_refused: int  # and of locked memory


def sent_of(segments: Sequence[Segment]) -> Sent | None:
    """Return what an arm sent; None where it sent nothing."""
    moved_bytes = sum(segment.bytes for segment in segments)
    elapsed_ns = sum(segment.elapsed_ns for segment in segments)
    calls = sum(segment.calls for segment in segments)
    if not (moved_bytes and elapsed_ns):
        return None
    cost = sum(map(_cost, segments))
    received = _total(segments, "received_bytes") if _has(segments, "received_bytes") else None
    return Sent(
        megabytes_per_s=moved_bytes / elapsed_ns * 1e3,
        calls_per_s=calls / elapsed_ns * 1e9,
        datagrams_per_s=sum(segment.datagrams for segment in segments) / elapsed_ns * 1e9,
        units_per_byte=cost / moved_bytes,
        units_per_call=cost / calls,
        received_megabytes_per_s=None if received is None else received / elapsed_ns * 1e3,
        received_share=None if received is None else received / moved_bytes,
        segments_per_read=_mean(segments, "gro_segments"),
    )


def notified_of(segments: Sequence[Segment]) -> Notified | None:
    """Return what an arm's notifications came to; None where it asked for none."""
    sends = _total(segments, "sent_calls")
    if not sends:
        return None
    notifications = _total(segments, "notifications")
    looks = recorded(segments, *LOOKS)
    return Notified(
        read=_mean(segments, "read"),
        looks_per_send=looks.count / sends,
        look_per_send=looks.sum / sends,
        delay=_mean(segments, "delay"),
        sends_per_notification=_mean(segments, "range"),
        carried=(
            _total(segments, "carried_notifications") / notifications if notifications else 0.0
        ),
        out_of_order=_total(segments, "out_of_order_notifications"),
        copied_least=_total(segments, "copied_calls_least") / sends,
        copied_most=_total(segments, "copied_calls_most") / sends,
        marked=_total(segments, "marked_notifications") / notifications if notifications else 0.0,
        missing=sends - _total(segments, "returned_calls"),
        optmem_refused=_total(segments, "optmem_refused_calls"),
        memlock_refused=_total(segments, "memlock_refused_calls"),
    )


def occupancy_of(segments: Sequence[Segment]) -> list[tuple[int, float]]:
    """Return datagrams of a read under UDP_GRO and the share of the reads, the commonest first.

    Empty where nobody read with it. A read holds fewer than 256, each of which has its bucket.
    """
    reads: Counter[int] = Counter()
    for segment in segments:
        if "gro_segments" in segment.histograms:
            for datagrams, count in segment.histograms["gro_segments"].buckets:
                reads[datagrams] += count
    return [(datagrams, count / reads.total()) for datagrams, count in reads.most_common()]


def sending_fault(segments: Sequence[Segment]) -> str | None:
    """Return why an arm means something else than it says; None where it does not."""
    notified = notified_of(segments)
    if notified is not None:
        if notified.missing or _total(segments, "impossible_notifications"):
            return (
                f"{abs(notified.missing):,} zerocopy sends and their notifications do not balance"
            )
        if notified.marked > VOID_SHARE:
            return f"{notified.marked:.0%} of the notifications say that the kernel copied"
    if _total(segments, "receiver_errno"):
        return "the receiver ended before the sender"
    return None


def byte_costs(segments: Sequence[Segment]) -> FloatArray | None:
    """Return the mean cost of a byte, all in, of each segment, in clock units; None without one."""
    if not segments or not all(segment.bytes and _cost(segment) for segment in segments):
        return None
    return np.array([_cost(segment) / segment.bytes for segment in segments])


def recorded(segments: Sequence[Segment], *names: str) -> Recorded:
    """Return what histograms of these names hold over the segments, all together."""
    found = [
        segment.histograms[name]
        for segment in segments
        for name in names
        if name in segment.histograms
    ]
    return Recorded(
        count=sum(histogram.count for histogram in found),
        sum=sum(histogram.sum for histogram in found),
    )


def _cost(segment: Segment) -> int:
    """Return clock units of all calls of a segment, those of the reading thread not among them."""
    return segment.sum + recorded([segment], *LOOKS).sum


def _mean(segments: Sequence[Segment], name: str) -> float | None:
    mean = recorded(segments, name).mean
    return None if mean is None else float(mean)


def _total(segments: Sequence[Segment], counter: str) -> int:
    return sum(segment.counters.get(counter, 0) for segment in segments)


def _has(segments: Sequence[Segment], counter: str) -> bool:
    return any(counter in segment.counters for segment in segments)
