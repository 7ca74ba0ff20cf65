# SPDX-License-Identifier: MIT
"""The second table of a run: what its scenario measured besides the cost of a call."""

import msgspec

from sockmeter.report.tables import Cell, Table

Value = int | float | str | None


class FigureColumn(msgspec.Struct, frozen=True, kw_only=True):
    """One column: its key in JSON and CSV, and its head in a table; the unit is in both."""

    key: str  # megabytes_per_s
    head: str  # "sent\nMB/s"
    digits: int = 0  # decimals that a table shows


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """A table of numbers, one row an arm in the order of the design."""

    title: str
    columns: list[FigureColumn]
    rows: list[dict[str, Value]]  # by key; None, or absent, where there is nothing to say
    gives_way: list[str] = []  # keys that a terminal too narrow leaves out, the least missed first


def figures_table(figures: Figures, labels: list[str]) -> Table:
    """Return the figures as texts, behind the labels of their arms."""
    wordy = {0} | {
        place
        for place, column in enumerate(figures.columns, start=1)
        if any(isinstance(row.get(column.key), str) for row in figures.rows)
    }
    places = {column.key: place for place, column in enumerate(figures.columns, start=1)}
    return Table(
        title=figures.title,
        columns=["call", *(column.head for column in figures.columns)],
        rows=[
            [
                Cell(label),
                *(Cell(_spell(row.get(each.key), each.digits)) for each in figures.columns),
            ]
            for label, row in zip(labels, figures.rows, strict=True)
        ],
        wordy=frozenset(wordy),
        gives_way=tuple(places[key] for key in figures.gives_way if key in places),
    )


def _spell(value: Value, digits: int) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else _number(value, digits)


def _number(value: float, digits: int) -> str:
    text = f"{abs(value):,.{digits}f}"
    is_zero = not text.strip("0.")
    return text if is_zero or value > 0 else f"−{text}"
