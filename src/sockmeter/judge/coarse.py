# SPDX-License-Identifier: MIT
"""What a published table of coarse or open buckets lets one say: bounds, not numbers.

A quantile lies in its bucket, and in an open bucket is only at least its edge. The mean has a lower
bound only. E[min(cost, edge)], with the edge of the open bucket, is bounded on both sides and is
what two tables can be compared by.
"""

import math
from dataclasses import dataclass

import msgspec
import numpy as np

from sockmeter.judge.arrays import FloatArray, IntArray
from sockmeter.judge.intervals import least_rounds
from sockmeter.judge.verdict import Verdict, undecided
from sockmeter.plan.designs import ALPHA


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a number; infinite where there is no bound."""

    low: float  # clock units
    high: float  # clock units
    point: float | None  # interpolated, or the middle; None where there is no upper bound


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """One column of a published table; buckets ascend, and the last may be open (upper inf)."""

    lowers: FloatArray  # (buckets,), clock units
    uppers: FloatArray  # (buckets,), clock units
    calls: IntArray  # (buckets,)

    def __post_init__(self) -> None:
        if not self.lowers.size == self.uppers.size == self.calls.size:
            raise ValueError("a table has as many edges as counts")
        if (self.uppers <= self.lowers).any() or (self.lowers[1:] < self.uppers[:-1]).any():
            raise ValueError("buckets are not ascending and disjoint")
        if (self.calls < 0).any() or self.total == 0:
            raise ValueError("a table holds calls, and no negative counts")

    @property
    def total(self) -> int:
        """All calls, those in the open bucket included."""
        return int(self.calls.sum())

    @property
    def overflow(self) -> int:
        """Calls in the open bucket; 0 where there is none."""
        return int(self.calls[-1]) if math.isinf(self.uppers[-1]) else 0

    @property
    def edge(self) -> float:
        """The largest finite edge, clock units: where the open bucket begins."""
        return float(self.lowers[-1] if math.isinf(self.uppers[-1]) else self.uppers[-1])


def quantile_bounds(table: Table, probability: float) -> Bounds:
    """Return a quantile's bucket, and its place interpolated in the bucket if that is closed."""
    if not 0.0 < probability < 1.0:
        raise ValueError(f"a quantile's probability is in (0, 1), not {probability}")
    ends = np.cumsum(table.calls)
    target = probability * table.total
    bucket = int(np.searchsorted(ends, target))
    low, high = float(table.lowers[bucket]), float(table.uppers[bucket])
    calls = int(table.calls[bucket])
    inside = (target - (int(ends[bucket]) - calls)) / calls
    return Bounds(
        low=low, high=high, point=None if math.isinf(high) else low + inside * (high - low)
    )


def capped_mean_bounds(table: Table, cap: float) -> Bounds:
    """Return the bounds of E[min(cost, cap)] and their middle.

    ValueError where the cap lies above the largest finite edge: there is no upper bound then.
    """
    if cap > table.edge:
        raise ValueError(f"a cap of {cap:g} is above the last edge {table.edge:g}")
    low = float(np.average(np.minimum(table.lowers, cap), weights=table.calls))
    high = float(np.average(np.minimum(table.uppers, cap), weights=table.calls))
    return Bounds(low=low, high=high, point=(low + high) / 2)


def mean_bounds(table: Table) -> Bounds:
    """Return the bounds of the plain mean: with calls in an open bucket, a lower one only."""
    low = float(np.average(table.lowers, weights=table.calls))
    if table.overflow:
        return Bounds(low=low, high=math.inf, point=None)
    is_used = table.calls > 0
    high = float(np.average(table.uppers[is_used], weights=table.calls[is_used]))
    return Bounds(low=low, high=high, point=(low + high) / 2)


def compare_tables(runs: int, effect: float, alpha: float = ALPHA) -> Verdict:
    """Return why tables of so few runs decide nothing, and how many more pairs of runs it takes.

    ValueError where there are enough of them to be judged as rounds.
    """
    needed = least_rounds(alpha)
    if runs >= needed:
        raise ValueError(f"{runs} runs of each side are judged as rounds")
    held = "one run" if runs == 1 else f"{runs} runs"
    return undecided(
        f"{held} of each side: an interval at an error of {100 * alpha:.3g} % needs at least "
        f"{needed}",
        effect,
        more_rounds=needed - runs,
    )
