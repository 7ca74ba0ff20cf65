# SPDX-License-Identifier: MIT
"""A column: one arm's segments, a row for every kept round, as arrays."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from sockmeter.judge.arrays import FloatArray, IntArray
from sockmeter.judge.counts import Mode
from sockmeter.model.buckets import BUCKET_COUNT
from sockmeter.model.runs import Round
from sockmeter.model.segments import Segment


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One arm over the kept rounds; every array has a row for each round, in the order of time."""

    counts: IntArray  # (rounds, buckets), calls
    count: IntArray  # calls recorded, those beyond the buckets' range included
    sum: IntArray | FloatArray  # exact, clock units
    least: IntArray | FloatArray  # exact smallest cost, clock units; 0 where count is 0
    most: IntArray | FloatArray  # exact largest cost, clock units; 0 where count is 0
    over_cap_count: IntArray  # calls above the cap; 0 where cap is 0
    over_cap_sum: IntArray  # their sum, clock units
    cap: FloatArray  # clock units; 0 in rounds measured before it was frozen
    position: IntArray  # place of the segment in its round, from 0
    involuntary_switches: IntArray
    steal_ns: FloatArray  # ns; NaN where it could not be read
    modes: tuple[Mode, ...] | None = None  # of each segment, from a rig that counts exact costs

    @property
    def rounds(self) -> int:
        """Number of kept rounds."""
        return int(self.count.size)

    def first(self, rounds: int) -> Self:
        """Return the column cut after its first `rounds` rounds."""
        return type(self)(
            counts=self.counts[:rounds],
            count=self.count[:rounds],
            sum=self.sum[:rounds],
            least=self.least[:rounds],
            most=self.most[:rounds],
            over_cap_count=self.over_cap_count[:rounds],
            over_cap_sum=self.over_cap_sum[:rounds],
            cap=self.cap[:rounds],
            position=self.position[:rounds],
            involuntary_switches=self.involuntary_switches[:rounds],
            steal_ns=self.steal_ns[:rounds],
            modes=None if self.modes is None else self.modes[:rounds],
        )


def column_of(rounds: Sequence[Round], arm: int) -> Column | None:
    """Return the column of one arm index over the rounds that were not dropped.

    None where the arm has no segment in one of them: it was refused, and there is nothing to judge.
    Calls beyond the buckets' range are counted in the last bucket, which they exceed.
    """
    kept = [finished for finished in rounds if finished.dropped is None]
    by_arm = [
        next((segment for segment in finished.segments if segment.arm == arm), None)
        for finished in kept
    ]
    segments = [segment for segment in by_arm if segment is not None]
    if not kept or len(segments) < len(kept):
        return None
    return Column(
        counts=_bucket_counts(segments),
        count=_whole(segment.count for segment in segments),
        sum=_whole(segment.sum for segment in segments),
        least=_whole(segment.min or 0 for segment in segments),
        most=_whole(segment.max or 0 for segment in segments),
        over_cap_count=_whole(segment.over_cap_count for segment in segments),
        over_cap_sum=_whole(segment.over_cap_sum for segment in segments),
        cap=np.array([finished.cap for finished in kept], dtype=np.float64),
        position=_whole(finished.order.index(arm) for finished in kept),
        involuntary_switches=_whole(segment.involuntary_switches for segment in segments),
        steal_ns=np.array(
            [np.nan if segment.steal_ns is None else segment.steal_ns for segment in segments]
        ),
    )


def per_message(column: Column, messages: int) -> Column:
    """Return the column of a call that moves several messages with its costs per message.

    The probe's cap was one on whole calls, so what it summed above it says nothing here.
    """
    nothing = np.zeros_like(column.over_cap_count)
    return replace(
        column,
        sum=column.sum / messages,
        least=column.least / messages,
        most=column.most / messages,
        over_cap_count=nothing,
        over_cap_sum=nothing,
        cap=np.zeros_like(column.cap),
    )


def _bucket_counts(segments: Sequence[Segment]) -> IntArray:
    counts = np.zeros((len(segments), BUCKET_COUNT), dtype=np.int64)
    for row, segment in zip(counts, segments, strict=True):
        for bucket, calls in segment.buckets:
            row[bucket] = calls
        row[-1] += segment.beyond_range
    return counts


def _whole(numbers: Iterable[int]) -> IntArray:
    return np.fromiter(numbers, dtype=np.int64)
