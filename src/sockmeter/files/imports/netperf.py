# SPDX-License-Identifier: MIT
"""netperf's omni tests with -k: a KEY=value a line; a key that comes again begins another run.

Its latencies are whole microseconds from a histogram of ten steps a decade; its KBytes, MBytes and
GBytes are powers of 1024 (netlib.c: HIST_add, calc_thruput_interval_omni).
"""

import math
import re

import msgspec

from sockmeter.files.imports.content import Content, Options, Source
from sockmeter.model.imported import ImportedColumn, Rate
from sockmeter.model.units import Unit

_LINE = re.compile(r"([A-Z][A-Z0-9_]+)=(.*)")
_LATENCIES = {
    "min": "MIN_LATENCY",
    "mean": "MEAN_LATENCY",
    "p50": "P50_LATENCY",
    "p90": "P90_LATENCY",
    "p99": "P99_LATENCY",
    "max": "MAX_LATENCY",
    "sd": "STDDEV_LATENCY",
}
_NS = 1_000  # a microsecond
_BINARY = "{} are 2^{} bytes"
# netperf's unit -> ours, factor, what had to be corrected
_UNITS: dict[str, tuple[str, float, str | None]] = {
    "Bytes/s": ("MB/s", 1e-6, None),
    "KBytes/s": ("MB/s", 1024 / 1e6, _BINARY.format("netperf's KBytes", 10)),
    "MBytes/s": ("MB/s", 1024**2 / 1e6, _BINARY.format("netperf's MBytes", 20)),
    "GBytes/s": ("MB/s", 1024**3 / 1e6, _BINARY.format("netperf's GBytes", 30)),
    "10^0bits/s": ("MB/s", 1e-6 / 8, None),
    "10^3bits/s": ("MB/s", 1e-3 / 8, None),
    "10^6bits/s": ("MB/s", 1 / 8, None),
    "10^9bits/s": ("MB/s", 1e3 / 8, None),
    "Trans/s": ("transactions/s", 1.0, None),
}
_THROUGHPUTS = {
    "THROUGHPUT": "throughput",
    "LOCAL_SEND_THROUGHPUT": "sent here",
    "REMOTE_RECV_THROUGHPUT": "received there",
    "REMOTE_SEND_THROUGHPUT": "sent there",
    "LOCAL_RECV_THROUGHPUT": "received here",
}


class _Run(msgspec.Struct, frozen=True):
    fields: dict[str, tuple[int, str]]  # key -> line number, value


def looks_like(source: Source) -> bool:
    """Whether keys that only netperf prints are there."""
    keys = {match[1] for line in source.lines if (match := _LINE.fullmatch(line))}
    return bool(keys & {*_LATENCIES.values(), "THROUGHPUT", "THROUGHPUT_UNITS"})


def parse(source: Source, options: Options) -> Content:
    """Return the latencies a run as stated figures and its throughputs; RunFileError for none."""
    del options
    runs = _runs(source)
    columns = [column for place, run in enumerate(runs) if (column := _column(source, run, place))]
    remarks = []
    if columns:
        remarks.append(
            "netperf tells latencies in whole microseconds, of a round trip or of a send call "
            "whichever the test makes; percentiles from a histogram of ten steps a decade."
        )
    rates = _rates(source, runs)
    if not columns and not rates:
        source.refuse_all("no rows: neither a throughput with its unit nor a latency")
    datagrams = any(run.fields.get("PROTOCOL", (0, ""))[1] == "UDP" for run in runs)
    if datagrams and {"sent here", "received there"} <= {rate.name for rate in rates}:
        remarks.append("A UDP throughput is what arrived; what was sent is told beside it.")
    return Content(unit=Unit.NS, columns=columns, rates=rates, remarks=remarks)


def _runs(source: Source) -> list[_Run]:
    runs = [_Run({})]
    for number, line in enumerate(source.lines, start=1):
        match = _LINE.fullmatch(line.strip())
        if match is None:
            continue
        if match[1] in runs[-1].fields:
            runs.append(_Run({}))
        runs[-1].fields[match[1]] = (number, match[2].strip())
    return runs


def _column(source: Source, run: _Run, place: int) -> ImportedColumn | None:
    stated = {}
    for name, key in _LATENCIES.items():
        value = _number(source, run, key)
        if value is not None:
            stated[name] = value * _NS
    # A test that times nothing prints zeros.
    if not any(stated.values()):
        return None
    words = [run.fields[key][1] for key in ("PROTOCOL", "DIRECTION") if key in run.fields]
    label = " ".join(words) or "latency"
    return ImportedColumn(
        label=f"{label}, run {place + 1}" if place else label,
        lowers=[],
        uppers=[],
        rounds=[],
        stated=stated,
    )


def _rates(source: Source, runs: list[_Run]) -> list[Rate]:
    values: dict[tuple[str, str, str | None], list[float]] = {}
    for run in runs:
        if "THROUGHPUT_UNITS" not in run.fields:
            continue
        number, printed = run.fields["THROUGHPUT_UNITS"]
        if printed not in _UNITS:
            source.refuse(number, f"THROUGHPUT_UNITS: '{printed[:24]}' is not a unit of netperf")
        unit, factor, corrected = _UNITS[printed]
        for key, name in _THROUGHPUTS.items():
            value = _number(source, run, key)
            if value is None or (value == 0 and key != "THROUGHPUT"):
                continue
            values.setdefault((name, unit, corrected), []).append(value * factor)
    units = {unit for _, unit, _ in values}
    if len(units) > 1:
        source.refuse_all(f"mixed units: {' and '.join(sorted(units))} in one file")
    return [
        Rate(name=name, unit=unit, values=each, corrected=corrected)
        for (name, unit, corrected), each in values.items()
    ]


def _number(source: Source, run: _Run, key: str) -> float | None:
    """Return a field; None where it is absent or, as -1 or nan, says that it was not measured."""
    if key not in run.fields:
        return None
    number, text = run.fields[key]
    try:
        value = float(text)
    except ValueError:
        source.refuse(number, f"{key}: '{text[:24]}' is not a number")
    if math.isnan(value) or value == -1:
        return None
    if not 0 <= value < 1e18:
        source.refuse(number, f"{key}: {text[:24]} is out of range")
    return value
