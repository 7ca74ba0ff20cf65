# SPDX-License-Identifier: MIT
"""HdrHistogram's interval log (.hlog): a column a tag, a round an interval.

The library decodes the histograms; lines are taken apart here, so that an error names its line.
"""

import binascii
import re
import struct
import zlib

import msgspec
import numpy as np

from sockmeter.files.imports.cells import MOST_CALLS
from sockmeter.files.imports.content import Content, Options, Source
from sockmeter.files.imports.units import Said, settle_unit, unit_word
from sockmeter.model.errors import RunFileError
from sockmeter.model.imported import ImportedColumn

MOST_INTERVALS = 20_000
UNTAGGED = "untagged"
_INTERVAL = re.compile(r"(?:Tag=([^,\s]*),)?([\d.]+),([\d.]+),([\d.]+),(\S+)")
_UNIT = re.compile(r"\bunit:? *([a-zµμ]+)")


class Interval(msgspec.Struct, frozen=True):
    """One decoded interval."""

    buckets: dict[tuple[int, int], int]  # (inclusive lower, exclusive upper edge) -> calls


def looks_like(source: Source) -> bool:
    """Whether the log's version line is there, or an interval with its payload."""
    return any(
        line.startswith("#[Histogram log format version") or ",HIST" in line
        for line in source.lines
    )


def parse(source: Source, options: Options) -> Content:
    """Return a column a tag; RunFileError names an interval that cannot be decoded."""
    said = [line[1:].strip("[] ") for line in source.lines if line.startswith("#")]
    units = [
        Said(unit, f"line {number}")
        for number, line in enumerate(source.lines, start=1)
        if line.startswith("#")
        for word in _UNIT.findall(line)
        if (unit := unit_word(word)) is not None
    ]
    unit, factor = settle_unit(source, units, options.unit)
    tagged: dict[str, list[Interval]] = {}
    empty = intervals = 0
    for number, line in enumerate(source.lines, start=1):
        if line.startswith(("#", '"')) or not line.strip():
            continue
        match = _INTERVAL.fullmatch(line.strip())
        if match is None:
            source.refuse(number, "not an interval of a HdrHistogram log")
        intervals += 1
        if intervals > MOST_INTERVALS:
            source.refuse(number, f"more than {MOST_INTERVALS:,} intervals")
        interval = _decode(source, number, match[5])
        if interval.buckets:
            tagged.setdefault(match[1] or UNTAGGED, []).append(interval)
        else:
            empty += 1
    if not tagged:
        source.refuse_all("no rows: no interval holds a call")
    remarks = [f"Intervals without a call: {empty}, left out."] if empty else []
    try:
        columns = [_column(label, intervals, factor) for label, intervals in tagged.items()]
    except ValueError as error:
        raise RunFileError(f"{source.name}: intervals of different buckets: {error}") from error
    return Content(
        unit=unit,
        edge="HdrHistogram's own buckets",
        said=said,
        columns=columns,
        remarks=remarks,
    )


def _decode(source: Source, number: int, payload: str) -> Interval:
    # Loaded only for a log: other imports need not wait for it.
    from hdrh import codec, histogram  # type: ignore[import-untyped] # noqa: PLC0415

    try:
        decoded = histogram.HdrHistogram.decode(payload)
        # Its iterators visit every place in Python: a hundred times slower.
        counts = np.frombuffer(decoded.counts, dtype=np.int64)
        buckets = {}
        for place in np.flatnonzero(counts).tolist():
            lower = decoded.get_value_from_index(place)
            buckets[lower, decoded.get_highest_equivalent_value(lower) + 1] = int(counts[place])
    except codec.HdrCookieException as error:
        source.refuse(
            number,
            f"not an encoding of version 2: {error}",
            mend="older logs are converted by HdrHistogram's HistogramLogProcessor",
        )
    except (
        codec.HdrLengthException,
        binascii.Error,
        zlib.error,
        struct.error,
        ValueError,
        TypeError,
        IndexError,
        OverflowError,
        MemoryError,
    ) as error:
        source.refuse(number, f"the histogram is damaged: {error}")
    if any(not 0 < calls <= MOST_CALLS for calls in buckets.values()):
        source.refuse(number, "the histogram is damaged: a count is out of range")
    return Interval(buckets)


def _column(label: str, intervals: list[Interval], factor: int) -> ImportedColumn:
    edges = sorted({edge for interval in intervals for edge in interval.buckets})
    place = {edge: index for index, edge in enumerate(edges)}
    return ImportedColumn(
        label=label,
        lowers=[float(low * factor) for low, _ in edges],
        uppers=[float(high * factor) for _, high in edges],
        rounds=[
            [(place[edge], calls) for edge, calls in sorted(interval.buckets.items())]
            for interval in intervals
        ],
        quantum=factor,
    )
