# SPDX-License-Identifier: MIT
"""bpftrace's histogram maps, as text or JSON gave them, made into columns.

Costs are not negative: what lies under the first edge is between 0 and that edge, and a map with
values under 0 holds something else. Sources: bpftrace's reference guide, hist() and lhist().
"""

import itertools
import re

import msgspec

from sockmeter.files.imports.content import Content, Options, Source
from sockmeter.files.imports.units import Said, settle_unit, unit_word
from sockmeter.model.imported import ImportedColumn


class MapRow(msgspec.Struct, frozen=True):
    """One bucket of a map as it was printed."""

    number: int  # of its line
    lower: float | None  # inclusive; None: everything below the upper edge
    upper: float | None  # exclusive; None: everything from the lower edge up
    calls: int


class Map(msgspec.Struct, frozen=True):
    """One printing of one histogram."""

    name: str  # @recvfrom_ns, @by_call[recvfrom, 8]
    number: int  # of its line
    rows: list[MapRow]


def columns_of(source: Source, maps: list[Map], options: Options) -> Content:
    """Return a column for each map; RunFileError where none holds costs."""
    remarks: list[str] = []
    printed: dict[str, list[Map]] = {}
    for one in maps:
        below = sum(row.calls for row in one.rows if row.upper is not None and row.upper <= 0)
        if below:
            remarks.append(f"{one.name} counts {below:,} values under 0: no costs, left out.")
        elif not any(row.calls for row in one.rows):
            remarks.append(f"{one.name} holds no call: left out.")
        else:
            printed.setdefault(one.name, []).append(one)
    if not printed:
        source.refuse_all("no histogram of costs", mend="print one with hist() or lhist()")
    unit, factor = settle_unit(source, _units(source, printed, options), options.unit)
    columns = [_column(source, name, times, factor, remarks) for name, times in printed.items()]
    return Content(
        unit=unit, edge="buckets as labelled, [from, to)", columns=columns, remarks=remarks
    )


def _units(source: Source, printed: dict[str, list[Map]], options: Options) -> list[Said]:
    """Return the units that the maps' names end in; where some do, all must, or --unit says it."""
    said = {name: _unit_of(name) for name in printed}
    named = [Said(unit, name) for name, unit in said.items() if unit is not None]
    if named and options.unit is None:
        for name, unit in said.items():
            if unit is None:
                source.refuse(
                    printed[name][0].number,
                    f"mixed units: {named[0].where} says {named[0].unit}, {name} does not say",
                    mend=f"say it: --unit {named[0].unit}",
                )
    return named


def _unit_of(name: str) -> str | None:
    word = re.split(r"[@_]", name.partition("[")[0])[-1]
    return unit_word(word)


def _column(
    source: Source, name: str, times: list[Map], factor: int, remarks: list[str]
) -> ImportedColumn:
    """Return one column; printings that only grow are one count, others an interval each."""
    edges = sorted({edge for one in times for edge in _check_rows(source, one)})
    place = {edge: index for index, edge in enumerate(edges)}
    rounds = [
        [
            (place[_edges_of(row)], row.calls)
            for row in one.rows
            if row.calls and (row.upper is None or row.upper > 0)
        ]
        for one in times
    ]
    if len(rounds) > 1 and _only_grows(rounds):
        remarks.append(f"{name} was printed {len(rounds)} times and only grew: the last counts.")
        rounds = rounds[-1:]
    elif len(rounds) > 1:
        remarks.append(f"{name} was printed {len(rounds)} times and cleared: an interval each.")
    try:
        return ImportedColumn(
            label=name.lstrip("@") or "@",
            lowers=[low * factor for low, _ in edges],
            uppers=[None if high == float("inf") else high * factor for _, high in edges],
            rounds=rounds,
        )
    except ValueError as error:
        source.refuse(times[-1].number, f"{name}: {error}")


def _check_rows(source: Source, one: Map) -> list[tuple[float, float]]:
    """Return the edges of the rows that hold costs; RunFileError where they overlap."""
    edges = []
    reached = 0.0
    for row in one.rows:
        if row.upper is not None and row.upper <= 0:
            continue
        low, high = _edges_of(row)
        if high <= low:
            source.refuse(row.number, f"a bucket from {low:g} to {high:g}")
        if low < reached:
            source.refuse(row.number, f"unordered or overlapping buckets at {low:g}")
        edges.append((low, high))
        reached = high
    return edges


def _edges_of(row: MapRow) -> tuple[float, float]:
    low = 0.0 if row.lower is None else row.lower
    return low, float("inf") if row.upper is None else row.upper


def _only_grows(rounds: list[list[tuple[int, int]]]) -> bool:
    for before, after in itertools.pairwise(rounds):
        later = dict(after)
        if any(later.get(bucket, 0) < calls for bucket, calls in before):
            return False
    return True
