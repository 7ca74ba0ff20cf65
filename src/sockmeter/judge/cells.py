# SPDX-License-Identifier: MIT
"""Histogram buckets turned into cells: the stretch of cost over which a bucket's calls are spread.

A clock that moves in steps of q shows v when the cost was anywhere in [v - q/2, v + q/2): a bucket
stands for the multiples of q that it holds, each widened by half a step to both sides. The cells of
neighbouring buckets then touch and never overlap. Left unspread, a true +1 % reads as anything from
0 to +4.45 % with a step of 26 ticks.
"""

from dataclasses import dataclass

import numpy as np

from sockmeter.judge.arrays import FloatArray, IntArray
from sockmeter.model.buckets import bucket_lowers, bucket_uppers


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The buckets that a histogram was kept in, and the step of the clock that filled them."""

    lowers: FloatArray  # (buckets,), clock units, inclusive, ascending
    uppers: FloatArray  # (buckets,), clock units, exclusive, finite
    quantum: float | None  # clock units; None for a cost without a step


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Calls of every round, spread evenly over disjoint ascending cells."""

    lowers: FloatArray  # (cells,), clock units, inclusive
    uppers: FloatArray  # (cells,), clock units, exclusive
    counts: FloatArray  # (rounds, cells), calls
    ends: FloatArray  # (rounds * cells,), calls up to each cell's end, over all rounds in a row
    starts: FloatArray  # (rounds,), calls before each round
    totals: FloatArray  # (rounds,), calls of each round, at least 1


def probe_layout(quantum: float | None) -> Layout:
    """Return the layout of the probe's histograms for a clock of the given step."""
    return Layout(bucket_lowers(), bucket_uppers(), quantum)


def layout_per_message(layout: Layout, messages: int) -> Layout:
    """Return the layout of a call that moves several messages with its edges per message."""
    quantum = None if layout.quantum is None else layout.quantum / messages
    return Layout(layout.lowers / messages, layout.uppers / messages, quantum)


def spread(counts: IntArray, layout: Layout) -> Cells:
    """Spread bucket counts of shape (rounds, buckets) over cells.

    Without a quantum a cell is its bucket, and buckets may leave gaps. With one, a bucket that
    holds no multiple of it goes to the nearest multiple. ValueError when shapes disagree, an edge
    is open or a round has no call.
    """
    lowers, uppers = layout.lowers, layout.uppers
    _check(counts, lowers, uppers)
    if layout.quantum is not None:
        counts, lowers, uppers = _widen(counts, lowers, uppers, layout.quantum)
    used = np.flatnonzero(counts.any(axis=0))
    kept = slice(used[0], used[-1] + 1)
    calls = counts[:, kept].astype(np.float64)
    ends = np.cumsum(calls.ravel())
    totals = calls.sum(axis=1)
    starts = np.concatenate([[0.0], np.cumsum(totals)[:-1]])
    return Cells(lowers[kept], uppers[kept], calls, ends, starts, totals)


def pooled(cells: Cells) -> Cells:
    """Return the calls of all rounds as if they were one round, for display only.

    Never for a verdict: calls of one round are not independent of each other.
    """
    calls = cells.counts.sum(axis=0, keepdims=True)
    ends = np.cumsum(calls.ravel())
    return Cells(cells.lowers, cells.uppers, calls, ends, np.zeros(1), calls.sum(axis=1))


def _check(counts: IntArray, lowers: FloatArray, uppers: FloatArray) -> None:
    if counts.ndim != 2 or lowers.shape != counts.shape[1:] or uppers.shape != lowers.shape:
        raise ValueError(
            f"counts {counts.shape} do not fit edges {lowers.shape} and {uppers.shape}"
        )
    if not np.isfinite(uppers).all():
        raise ValueError("a table with an open bucket has bounds only: see judge.coarse")
    if (uppers <= lowers).any() or (lowers[1:] < uppers[:-1]).any():
        raise ValueError("buckets are not ascending and disjoint")
    if (counts < 0).any():
        raise ValueError("a bucket holds a negative count")
    if counts.shape[0] == 0 or not counts.any(axis=1).all():
        raise ValueError("a round without a recorded call has no statistics")


def _widen(
    counts: IntArray, lowers: FloatArray, uppers: FloatArray, quantum: float
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the counts and edges of the cells of the buckets that hold a multiple."""
    if quantum <= 0:
        raise ValueError(f"a clock's quantum is positive, not {quantum}")
    first = np.ceil(lowers / quantum) * quantum
    last = (np.ceil(uppers / quantum) - 1) * quantum
    holders = np.flatnonzero(first <= last)
    if holders.size == 0:
        raise ValueError(f"no bucket holds a multiple of the quantum {quantum}")
    owner = np.cumsum(first <= last) - 1
    strays = np.flatnonzero(first > last)
    nearest = np.rint((lowers[strays] + uppers[strays]) / 2 / quantum) * quantum
    owner[strays] = np.searchsorted(first[holders], nearest, side="right") - 1
    owner = np.maximum(owner, 0)
    merged = np.zeros((counts.shape[0], holders.size), dtype=np.int64)
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    merged[:, owner[starts]] = np.add.reduceat(counts, starts, axis=1)
    return (
        merged,
        np.maximum(first[holders] - quantum / 2, 0.0),
        last[holders] + quantum / 2,
    )
