# SPDX-License-Identifier: MIT
"""`bpftrace -f json`: a JSON object a line; histograms have buckets of inclusive min and max."""

import math

import msgspec

from sockmeter.files.imports.cells import MOST_CALLS
from sockmeter.files.imports.content import Content, Options, Source
from sockmeter.files.imports.maps import Map, MapRow, columns_of

MOST_EDGE = 2**64


class _Record(msgspec.Struct):
    type: str
    data: msgspec.Raw = msgspec.Raw(b"null")


class _Bucket(msgspec.Struct):
    count: int
    min: int | None = None
    max: int | None = None


_record = msgspec.json.Decoder(_Record)
_maps = msgspec.json.Decoder(dict[str, list[_Bucket] | dict[str, list[_Bucket]]])


def looks_like(source: Source) -> bool:
    """Whether the first line that holds anything is a record of bpftrace."""
    first = next((line for line in source.lines if line.strip()), "")
    try:
        _record.decode(first)
    except msgspec.DecodeError:
        return False
    return True


def parse(source: Source, options: Options) -> Content:
    """Return a column for each histogram; RunFileError names a line that is damaged."""
    maps: list[Map] = []
    for number, line in enumerate(source.lines, start=1):
        if not line.strip():
            continue
        try:
            record = _record.decode(line)
            if record.type == "hist":
                found = _maps.decode(record.data)
            else:
                continue
        except msgspec.DecodeError as error:
            source.refuse(number, f"not a record of bpftrace -f json: {error}")
        for name, buckets in found.items():
            if isinstance(buckets, list):
                maps.append(Map(name, number, _rows(source, number, name, buckets)))
                continue
            for key, keyed in buckets.items():
                whole = f"{name}[{key}]"
                maps.append(Map(whole, number, _rows(source, number, whole, keyed)))
    return columns_of(source, maps, options)


def _rows(source: Source, number: int, name: str, buckets: list[_Bucket]) -> list[MapRow]:
    rows = []
    for bucket in buckets:
        if not 0 <= bucket.count <= MOST_CALLS:
            source.refuse(number, f"{name}: {bucket.count} is not a count")
        if bucket.min is None and bucket.max is None:
            source.refuse(number, f"{name}: a bucket without edges")
        if max(abs(bucket.min or 0), abs(bucket.max or 0)) > MOST_EDGE:
            source.refuse(number, f"{name}: an edge over 2^64")
        upper = None if bucket.max is None else math.floor(bucket.max) + 1
        rows.append(MapRow(number, bucket.min, upper, bucket.count))
    return rows
