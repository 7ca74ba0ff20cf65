# SPDX-License-Identifier: MIT
"""A table of texts and how each format draws it."""

import csv
import io
from collections.abc import Iterator

import msgspec
from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

# What a column of words keeps where a terminal is narrow, characters: a verdict, whole.
LEAST_WORDS = 20
NOTHING = ("", "–")
BETWEEN_COLUMNS, AT_EDGES = 3, 2  # what Rich puts there


class Cell(msgspec.Struct, frozen=True):
    """What stands in one place of a table."""

    text: str
    style: str = ""  # of Rich


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A small table; numbers stand to the right."""

    title: str
    columns: list[str]  # with units
    rows: list[list[Cell]]
    wordy: frozenset[int] = frozenset({0})  # columns that hold words, not numbers


def draw_text(table: Table) -> RenderableType:
    """Return the table as a terminal shows it, whole at every width.

    Names wrap only where nothing else makes room; where that is not enough, a row is a paragraph.
    """
    return _Fitting(table)


class _Fitting:
    """A table that learns the width when it is drawn."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> RenderResult:
        if _least_width(self._table, wraps_names=False) <= options.max_width:
            yield _draw(self._table, wraps_names=False)
        elif _least_width(self._table, wraps_names=True) <= options.max_width:
            yield _draw(self._table, wraps_names=True)
        else:
            yield from _paragraphs(self._table)


def _least_width(table: Table, *, wraps_names: bool) -> int:
    """Return the width at which numbers stand whole and words that wrap keep LEAST_WORDS."""
    longest = [
        max((cell_len(line) for text in column for line in text.splitlines()), default=0)
        for column in zip(
            table.columns, *([cell.text for cell in row] for row in table.rows), strict=True
        )
    ]
    kept = [
        min(width, LEAST_WORDS) if index in table.wordy and (index > 0 or wraps_names) else width
        for index, width in enumerate(longest)
    ]
    return sum(kept) + (len(kept) - 1) * BETWEEN_COLUMNS + AT_EDGES


def _draw(table: Table, *, wraps_names: bool) -> RichTable:
    drawn = RichTable(
        title=Text(table.title, style="bold") if table.title else None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1),
    )
    for index, column in enumerate(table.columns):
        is_words = index in table.wordy
        drawn.add_column(
            Text(column),
            vertical="top",
            justify="left" if is_words else "right",
            no_wrap=not is_words or (index == 0 and not wraps_names),
            overflow="fold",
        )
    for row in table.rows:
        drawn.add_row(*(Text(cell.text, style=cell.style) for cell in row))
    return drawn


def _paragraphs(table: Table) -> Iterator[RenderableType]:
    """Yield the name of each row, and under it what the row holds, with its heads."""
    if table.title:
        yield Text(table.title, style="bold")
    heads = [column.replace("\n", " ") for column in table.columns]
    for row in table.rows:
        yield Text(f"\n{row[0].text}", style="bold")
        held = [
            Text.assemble(f"{head} ", (cell.text, cell.style))
            for head, cell in zip(heads[1:], row[1:], strict=True)
            if cell.text not in NOTHING
        ]
        yield Padding(Text(" · ").join(held), (0, 0, 0, 2))
    yield Text()


def draw_markdown(table: Table) -> str:
    """Return the table as Markdown."""
    rules = ["---" if index in table.wordy else "---:" for index in range(len(table.columns))]
    heads = [column.replace("\n", " ") for column in table.columns]
    lines = [heads, rules, *([cell.text for cell in row] for row in table.rows)]
    drawn = "\n".join("| " + " | ".join(map(_escape, line)) + " |" for line in lines)
    return f"**{table.title}**\n\n{drawn}\n" if table.title else f"{drawn}\n"


def _escape(text: str) -> str:
    return text.replace("|", "\\|")


def table_csv(table: Table) -> str:
    """Return the texts of the table as CSV with one header line."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(column.replace("\n", " ") for column in table.columns)
    writer.writerows([cell.text for cell in row] for row in table.rows)
    return stream.getvalue()


def table_objects(table: Table) -> list[dict[str, str]]:
    """Return the rows as objects whose keys are the columns."""
    return [
        {
            column.replace("\n", " "): cell.text
            for column, cell in zip(table.columns, row, strict=True)
        }
        for row in table.rows
    ]
