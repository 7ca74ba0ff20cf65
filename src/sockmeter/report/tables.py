# SPDX-License-Identifier: MIT
"""A table of texts and how each format draws it."""

import csv
import io

import msgspec
from rich import box
from rich.table import Table as RichTable
from rich.text import Text


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


def draw_text(table: Table) -> RichTable:
    """Return the table as a terminal shows it."""
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
            no_wrap=not (is_words and index > 0),
        )
    for row in table.rows:
        drawn.add_row(*(Text(cell.text, style=cell.style) for cell in row))
    return drawn


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
