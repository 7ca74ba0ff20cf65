# SPDX-License-Identifier: MIT
"""A side of a comparison: a column whose every round has statistics, or why it is not one."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.cells import Cells, Layout, spread
from sockmeter.judge.columns import Column
from sockmeter.judge.statistics import midmeans


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One column with its calls spread over cells."""

    column: Column
    cells: Cells
    layout: Layout

    def first(self, rounds: int) -> "Side":
        """Return the side cut after its first `rounds` rounds."""
        column = self.column.first(rounds)
        return Side(column, spread(column.counts, self.layout), self.layout)


@dataclass(frozen=True, slots=True)
class Fault:
    """A column that cannot be judged."""

    reason: str


def side_of(column: Column | Fault | None, layout: Layout) -> Side | Fault:
    """Return the column as a side, or the reason why it has no statistics."""
    if isinstance(column, Fault):
        return column
    if column is None:
        return Fault("the arm was refused")
    if column.rounds == 0:
        return Fault("no round was kept")
    empty = np.flatnonzero(column.count == 0)
    if empty.size:
        return Fault(f"no call was recorded in {empty.size} of {column.rounds} rounds")
    return Side(column, spread(column.counts, layout), layout)


def common_rounds(columns: Sequence[Column | Fault | None]) -> int:
    """Return the kept rounds of all columns that exist; ValueError where they differ."""
    rounds = {column.rounds for column in columns if isinstance(column, Column)}
    if len(rounds) > 1:
        raise ValueError(f"columns of one run differ in rounds: {sorted(rounds)}")
    return rounds.pop() if rounds else 0


def midmean_log_ratios(baseline: Side, arm: Side) -> FloatArray:
    """Return ln(midmean of arm) - ln(midmean of baseline) of every round."""
    return np.log(midmeans(arm.cells) / midmeans(baseline.cells))
