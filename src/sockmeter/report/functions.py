# SPDX-License-Identifier: MIT
"""The tables of --functions: what each function did for a call, and what changed."""

from collections.abc import Sequence
from fractions import Fraction

from sockmeter.explain.costs import Change
from sockmeter.explain.functions import FunctionDifference
from sockmeter.report.functions_cells import (
    SIDE_COLUMNS,
    cost,
    cost_cells,
    difference,
    refuse_open,
    share,
    side_cells,
)
from sockmeter.report.tables import Cell, Table
from sockmeter.report.wording import plural

MOST = 25  # functions that are named


def function_table(
    rows: Sequence[FunctionDifference], measured: Fraction, title: str, *, most: int = MOST
) -> Table:
    """Return the functions of one profile, from explain.functions.function_costs.

    `measured` is the cost of a call by the guest's clock; raises ValueError where the rows do not
    sum to it.
    """
    shown, left = rows[:most], rows[most:]
    added = _sum(rows)
    refuse_open(added.clock, measured)
    drawn = [
        [
            Cell(row.name),
            cost(row.change.after.entries),
            *cost_cells(row.change.after),
            share(row.change.clock, measured),
        ]
        for row in shown
    ]
    if left:
        rest = _sum(left)
        drawn.append(
            [
                Cell(plural(len(left), "more function"), "dim"),
                Cell(""),
                *cost_cells(rest.after),
                share(rest.clock, measured),
            ]
        )
    drawn.append(
        [
            Cell("sum = the guest's clock", "bold"),
            Cell(""),
            *cost_cells(added.after),
            share(added.clock, measured),
        ]
    )
    return Table(
        title=title,
        columns=["function", "entered", "instr.", "bytes", "in all", "share"],
        rows=drawn,
    )


def function_difference_table(
    rows: Sequence[FunctionDifference], measured: Fraction, title: str, *, most: int = MOST
) -> Table:
    """Return the functions of a difference, from explain.functions.function_differences.

    `measured` is the difference of the costs of a call by the guest's clock; raises ValueError
    where the rows do not sum to it. Functions without any difference are counted.
    """
    moved = [row for row in rows if row.change.before != row.change.after]
    shown, left = moved[:most], moved[most:]
    refuse_open(_sum(rows).clock, measured)
    drawn = [
        [
            Cell(row.name),
            cost(row.change.before.entries),
            cost(row.change.after.entries),
            *_cells(row.change),
        ]
        for row in shown
    ]
    if left:
        drawn.append(_together(f"{len(left):,} more that differ", left))
    still = [row for row in rows if row.change.before == row.change.after]
    if still:
        drawn.append(_together(f"{len(still):,} without difference", still))
    drawn.append(
        [
            Cell("sum = the guest's clock", "bold"),
            Cell(""),
            Cell(""),
            *_cells(_sum(rows)),
        ]
    )
    return Table(
        title=title,
        columns=[
            "function",
            "entered\nbefore",
            "entered\nafter",
            *SIDE_COLUMNS,
            "difference\ninstr.",
            "difference\nin all",
        ],
        rows=drawn,
    )


def _cells(each: Change) -> list[Cell]:
    return [*side_cells(each), difference(each.instructions), difference(each.clock)]


def _together(name: str, rows: Sequence[FunctionDifference]) -> list[Cell]:
    return [Cell(name, "dim"), Cell(""), Cell(""), *_cells(_sum(rows))]


def _sum(rows: Sequence[FunctionDifference]) -> Change:
    return sum((row.change for row in rows), Change())
