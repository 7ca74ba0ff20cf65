# SPDX-License-Identifier: MIT
"""What segments counted and measured beside the cost of the call, over all of them together.

For display: the judge gives no verdict on these numbers.
"""

from collections.abc import Sequence

import msgspec
import numpy as np

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.cells import probe_layout, spread
from sockmeter.judge.intervals import Interval, sign_interval
from sockmeter.judge.statistics import quantiles
from sockmeter.model.buckets import BUCKET_COUNT
from sockmeter.model.segments import Segment

PROBABILITIES = (0.5, 0.9, 0.99, 0.999)


class Distribution(msgspec.Struct, frozen=True, kw_only=True):
    """A named histogram over all segments, in its own unit."""

    unit: str
    count: int
    sum: int  # exact
    most: int  # exact
    median: float
    p90: float
    p99: float
    p999: float

    @property
    def mean(self) -> float:
        """The exact mean."""
        return self.sum / self.count


def distribution_of(segments: Sequence[Segment], name: str) -> Distribution | None:
    """Return a named histogram of all segments together; None where nothing is in it.

    Values beyond the buckets' range stand in the last bucket, which they exceed.
    """
    parts = [segment.histograms[name] for segment in segments if name in segment.histograms]
    count = sum(part.count for part in parts)
    if not count:
        return None
    counts = np.zeros((1, BUCKET_COUNT), dtype=np.int64)
    for part in parts:
        for bucket, values in part.buckets:
            counts[0, bucket] += values
    counts[0, -1] += count - counts.sum()
    (at,) = quantiles(spread(counts, probe_layout(None)), PROBABILITIES)
    return Distribution(
        unit=parts[0].unit,
        count=count,
        sum=sum(part.sum for part in parts),
        most=max(part.max or 0 for part in parts),
        median=float(at[0]),
        p90=float(at[1]),
        p99=float(at[2]),
        p999=float(at[3]),
    )


def total_of(segments: Sequence[Segment], name: str) -> int | None:
    """Return the sum of a named counter; None where no segment has it."""
    values = [segment.counters[name] for segment in segments if name in segment.counters]
    return sum(values) if values else None


def ratio_interval(
    segments: Sequence[Segment], baseline: Sequence[Segment], *, cost: str, per: str, alpha: float
) -> Interval | None:
    """Return by what log ratio the arm's `cost` per `per`, two histograms, differs.

    Each round gives one ratio of means; the interval is that of the sign test over rounds. None
    where the rounds are not the same or one of them saw nothing.
    """
    if not segments or len(segments) != len(baseline):
        return None
    ours, theirs = (_means(side, cost, per) for side in (segments, baseline))
    if ours is None or theirs is None:
        return None
    return sign_interval(np.log(ours / theirs), alpha)


def _means(segments: Sequence[Segment], cost: str, per: str) -> FloatArray | None:
    if any(name not in segment.histograms for segment in segments for name in (cost, per)):
        return None
    costs = np.array([segment.histograms[cost].sum for segment in segments], dtype=np.float64)
    units = np.array([segment.histograms[per].sum for segment in segments], dtype=np.float64)
    return costs / units if costs.all() and units.all() else None
