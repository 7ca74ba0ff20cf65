# SPDX-License-Identifier: MIT
"""A column table as people post it: buckets down, columns across, prose around it."""

import itertools
import re
from collections import Counter
from collections.abc import Sequence

import msgspec

from sockmeter.files.imports.buckets import Edges, Label, find_edges
from sockmeter.files.imports.cells import (
    Separator,
    find_separator,
    is_number,
    is_total,
    parse_count,
    parse_label,
    split_cells,
)
from sockmeter.files.imports.content import Content, Edge, Options, Source
from sockmeter.files.imports.headings import Headings, column_words, find_headings
from sockmeter.files.imports.units import Said, settle_unit, unit_word
from sockmeter.model.imported import ImportedColumn

MOST_ROWS = 65_536
_SAID_EDGE = re.compile(r"\b(lower|upper)[ -](?:bucket )?edges?\b", re.IGNORECASE)
_SAID_WIDTH = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)[- ]?([a-zµμ]+)[- ](?:wide )?buckets?\b")


class Row(msgspec.Struct, frozen=True):
    """A line of the table."""

    number: int
    cells: list[str]


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """What the text says about its own buckets."""

    edge: Edge | None
    width: float | None
    units: list[Said]


def parse(source: Source, options: Options) -> Content:
    """Return the columns of a table; RunFileError, naming the line, for one that is not sound."""
    separator = find_separator(source.lines)
    first, rows, total = _find_rows(source, separator)
    _check_widths(source, rows)
    headings = find_headings(source, first, separator, len(rows[0].cells) - 1, options.headings)
    declared = _read_declarations(source)
    unit, factor = settle_unit(
        source, [*_heading_units(headings, rows[0].number), *declared.units], options.unit
    )
    edges = _find_edges(source, rows, declared, options)
    counts = _read_counts(source, rows, headings.names)
    if total is not None:
        _check_totals(source, total, headings.names, counts)
    columns = [
        ImportedColumn(
            label=name,
            lowers=[edge * factor for edge in edges.lowers],
            uppers=[None if edge is None else edge * factor for edge in edges.uppers],
            rounds=[[(bucket, calls) for bucket, calls in enumerate(column) if calls]],
        )
        for name, column in zip(headings.names, counts, strict=True)
    ]
    taken = {row.number for row in rows}
    strays = [row for row in find_candidates(source, separator) if row.number not in taken]
    return Content(
        unit=unit,
        edge=edges.convention,
        said=[line.lstrip("# ").rstrip() for line in source.lines if line.startswith("#")],
        columns=columns,
        remarks=[
            *headings.remarks,
            *edges.remarks,
            *(f"Line {row.number} stands alone: it is not taken as a row." for row in strays),
        ],
    )


def find_candidates(source: Source, separator: Separator) -> list[Row]:
    """Return the lines that look like rows: a bucket's label, then a number."""
    candidates = []
    for number, line in enumerate(source.lines, start=1):
        cells = split_cells(line, separator)
        if len(cells) > 1 and parse_label(cells[0]) and any(map(is_number, cells[1:])):
            candidates.append(Row(number, cells))
            if len(candidates) > MOST_ROWS:
                source.refuse(
                    number,
                    f"more than {MOST_ROWS:,} buckets",
                    mend="raw values are imported with --form values",
                )
    return candidates


def _find_rows(source: Source, separator: Separator) -> tuple[int, list[Row], Row | None]:
    """Return the first line's number, the rows, and the row of totals if there is one."""
    candidates = find_candidates(source, separator)
    if not candidates:
        source.refuse_all("no rows: no line begins with a bucket and its counts")
    blocks: list[list[Row]] = [[]]
    for row in candidates:
        if blocks[-1] and not _is_gap_empty(source, blocks[-1][-1].number, row.number):
            blocks.append([])
        blocks[-1].append(row)
    _refuse_interruption(source, blocks, separator)
    tables = [block for block in blocks if len(block) > 1] or blocks[:1]
    if len(tables) > 1:
        source.refuse(
            tables[1][0].number, "a second table begins here", mend="import one table at a time"
        )
    rows = tables[0]
    after = _next_written(source, rows[-1].number)
    if after is None:
        return rows[0].number, rows, None
    following = Row(after, split_cells(source.lines[after - 1], separator))
    if is_total(following.cells[0]):
        return rows[0].number, rows, following
    if after == rows[-1].number + 1 and _looks_damaged(following, rows[-1]):
        source.refuse(after, f"'{following.cells[0]}' is not a bucket's label")
    return rows[0].number, rows, None


def _is_gap_empty(source: Source, before: int, after: int) -> bool:
    between = source.lines[before : after - 1]
    return all(not line.strip() or line.startswith("#") for line in between)


def _next_written(source: Source, number: int) -> int | None:
    """Return the first line after `number` that is not empty, no comment and no rule."""
    for after, line in enumerate(source.lines[number:], start=number + 1):
        if line.strip(" \t-=+|_") and not line.startswith("#"):
            return after
    return None


def _refuse_interruption(source: Source, blocks: list[list[Row]], separator: Separator) -> None:
    """Refuse a single line between rows that is none; a row on its own may be prose."""
    for before, after in itertools.pairwise(blocks):
        first, last = before[-1].number, after[0].number
        between = [n for n in range(first + 1, last) if source.lines[n - 1].strip()]
        if len(between) != 1:
            continue
        cells = split_cells(source.lines[between[0] - 1], separator)
        is_long = len(before) > 1 and len(after) > 1
        if is_total(cells[0]) or not (is_long or len(cells) == len(after[0].cells)):
            continue
        what = cells[0] if parse_label(cells[0]) is None else " ".join(cells[1:])
        source.refuse(between[0], f"'{what}' is not {_what_belongs(cells)}")


def _what_belongs(cells: Sequence[str]) -> str:
    return "a bucket's label" if parse_label(cells[0]) is None else "a row of counts"


def _looks_damaged(row: Row, last: Row) -> bool:
    numbers = sum(map(is_number, row.cells[1:]))
    return len(row.cells) == len(last.cells) and 2 * numbers >= len(row.cells) - 1 > 0


def _check_widths(source: Source, rows: Sequence[Row]) -> None:
    usual = Counter(len(row.cells) for row in rows).most_common(1)[0][0]
    for row in rows:
        if len(row.cells) != usual:
            source.refuse(
                row.number, f"ragged: {len(row.cells)} cells, where the other rows have {usual}"
            )


def _read_counts(source: Source, rows: Sequence[Row], names: Sequence[str]) -> list[list[int]]:
    """Return the counts column by column."""
    counts: list[list[int]] = [[] for _ in names]
    for row in rows:
        for name, column, cell in zip(names, counts, row.cells[1:], strict=True):
            count = parse_count(cell)
            if isinstance(count, str):
                source.refuse(row.number, f"{column_words(name)}: {count}")
            column.append(count)
    for name, column in zip(names, counts, strict=True):
        if not any(column):
            source.refuse_all(f"{column_words(name)} holds no call")
    return counts


def _check_totals(
    source: Source, total: Row, names: Sequence[str], counts: Sequence[Sequence[int]]
) -> None:
    cells = total.cells[1:]
    if len(cells) != len(names):
        source.refuse(total.number, f"{len(cells)} totals for {len(names)} columns")
    for name, cell, column in zip(names, cells, counts, strict=True):
        stated = parse_count(cell)
        if isinstance(stated, str):
            source.refuse(total.number, f"{column_words(name)}: {stated}")
        if stated != sum(column):
            source.refuse(
                total.number,
                f"{column_words(name)}: the total says {stated:,}, "
                f"its rows add up to {sum(column):,}",
            )


def _find_edges(source: Source, rows: Sequence[Row], declared: Declared, options: Options) -> Edges:
    for option, said, given in (
        ("--edge", declared.edge, options.edge),
        ("--bucket-width", declared.width, options.bucket_width),
    ):
        if said is not None and given is not None and said != given:
            source.refuse_all(f"the text says {said}, {option} says {given}")
    convention = options.edge or declared.edge
    labels = [
        Label(row.number, *label)
        for row in rows
        if (label := parse_label(row.cells[0])) is not None
    ]
    edges = find_edges(
        source,
        labels,
        convention or Edge.LOWER,
        options.bucket_width if declared.width is None else declared.width,
    )
    if convention is not None:
        return edges
    assumed = "Nothing says which edge a label names: the lower one is assumed (--edge)."
    return msgspec.structs.replace(edges, remarks=[*edges.remarks, assumed])


def _read_declarations(source: Source) -> Declared:
    """Return what the lines outside the table say about edge, width and unit."""
    edges: set[Edge] = set()
    widths: set[float] = set()
    units = []
    for number, line in enumerate(source.lines, start=1):
        if not re.search("edge|bucket", line, re.IGNORECASE):
            continue
        edges |= {Edge(match[1].lower()) for match in _SAID_EDGE.finditer(line)}
        for match in _SAID_WIDTH.finditer(line):
            unit = unit_word(match[2])
            if unit is not None:
                widths.add(float(match[1]))
                units.append(Said(unit, f"line {number}"))
    return Declared(
        edge=edges.pop() if len(edges) == 1 else None,
        width=widths.pop() if len(widths) == 1 and 0.0 not in widths else None,
        units=units,
    )


def _heading_units(headings: Headings, row_number: int) -> list[Said]:
    """Return the units in the label's heading and in brackets in the columns' headings."""
    said = []
    where = f"line {headings.number or row_number}"
    for text in (headings.of_labels, *headings.names):
        bracketed = re.search(r"[(\[]([^)\]]+)[)\]]$", text)
        unit = unit_word(bracketed[1]) if bracketed else None
        if unit is None and text == headings.of_labels:
            unit = unit_word(text)
        if unit is not None:
            said.append(Said(unit, f"{where} ({text})"))
    return said
