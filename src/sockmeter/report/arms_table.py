# SPDX-License-Identifier: MIT
"""The table that a person reads first: one row an arm."""

from sockmeter.report.differences import STYLES, Difference, difference_words
from sockmeter.report.tables import Cell, Table
from sockmeter.report.view import Row, View
from sockmeter.report.wording import clock_noun

NOTHING = Cell("–")
SHORT_NAME = 24  # characters, that the head of a column has room for


def arms_table(view: View) -> Table:
    """Return the table of a view; a batch column appears only where a call moves several."""
    has_batch = any(row.per_message is not None for row in view.rows)
    names = ["median", "midmean", "p90", "p99"]
    if has_batch:
        names.append("per\nmessage")
    costs = [f"{name}\n{view.unit}" for name in names]
    against = view.against if len(view.against) <= SHORT_NAME else "the first"
    columns = ["call", "calls", *costs, f"against\n{against}", "verdict"]
    return Table(
        title=title(view),
        columns=columns,
        rows=[_row(row, has_batch) for row in view.rows],
        wordy=frozenset({0, len(columns) - 1}),
        gives_way=(1, 3, 4, 5, *([6] if has_batch else [])),
    )


def title(view: View) -> str:
    """Return the line over the table: what was measured, and how often."""
    noun = clock_noun(view.clock, view.unit)
    return " · ".join(part for part in (view.scenario, view.shared, view.basis, noun) if part)


def _row(row: Row, has_batch: bool) -> list[Cell]:
    summary = row.summary
    calls = Cell(f"{summary.calls:,}") if summary else NOTHING
    names = ("median", "midmean", "p90", "p99")
    costs = [_cost(getattr(summary, name) if summary else None) for name in names]
    if has_batch:
        costs.append(_cost(row.per_message))
    return [Cell(row.label), calls, *costs, *_against(row)]


def _against(row: Row) -> list[Cell]:
    if row.refused is not None:
        return [NOTHING, Cell(f"refused: {row.refused}", "yellow")]
    if row.difference is None:
        return [NOTHING, Cell(f"{row.role}; void: {row.void}" if row.void else row.role)]
    difference = row.difference
    return [_interval(difference), Cell(difference.words, STYLES[difference.verdict])]


def _cost(cost: float | None) -> Cell:
    return NOTHING if cost is None else Cell(f"{cost:,.0f}")


def _interval(difference: Difference) -> Cell:
    words = difference_words(difference)
    return NOTHING if words is None else Cell(words)
