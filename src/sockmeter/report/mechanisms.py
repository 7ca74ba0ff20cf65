# SPDX-License-Identifier: MIT
"""The tables of --mechanisms: a call, or a difference, by what is argued about."""

from collections.abc import Sequence
from fractions import Fraction

from sockmeter.explain.costs import Change
from sockmeter.explain.mechanisms import MechanismDifference
from sockmeter.report.functions_cells import (
    SIDE_COLUMNS,
    cost_cells,
    difference,
    mostly,
    number,
    refuse_open,
    share,
    side_cells,
)
from sockmeter.report.tables import Cell, Table


def mechanism_table(rows: Sequence[MechanismDifference], measured: Fraction, title: str) -> Table:
    """Return the mechanisms of one profile, from explain.mechanisms.mechanism_costs.

    `measured` is the cost of a call by the guest's clock; raises ValueError where the rows do not
    sum to it.
    """
    added = _sum(rows)
    refuse_open(added.clock, measured)
    columns = ["mechanism", "number", "instr.", "bytes", "in all", "share", "mostly"]
    return Table(
        title=title,
        columns=columns,
        rows=[
            *(
                [
                    Cell(row.mechanism.title),
                    _number(row),
                    *cost_cells(row.change.after),
                    share(row.change.clock, measured),
                    mostly(row.functions, is_difference=False),
                ]
                for row in rows
            ),
            [
                Cell("sum = the guest's clock", "bold"),
                Cell(""),
                *cost_cells(added.after),
                share(added.clock, measured),
                Cell(""),
            ],
        ],
        wordy=frozenset({0, 1, len(columns) - 1}),
    )


def mechanism_difference_table(
    rows: Sequence[MechanismDifference], measured: Fraction, title: str
) -> Table:
    """Return the mechanisms of a difference, from explain.mechanisms.mechanism_differences.

    `measured` is the difference of the costs of a call by the guest's clock; raises ValueError
    where the rows do not sum to it. Mechanisms without any difference are one row.
    """
    refuse_open(_sum(rows).clock, measured)
    moved = [row for row in rows if _has_moved(row)]
    still = [row for row in rows if not _has_moved(row)]
    columns = ["mechanism", "number", *SIDE_COLUMNS, "difference\nin all", "mostly"]
    drawn = [
        [
            Cell(row.mechanism.title),
            _numbers(row),
            *side_cells(row.change),
            difference(row.change.clock),
            mostly(row.functions, is_difference=True),
        ]
        for row in moved
    ]
    if still:
        drawn.append(_together(f"{len(still)} without difference", "dim", _sum(still)))
    drawn.append(_together("sum = the guest's clock", "bold", _sum(rows)))
    return Table(
        title=title, columns=columns, rows=drawn, wordy=frozenset({0, 1, len(columns) - 1})
    )


def _together(name: str, style: str, change: Change) -> list[Cell]:
    cells = [*side_cells(change), difference(change.clock)]
    return [Cell(name, style), Cell(""), *cells, Cell("")]


def _has_moved(row: MechanismDifference) -> bool:
    counted = row.number is not None and row.number.before != row.number.after
    inside = any(one.change.before != one.change.after for one in row.functions)
    return counted or inside


def _number(row: MechanismDifference) -> Cell:
    if row.number is None:
        return Cell("")
    return Cell(f"{row.number.unit}: {number(row.number.after)}")


def _numbers(row: MechanismDifference) -> Cell:
    if row.number is None:
        return Cell("")
    before, after = row.number.before, row.number.after
    numbers = number(after) if before == after else f"{number(before)} → {number(after)}"
    return Cell(f"{row.number.unit}: {numbers}")


def _sum(rows: Sequence[MechanismDifference]) -> Change:
    return sum((row.change for row in rows), Change())
