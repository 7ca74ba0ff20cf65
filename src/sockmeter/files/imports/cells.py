# SPDX-License-Identifier: MIT
"""A line of a table as cells, and what a cell may say."""

import re
from collections.abc import Sequence
from enum import StrEnum

SAMPLE = 4000  # lines that tell how a table is written
MOST_CALLS = 2**53 - 1  # exact in every later sum of a column
_COUNT = re.compile(r"\d{1,3}(?:,\d{3})+|\d+")
_FRACTION = re.compile(r"\d[\d,]*\.\d+")
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_LABEL = re.compile(r"(?P<more>(?:>=?|≥) ?)?(?P<edge>[\d,]+(?:\.\d+)?)(?P<plus>\+)?:?")
_TOTAL = re.compile(r"(?:totals?|sums?|all|#?count)s?:?", re.IGNORECASE)


class Separator(StrEnum):
    """What stands between the cells of a table."""

    BAR = "|"
    SEMICOLON = ";"
    COMMA = ","
    SPACE = " "


def find_separator(lines: Sequence[str]) -> Separator:
    """Return what separates the cells of most lines that begin with a number.

    Between spaces a comma separates thousands; in any other place it separates cells.
    """
    rows = [line.strip() for line in lines[:SAMPLE] if re.match(r"[\s|>≥=]*\d", line)]
    for separator in (Separator.BAR, Separator.SEMICOLON):
        if 2 * sum(separator in row for row in rows) > len(rows):
            return separator
    spaced = sum("," not in row or _has_thousands(row) for row in rows)
    return Separator.SPACE if 2 * spaced >= len(rows) else Separator.COMMA


def _has_thousands(row: str) -> bool:
    """Whether every comma of a row stands between thousands."""
    cells = row.split()
    return len(cells) > 1 and all(
        _COUNT.fullmatch(cell.strip(">≥=+:")) for cell in cells if "," in cell
    )


def split_cells(line: str, separator: Separator) -> list[str]:
    """Return the cells of a line without the spaces around them."""
    if separator is Separator.SPACE:
        return line.split()
    if separator is Separator.BAR:
        line = line.strip().strip("|")
    return [cell.strip().strip('"') for cell in line.split(separator)]


def parse_label(cell: str) -> tuple[float, bool] | None:
    """Return the edge that a bucket's label names and whether it is open, or None."""
    match = _LABEL.fullmatch(cell)
    if match is None or _NUMBER.fullmatch(match["edge"]) is None:
        return None
    return float(match["edge"].replace(",", "")), bool(match["more"] or match["plus"])


def is_total(cell: str) -> bool:
    """Whether a cell heads a row of totals."""
    return _TOTAL.fullmatch(cell) is not None


def is_number(cell: str) -> bool:
    """Whether a cell was meant as a number, also where it is no count."""
    return re.match(r"[-+−]?\d", cell) is not None


def parse_count(cell: str) -> int | str:
    """Return a number of calls, or the reason why the cell is none."""
    if _COUNT.fullmatch(cell):
        count = int(cell.replace(",", "")) if len(cell) < 40 else MOST_CALLS + 1
        return count if count <= MOST_CALLS else f"{_short(cell)} is too large a count"
    if re.match(r"[-−]\d", cell):
        return f"{_short(cell)} is a negative count"
    if _FRACTION.fullmatch(cell):
        return f"{_short(cell)} is a fraction, not a count"
    return f"'{_short(cell)}' is not a count" if cell else "a count is missing"


def _short(cell: str) -> str:
    return cell if len(cell) <= 24 else cell[:23] + "…"
