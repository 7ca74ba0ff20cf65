# SPDX-License-Identifier: MIT
"""HdrHistogram's percentile text (.hgrm): values, percentiles, and the calls up to each.

A row says how many calls cost at most its value, so two rows bound the calls between them. What
lies inside is not told, so such a column has quantiles but no peaks. The standard deviation of the
footer is left out: the Python library, unlike the Java one, does not scale it with the values.
"""

import math
import re

import msgspec

from sockmeter.files.imports.cells import MOST_CALLS
from sockmeter.files.imports.content import Content, Options, Source
from sockmeter.files.imports.units import settle_unit
from sockmeter.model.imported import ImportedColumn

_HEADER = re.compile(
    r'\s*"?Value"?[\s,]+"?Percentile"?[\s,]+"?TotalCount"?[\s,]+"?1/\(1-Percentile\)"?\s*'
)
_FOOTER = re.compile(r"(Mean|StdDeviation|Max|TotalCount|Buckets|SubBuckets)\s*=\s*([\d.]+)")


class _Row(msgspec.Struct, frozen=True):
    number: int
    value: float
    calls: int  # that cost at most the value


def looks_like(source: Source) -> bool:
    """Whether the header of a percentile text is there."""
    return any("Percentile" in line and _HEADER.fullmatch(line) for line in source.lines)


def parse(source: Source, options: Options) -> Content:
    """Return one column; RunFileError names the line where values or counts fall."""
    unit, factor = settle_unit(source, [], options.unit)
    start = next(
        (n for n, line in enumerate(source.lines, start=1) if _HEADER.fullmatch(line)), None
    )
    if start is None:
        source.refuse_all("no header of a percentile text (Value, Percentile, TotalCount, …)")
    rows, footer, end = _read(source, start)
    if not rows:
        source.refuse(start, "no rows under the header")
    total = rows[-1].calls
    if total == 0:
        source.refuse(rows[-1].number, "no call")
    if footer.get("TotalCount", total) != total:
        source.refuse(
            end, f"TotalCount says {footer['TotalCount']:,.0f}, the rows add up to {total:,}"
        )
    return Content(
        unit=unit,
        edge="from above the row before up to the row's value",
        columns=[_column(source, rows, footer, factor)],
        remarks=[
            "A percentile text tells how many calls lie between its rows, not where: no peaks."
        ],
    )


def _read(source: Source, start: int) -> tuple[list[_Row], dict[str, float], int]:
    rows: list[_Row] = []
    footer: dict[str, float] = {}
    for number, line in enumerate(source.lines[start:], start=start + 1):
        if _HEADER.fullmatch(line):
            source.refuse(number, "a second percentile text begins here")
        if line.startswith("#["):
            footer |= {name: _number(source, number, text) for name, text in _FOOTER.findall(line)}
            if "SubBuckets" in footer:
                return rows, footer, number
        elif line.strip():
            if rows and not re.match(r"\s*[\d.]", line):
                return rows, footer, number
            rows.append(_row(source, number, line, rows[-1] if rows else None))
    return rows, footer, len(source.lines)


def _row(source: Source, number: int, line: str, before: _Row | None) -> _Row:
    cells = line.replace(",", " ").split()
    if len(cells) not in (3, 4):
        source.refuse(number, f"ragged: {len(cells)} cells, where a row has 3 or 4")
    value, percentile = _number(source, number, cells[0]), _number(source, number, cells[1])
    if not cells[2].isdigit() or len(cells[2]) > 16 or int(cells[2]) > MOST_CALLS:
        source.refuse(number, f"'{cells[2][:24]}' is not a count")
    if percentile > 1:
        source.refuse(number, f"a percentile of {cells[1]}")
    row = _Row(number, value, int(cells[2]))
    if before is not None and (row.value < before.value or row.calls < before.calls):
        what = "value" if row.value < before.value else "count"
        source.refuse(number, f"unordered: the {what} falls below that of the row before")
    return row


def _number(source: Source, number: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        source.refuse(number, f"'{text[:24]}' is not a number")
    if not (math.isfinite(value) and 0 <= value < 2**62):
        source.refuse(number, f"{text[:24]} is no cost")
    return value


def _column(
    source: Source, rows: list[_Row], footer: dict[str, float], factor: int
) -> ImportedColumn:
    """Return buckets (before, value] as [before, value); equal rows add nothing.

    The first bucket reaches down by the histogram's resolution where the footer tells it, else
    to 0. RunFileError where calls are added without the value rising.
    """
    sub_buckets = footer.get("SubBuckets", 0.0)
    resolution = 2 / sub_buckets if sub_buckets >= 2 else 1.0
    lower, counted = rows[0].value * (1 - resolution), 0
    lowers: list[float] = []
    uppers: list[float | None] = []
    calls: list[tuple[int, int]] = []
    for row in rows:
        if row.calls == counted:
            continue
        if row.value <= lower:
            if not lowers:
                lower = max(row.value - 1, 0.0)
            if row.value <= lower:
                source.refuse(row.number, "more calls at the value of the row before")
        lowers.append(lower * factor)
        uppers.append(row.value * factor)
        calls.append((len(calls), row.calls - counted))
        lower, counted = row.value, row.calls
    stated = {
        name: footer[key] * factor
        for name, key in (("mean", "Mean"), ("max", "Max"))
        if key in footer
    }
    return ImportedColumn(
        label="histogram", lowers=lowers, uppers=uppers, rounds=[calls], stated=stated
    )
