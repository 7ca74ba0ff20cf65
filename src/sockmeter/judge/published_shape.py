# SPDX-License-Identifier: MIT
"""An imported column as arrays: cells without gaps, and a table that may be open at its end."""

import math
from dataclasses import dataclass

import numpy as np

from sockmeter.judge.arrays import FloatArray, IntArray
from sockmeter.judge.cells import Layout, spread
from sockmeter.judge.coarse import Table
from sockmeter.judge.quantum import find_quantum
from sockmeter.model.buckets import bucket_lowers, bucket_uppers
from sockmeter.model.imported import Form, ImportedColumn

FINE = (Form.HLOG, Form.VALUES)  # buckets finer than the step of many a clock
QUANTUM_MATTERS = 8192.0  # mean cost above which the probe's buckets are wider than such a step


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """One column as arrays: closed cells without gaps, and a table with the open bucket."""

    counts: FloatArray  # (rounds, cells)
    lowers: FloatArray  # (cells,)
    uppers: FloatArray  # (cells,)
    table: Table
    quantum: int | None


def shape_of(column: ImportedColumn, form: Form) -> Shape:
    """Return a column's closed cells and its table.

    Buckets as fine as the probe's own are put into those, and spread by the clock's step.
    """
    counts = _counts(column)
    lowers = np.array(column.lowers, dtype=np.float64)
    uppers = np.array(
        [math.inf if edge is None else edge for edge in column.uppers], dtype=np.float64
    )
    is_closed = np.isfinite(uppers)
    opened = counts[:, ~is_closed].sum()
    edges = lowers[~is_closed]
    counts, lowers, uppers = counts[:, is_closed], lowers[is_closed], uppers[is_closed]
    quantum = None
    if form in FINE:
        counts, lowers, uppers, quantum = _spread_fine(counts, lowers, uppers, column.quantum)
    counts, lowers, uppers = _fill_gaps(counts, lowers, uppers)
    table = Table(
        lowers=np.append(lowers, edges),
        uppers=np.append(uppers, [math.inf] * edges.size),
        calls=np.append(counts.sum(axis=0), [opened] * edges.size).astype(np.int64),
    )
    return Shape(counts, lowers, uppers, table, quantum)


def _counts(column: ImportedColumn) -> FloatArray:
    """Return calls, shape (rounds, buckets)."""
    counts = np.zeros((len(column.rounds), len(column.lowers)))
    for row, buckets in zip(counts, column.rounds, strict=True):
        for bucket, calls in buckets:
            row[bucket] = calls
    return counts


def _spread_fine(
    counts: FloatArray, lowers: FloatArray, uppers: FloatArray, told: int | None
) -> tuple[FloatArray, FloatArray, FloatArray, int | None]:
    """Return cells in the probe's layout, and the step of the costs where it is more than one.

    It is the one that the calls prove, else the one that they were `told` in. Buckets that do not
    fit into that layout stay what they are.
    """
    place = np.searchsorted(bucket_lowers(), lowers, side="right") - 1
    if (uppers > bucket_uppers()[place]).any() or not counts.any(axis=1).all():
        return counts, lowers, uppers, None
    used, merged = np.unique(place, return_inverse=True)
    fewer = np.zeros((counts.shape[0], used.size), dtype=np.int64)
    for row, fine in zip(fewer, counts, strict=True):
        row[:] = np.bincount(merged, weights=fine, minlength=used.size)
    lowers, uppers = bucket_lowers()[used], bucket_uppers()[used]
    step = _proved_step(fewer.sum(axis=0), lowers, uppers) or told
    cells = spread(fewer, Layout(lowers, uppers, step))
    return cells.counts, cells.lowers, cells.uppers, None if step == 1 else step


def _proved_step(calls: IntArray, lowers: FloatArray, uppers: FloatArray) -> int | None:
    """Return the step of the clock that the calls prove; None for none above one."""
    if float(np.average(lowers, weights=calls)) > QUANTUM_MATTERS:
        return None
    step = find_quantum(calls, lowers, uppers).step
    return step if step > 1 else None


def _fill_gaps(
    counts: FloatArray, lowers: FloatArray, uppers: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the cells with an empty one in every gap."""
    gaps = np.flatnonzero(lowers[1:] > uppers[:-1])
    return (
        np.insert(counts, gaps + 1, 0.0, axis=1),
        np.insert(lowers, gaps + 1, uppers[gaps]),
        np.insert(uppers, gaps + 1, lowers[gaps + 1]),
    )
