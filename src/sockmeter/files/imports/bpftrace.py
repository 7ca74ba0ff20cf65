# SPDX-License-Identifier: MIT
"""bpftrace's hist() and lhist() as it prints them: a map's name, then a line a bucket.

A label is `[K, 2K)`, `[0]`, `(..., 0)` or `[N, ...)`; K, M, G, T, P and E are powers of 1024.
"""

import itertools
import re

from sockmeter.files.imports.cells import parse_count
from sockmeter.files.imports.content import Content, Options, Source
from sockmeter.files.imports.maps import Map, MapRow, columns_of

_NAME = re.compile(r"\s*(@\S*?(?:\[.*\])?):\s*")
_EDGE = r"(-?\d+(?:\.\d+)?[KMGTPE]?)"
_ROW = re.compile(
    rf"\s*(?:\[{_EDGE}\]|\[{_EDGE}, *(?:{_EDGE}|(\.\.\.))\)|\((?:\.\.\.), *{_EDGE}\))"
    r"\s+(\S+)\s*(?:\|[@ ]*\|?)?\s*"
)
_SUFFIXES = "KMGTPE"


def looks_like(source: Source) -> bool:
    """Whether a map's name is followed by a bucket somewhere."""
    lines = [line for line in source.lines if line.strip()]
    return any(
        _NAME.fullmatch(name) and re.match(r"\s*[\[(]", row)
        for name, row in itertools.pairwise(lines)
    )


def parse(source: Source, options: Options) -> Content:
    """Return a column for each histogram map; RunFileError names a line that is damaged."""
    maps: list[Map] = []
    is_inside = False
    for number, line in enumerate(source.lines, start=1):
        name = _NAME.fullmatch(line)
        if name is not None:
            maps.append(Map(name[1], number, []))
            is_inside = True
        elif is_inside and re.match(r"\s*[\[(]", line):
            maps[-1].rows.append(_row(source, number, line))
        elif line.strip():
            is_inside = False
    return columns_of(source, [one for one in maps if one.rows], options)


def _row(source: Source, number: int, line: str) -> MapRow:
    match = _ROW.fullmatch(line)
    if match is None:
        source.refuse(number, f"'{line.strip()[:40]}' is not a bucket of bpftrace")
    single, lower, upper, _, below, count = match.groups()
    calls = parse_count(count)
    if isinstance(calls, str):
        source.refuse(number, calls)
    if single is not None:
        edge = _edge(single)
        return MapRow(number, edge, edge + 1, calls)
    return MapRow(
        number,
        None if lower is None else _edge(lower),
        _edge(below) if below is not None else None if upper is None else _edge(upper),
        calls,
    )


def _edge(text: str) -> float:
    if text[-1] in _SUFFIXES:
        return float(text[:-1]) * float(1024 ** (_SUFFIXES.index(text[-1]) + 1))
    return float(text)
