# SPDX-License-Identifier: MIT
"""Raw costs, one a line or several columns with a header: kept in buckets with their exact sum.

A million lines are read in a fraction of a second: equal lines are counted before any is parsed.
"""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from sockmeter.files.imports.cells import SAMPLE, Separator, split_cells
from sockmeter.files.imports.content import Content, Options, Source
from sockmeter.files.imports.headings import column_words
from sockmeter.files.imports.units import Said, settle_unit, unit_word
from sockmeter.model.buckets import SUBBUCKETS
from sockmeter.model.errors import PlanError
from sockmeter.model.imported import ImportedColumn

MOST_ROWS = 5_000_000
MOST_COST = 2.0**62


class _Header(msgspec.Struct, frozen=True):
    """What the first line says about the columns."""

    names: list[str]
    units: list[Said]
    number: int  # of that line; 0 where it holds costs already


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The distinct lines of costs, and how often each comes."""

    source: Source
    lines: list[str]
    times: NDArray[np.int64]  # (lines,)
    start: int  # lines before the first row

    def number_of(self, place: int) -> int:
        """Return the number of the first line that reads like the one at `place`."""
        return self.source.lines.index(self.lines[place], self.start) + 1


def parse(source: Source, options: Options) -> Content:
    """Return a column of buckets for each column of values; RunFileError names a bad line."""
    if len(source.lines) > MOST_ROWS:
        source.refuse(MOST_ROWS + 1, f"more than {MOST_ROWS:,} rows of values")
    times = Counter(source.lines)
    said = [line for line in times if line.startswith("#")]
    for line in [*said, *(line for line in times if not line.strip())]:
        del times[line]
    if not times:
        source.refuse_all("no rows")
    first, *following = itertools.islice(times, SAMPLE)
    separator = _separator_of(following or [first])
    is_single = separator is Separator.SPACE and all(len(line.split()) == 1 for line in following)
    names = [first.strip()] if is_single and following else split_cells(first, separator)
    header = _read_header(source, first, names, options.headings)
    if header.number:
        times[source.lines[header.number - 1]] -= 1
        times += Counter()  # drops it unless it is there again
    if not times:
        source.refuse_all("no rows: only a header")
    unit, factor = settle_unit(source, header.units, options.unit)
    rows = _Rows(
        source,
        list(times),
        np.fromiter(times.values(), dtype=np.int64, count=len(times)),
        header.number,
    )
    return Content(
        unit=unit,
        edge=f"raw values, kept in {SUBBUCKETS} buckets an octave",
        said=[line.lstrip("# ").rstrip() for line in said],
        columns=[
            _column(rows, name, texts, factor)
            for name, texts in zip(header.names, _split(rows, separator, header), strict=True)
        ],
    )


def _separator_of(lines: Sequence[str]) -> Separator:
    """Return what separates the cells of at least half of the lines; a last one separates none."""
    for separator in (Separator.SEMICOLON, Separator.COMMA):
        if 2 * sum(separator in line.rstrip(", ;") for line in lines) >= len(lines):
            return separator
    return Separator.SPACE


def _read_header(
    source: Source, line: str, names: Sequence[str], given: Sequence[str] | None
) -> _Header:
    number = source.lines.index(line) + 1
    if all(map(_is_number, names)):
        header = _Header([f"column {place}" for place, _ in enumerate(names, start=1)], [], 0)
    else:
        named = [name or f"column {place}" for place, name in enumerate(names, start=1)]
        units = [(name, _unit_in(name)) for name in named]
        header = _Header(
            named, [Said(unit, f"line {number} ({name})") for name, unit in units if unit], number
        )
    if given is not None:
        if len(given) != len(names):
            raise PlanError(f"--headings names {len(given)} columns; the file has {len(names)}")
        header = msgspec.structs.replace(header, names=list(given))
    if len(set(header.names)) < len(names):
        source.refuse(number, "two columns have the same heading", mend="see --headings")
    return header


def _unit_in(name: str) -> str | None:
    """Return the unit that a heading ends in: recvfrom_ns, latency (us), cycles."""
    words = name.strip(" )]").replace("(", " ").replace("[", " ").replace("_", " ").split()
    return unit_word(words[-1]) if words else None


def _split(rows: _Rows, separator: Separator, header: _Header) -> list[Sequence[str]]:
    """Return the texts of each column, a text a distinct line."""
    usual = len(header.names)
    if usual == 1:
        return [[line.rstrip(", ;") for line in rows.lines]]
    cells = [split_cells(line, separator) for line in rows.lines]
    for place, row in enumerate(cells):
        if len(row) != usual:
            rows.source.refuse(
                rows.number_of(place),
                f"ragged: {len(row)} cells, where the first row has {usual}",
            )
    return list(zip(*cells, strict=True))


def _column(rows: _Rows, label: str, texts: Sequence[str], factor: int) -> ImportedColumn:
    """Return one column; `texts` are its cells in the distinct lines."""
    try:
        costs = np.array(list(map(float, texts)))
    except ValueError:
        costs = np.array([float(text) if _is_number(text) else math.nan for text in texts])
    is_whole = bool((costs == np.rint(costs)).all())
    costs = costs * factor
    is_sound = (costs >= 0) & (costs < MOST_COST)
    if not is_sound.all():
        place = int(np.argmin(is_sound))
        rows.source.refuse(rows.number_of(place), f"{column_words(label)}: {_fault(texts[place])}")
    exponents = np.maximum(np.frexp(costs)[1] - SUBBUCKETS.bit_length(), 0)
    found = exponents * SUBBUCKETS + np.ldexp(costs, -exponents).astype(np.int64)
    buckets, place_of = np.unique(found, return_inverse=True)
    calls = np.zeros(buckets.size, dtype=np.int64)
    np.add.at(calls, place_of, rows.times)
    return ImportedColumn(
        label=label,
        lowers=[_lower_of(bucket) for bucket in buckets.tolist()],
        uppers=[_lower_of(bucket + 1) for bucket in buckets.tolist()],
        rounds=[list(enumerate(calls.tolist()))],
        sum=math.fsum((costs * rows.times).tolist()),
        least=float(costs.min()),
        most=float(costs.max()),
        quantum=factor if is_whole else None,
    )


def _fault(text: str) -> str:
    """Return why a text is no cost."""
    shown = text.strip()[:24]
    if not _is_number(text):
        return f"'{shown}' is not a number" if shown else "a value is missing"
    if not math.isfinite(float(text)):
        return f"{shown} is not a cost"
    return f"{shown} is a negative cost" if float(text) < 0 else f"{shown} is too large a cost"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _lower_of(bucket: int) -> float:
    """Return the lower edge of a bucket of the probe's layout, carried on past its end."""
    exponent = max(bucket // SUBBUCKETS - 1, 0)
    return math.ldexp(bucket - SUBBUCKETS * exponent, exponent)
