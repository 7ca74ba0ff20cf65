# SPDX-License-Identifier: MIT
"""A table of texts, and how the formats draw it that have no width."""

import csv
import io

import msgspec


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
    gives_way: tuple[int, ...] = ()  # columns that a terminal too narrow leaves out, in this order

    @property
    def heads(self) -> list[str]:
        """The columns, each in one line."""
        return [column.replace("\n", " ") for column in self.columns]


def draw_markdown(table: Table) -> str:
    """Return the table as Markdown."""
    rules = ["---" if index in table.wordy else "---:" for index in range(len(table.columns))]
    lines = [table.heads, rules, *([cell.text for cell in row] for row in table.rows)]
    drawn = "\n".join("| " + " | ".join(map(_escape, line)) + " |" for line in lines)
    return f"**{table.title}**\n\n{drawn}\n" if table.title else f"{drawn}\n"


def _escape(text: str) -> str:
    return text.replace("|", "\\|")


def table_csv(table: Table) -> str:
    """Return the texts of the table as CSV with one header line."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.heads)
    writer.writerows([cell.text for cell in row] for row in table.rows)
    return stream.getvalue()


def table_objects(table: Table) -> list[dict[str, str]]:
    """Return the rows as objects whose keys are the columns."""
    return [
        {head: cell.text for head, cell in zip(table.heads, row, strict=True)} for row in table.rows
    ]
