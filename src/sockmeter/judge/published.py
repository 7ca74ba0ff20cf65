# SPDX-License-Identifier: MIT
"""What a published measurement shows, and what it cannot: bounds, peaks, and no verdict.

Columns of one run each decide nothing, whatever their counts: calls of one run are not independent
of each other, so only more runs narrow a difference down. Intervals of a log are one run too.
"""

import itertools
import math
from collections.abc import Sequence

import msgspec
import numpy as np

from sockmeter.judge.cells import Cells
from sockmeter.judge.coarse import (
    Bounds,
    Table,
    capped_mean_bounds,
    compare_tables,
    mean_bounds,
    quantile_bounds,
)
from sockmeter.judge.mix import MixSplit, modes_of, split_shift
from sockmeter.judge.peaks import Peak, dispersion, find_peaks
from sockmeter.judge.published_shape import Shape, shape_of
from sockmeter.judge.verdict import Verdict
from sockmeter.model.imported import Form, ImportedColumn, ImportedRun
from sockmeter.plan.designs import EFFECT

RUNS = 1  # a source tells one run of each column, in however many intervals
LEAST_PEAK_BUCKETS = 8  # in use: fewer are no shape


class ColumnFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One column, in the source's unit."""

    label: str
    calls: int
    overflow: int  # calls in the open bucket
    edge: float  # the largest finite edge
    median: Bounds
    p90: Bounds
    p99: Bounds
    mean: Bounds
    exact_mean: float | None  # where every cost was known
    capped_mean: Bounds  # E[min(cost, cap)]; of the plain mean without a cap
    median_width: float | None  # width of the median's bucket; None where that is open
    quantum: int | None  # step of the clock, where the calls prove one
    peaks: tuple[Peak, ...] | None  # None where buckets say nothing about them
    phi: float | None  # over-dispersion that the peaks had to stand out of

    @property
    def overflow_share(self) -> float:
        """Share of the calls in the open bucket, 0 ... 1."""
        return self.overflow / self.calls


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A difference as a fraction of the baseline: interpolated, and what it is bounded by."""

    point: float | None  # None where a side has no upper bound
    low: float
    high: float  # infinite where the other has no upper bound


class PairFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One column set against another."""

    baseline: int  # places of the columns
    other: int
    median: Change
    capped_mean: Change
    mix: MixSplit | None  # None unless both have equally many closed peaks, at least two
    verdict: Verdict


class PublishedFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is said of an imported measurement's distributions."""

    cap: float | None  # where the first open bucket with calls begins; None where none is
    columns: tuple[ColumnFigures, ...]  # those that have buckets
    pairs: tuple[PairFigures, ...]


def assess_published(run: ImportedRun, *, effect: float = EFFECT) -> PublishedFigures:
    """Return the figures of an imported run."""
    held = [column for column in run.columns if column.calls]
    shapes = [shape_of(column, run.form) for column in held]
    cap = min((shape.table.edge for shape in shapes if shape.table.overflow), default=None)
    columns = tuple(
        _figures(column, shape, cap, has_peaks=run.form is not Form.HGRM)
        for column, shape in zip(held, shapes, strict=True)
    )
    pairs = tuple(
        _pair(columns, shapes, cap, places, effect)
        for places in choose_pairs([column.label for column in held], run.baseline)
    )
    return PublishedFigures(cap=cap, columns=columns, pairs=pairs)


def choose_pairs(labels: Sequence[str], baseline: str | None) -> list[tuple[int, int]]:
    """Return the pairs of columns to set against each other, as places, the baseline first.

    Labels in parts, call/kernel, are paired where they differ in one part only; others against the
    baseline, which unless named is the first column, or the first key of a map, map[key].
    A baseline that is a part comes first.
    """
    parts = [label.split("/") for label in labels]
    depth = {len(each) for each in parts}
    if len(depth) == 1 and depth != {1}:
        pairs = []
        for first, second in itertools.combinations(range(len(labels)), 2):
            differing = [
                (one, other)
                for one, other in zip(parts[first], parts[second], strict=True)
                if one != other
            ]
            if len(differing) == 1:
                is_turned = baseline is not None and baseline == differing[0][1]
                pairs.append((second, first) if is_turned else (first, second))
        if baseline in labels:
            place = labels.index(baseline)
            pairs = [
                (place, other)
                for first, second in pairs
                if place in (first, second)
                for other in (first + second - place,)
            ]
        # The narrowest question first: the last part varies within a group.
        return sorted(pairs, key=lambda pair: parts[pair[0]][0] != parts[pair[1]][0])
    if baseline in labels:
        return _against(labels.index(baseline), range(len(labels)))
    groups: dict[str, list[int]] = {}
    for place, label in enumerate(labels):
        groups.setdefault(label.partition("[")[0] if "[" in label else "", []).append(place)
    return [pair for group in groups.values() for pair in _against(group[0], group)]


def _against(baseline: int, places: Sequence[int]) -> list[tuple[int, int]]:
    return [(baseline, other) for other in places if other != baseline]


def _figures(
    column: ImportedColumn, shape: Shape, cap: float | None, *, has_peaks: bool
) -> ColumnFigures:
    table = shape.table
    median = quantile_bounds(table, 0.5)
    peaks, phi = None, None
    if has_peaks and np.count_nonzero(shape.counts.sum(axis=0)) >= LEAST_PEAK_BUCKETS:
        phi = dispersion(shape.counts)
        peaks = find_peaks(
            shape.counts.sum(axis=0),
            shape.lowers,
            shape.uppers,
            phi=phi,
            overflow=float(table.overflow),
        )
    return ColumnFigures(
        label=column.label,
        calls=table.total,
        overflow=table.overflow,
        edge=table.edge,
        median=median,
        p90=quantile_bounds(table, 0.9),
        p99=quantile_bounds(table, 0.99),
        mean=mean_bounds(table),
        exact_mean=None if column.sum is None else column.sum / table.total,
        capped_mean=_capped_mean(table, cap),
        median_width=median.high - median.low if math.isfinite(median.high) else None,
        quantum=shape.quantum,
        peaks=peaks,
        phi=phi,
    )


def _capped_mean(table: Table, cap: float | None) -> Bounds:
    """Return the bounds of E[min(cost, cap)]; the plain mean's where no cost reaches the cap."""
    if cap is None or (table.overflow == 0 and cap >= table.edge):
        return mean_bounds(table)
    return capped_mean_bounds(table, cap)


def _pair(
    columns: Sequence[ColumnFigures],
    shapes: Sequence[Shape],
    cap: float | None,
    places: tuple[int, int],
    effect: float,
) -> PairFigures:
    first, second = places
    old, new = columns[first], columns[second]
    return PairFigures(
        baseline=first,
        other=second,
        median=_change(old.median, new.median),
        capped_mean=_change(old.capped_mean, new.capped_mean),
        mix=_mix(old, new, shapes[first].table, shapes[second].table, cap),
        verdict=compare_tables(RUNS, effect),
    )


def _change(old: Bounds, new: Bounds) -> Change:
    low = new.low / old.high - 1 if math.isfinite(old.high) else -1.0
    high = new.high / old.low - 1 if old.low > 0 else math.inf
    point = None
    if old.point is not None and new.point is not None and old.point > 0:
        point = new.point / old.point - 1
    return Change(point=point, low=low, high=high)


def _mix(
    old: ColumnFigures, new: ColumnFigures, before: Table, after: Table, cap: float | None
) -> MixSplit | None:
    """Split the shift of the capped mean; calls past the last valley belong to the last mode."""
    closed = [[peak for peak in column.peaks or () if peak.closes_right] for column in (old, new)]
    if len(closed[0]) != len(closed[1]) or len(closed[0]) < 2:
        return None
    limit = math.inf if cap is None else cap
    return split_shift(
        modes_of(_pooled(before), closed[0], limit), modes_of(_pooled(after), closed[1], limit)
    )


def _pooled(table: Table) -> Cells:
    """Return a table as cells for means up to the cap: the open one is cut there anyway."""
    calls = table.calls.astype(np.float64)
    return Cells(
        lowers=table.lowers,
        uppers=table.uppers,
        counts=calls[None, :],
        ends=np.cumsum(calls),
        starts=np.zeros(1),
        totals=np.array([calls.sum()]),
    )
