# SPDX-License-Identifier: MIT
"""What a table's columns are called: by the user, by the lines above it, or by their number."""

import re
from collections.abc import Sequence

import msgspec

from sockmeter.files.imports.cells import Separator, is_number, split_cells
from sockmeter.files.imports.content import Source
from sockmeter.model.errors import PlanError

LINES_ABOVE = 4


class Headings(msgspec.Struct, frozen=True, kw_only=True):
    """The names of the columns, all different."""

    names: list[str]
    of_labels: str = ""  # what stands over the labels
    number: int | None = None  # of their line
    remarks: list[str] = []


def column_words(name: str) -> str:
    """Return how a message names a column; one without a heading is called by its number."""
    return name if re.fullmatch(r"column \d+", name) else f"column {name}"


def find_headings(
    source: Source,
    first_row: int,
    separator: Separator,
    columns: int,
    given: Sequence[str] | None,
) -> Headings:
    """Return the headings of `columns` columns whose first row is line `first_row`.

    PlanError where those the user gave do not fit; RunFileError where two are the same.
    """
    if given is not None:
        if len(given) != columns:
            raise PlanError(
                f"--headings names {len(given)} columns; the table has {columns}",
                mend="the column of labels has none",
            )
        return _checked(source, Headings(names=list(given)))
    found = _above(source, first_row, separator, columns)
    if found is not None:
        return _checked(source, found)
    return Headings(
        names=[f"column {number}" for number in range(1, columns + 1)],
        remarks=["The columns have no headings: name them with --headings."],
    )


def _above(source: Source, first_row: int, separator: Separator, columns: int) -> Headings | None:
    """Return the headings in the nearest line that has as many cells as it takes.

    A line of groups over it, whose names each span as many columns, is put before them.
    """
    lines = _written_above(source, first_row)
    for place, (number, line) in enumerate(lines):
        for cells in _ways_to_split(line, separator):
            if len(cells) not in (columns, columns + 1) or any(map(_is_plain_number, cells)):
                continue
            of_labels, names = (cells[0], cells[1:]) if len(cells) > columns else ("", cells)
            if not all(names):
                continue
            if len(set(names)) < columns and place + 1 < len(lines):
                names = _grouped(names, lines[place + 1][1], separator)
            return Headings(names=list(names), of_labels=of_labels, number=number)
    return None


def _written_above(source: Source, first_row: int) -> list[tuple[int, str]]:
    lines = []
    for number in range(first_row - 1, max(first_row - 1 - LINES_ABOVE, 0), -1):
        line = source.lines[number - 1]
        if line.strip(" \t-=+|_:"):
            lines.append((number, line))
    return lines


def _ways_to_split(line: str, separator: Separator) -> list[list[str]]:
    """Return the cells of a heading, whose names may hold spaces where two spaces separate them."""
    if separator is not Separator.SPACE:
        return [] if line.startswith("#") else [split_cells(line, separator)]
    text = line.lstrip("# ").strip()
    return [re.split(r"\s{2,}|\t", text), text.split()]


def _grouped(names: list[str], line: str, separator: Separator) -> list[str]:
    for cells in _ways_to_split(line, separator):
        groups = [cell for cell in cells if cell and not _is_plain_number(cell)]
        if len(groups) > 1 and len(names) % len(groups) == 0:
            span = len(names) // len(groups)
            joined = [f"{groups[place // span]}/{name}" for place, name in enumerate(names)]
            if len(set(joined)) == len(names):
                return joined
    return names


def _checked(source: Source, headings: Headings) -> Headings:
    seen: set[str] = set()
    for name in headings.names:
        if name in seen:
            what = f"two columns are called {name}"
            mend = "name them with --headings"
            if headings.number is None:
                source.refuse_all(what, mend=mend)
            source.refuse(headings.number, what, mend=mend)
        seen.add(name)
    return headings


def _is_plain_number(cell: str) -> bool:
    return is_number(cell) and re.fullmatch(r"[\d.,+%-]+", cell) is not None
