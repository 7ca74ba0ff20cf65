# SPDX-License-Identifier: MIT
"""A measurement that somebody else made and published: columns of coarse or open buckets, or rates.

It is no run: nobody knows its rounds, its order or its machine, so nothing that rests on them is
ever said of it.
"""

import itertools
import math
from enum import StrEnum

import msgspec

from sockmeter.model.units import Unit


class Form(StrEnum):
    """The form that the source was in."""

    TABLE = "table"  # buckets down, columns across, as in a mailing-list post or a CSV file
    VALUES = "values"  # one cost a line, or several columns of them
    BPFTRACE = "bpftrace"  # hist() and lhist() as text
    BPFTRACE_JSON = "bpftrace-json"
    HGRM = "hgrm"  # HdrHistogram's percentile text
    HLOG = "hlog"  # HdrHistogram's interval log
    NETPERF = "netperf"  # -k: key=value lines
    UDPGSO = "udpgso_bench"  # the kernel's selftest, sender and receiver
    MSG_ZEROCOPY = "msg_zerocopy"  # the kernel's selftest
    IO_URING_ZEROCOPY = "io_uring_zerocopy_tx"  # the kernel's selftest


class ImportedColumn(msgspec.Struct, frozen=True, kw_only=True):
    """One column. Costs are in the run's unit; buckets ascend, are disjoint and may leave gaps."""

    label: str
    lowers: list[float]  # inclusive
    uppers: list[float | None]  # exclusive; None only in the last: open
    rounds: list[list[tuple[int, int]]]  # a list an interval or the only one: (bucket, calls)
    sum: float | None = None  # exact, where every cost was known
    least: float | None = None  # exact
    most: float | None = None  # exact
    quantum: int | None = None  # every cost was told as a multiple of it; None where nobody knows
    stated: dict[str, float] = {}  # figures of the source that cannot be computed again

    def __post_init__(self) -> None:
        if len(self.lowers) != len(self.uppers):
            raise ValueError("a column has as many lower as upper edges")
        if None in self.uppers[:-1]:
            raise ValueError("only the last bucket may be open")
        edges = [
            edge
            for pair in zip(self.lowers, self.uppers, strict=True)
            for edge in pair
            if edge is not None
        ]
        if not all(map(math.isfinite, edges)):
            raise ValueError("an edge is not finite")
        for index, (low, high) in enumerate(itertools.pairwise(edges)):
            if high < low or (high == low and index % 2 == 0):
                raise ValueError(f"buckets are not ascending and disjoint at {low:g}")
        for bucket, calls in itertools.chain.from_iterable(self.rounds):
            if not 0 <= bucket < len(self.lowers) or calls < 0:
                raise ValueError(f"bucket {bucket} with {calls} calls")

    @property
    def calls(self) -> int:
        """All calls of all rounds, those in an open bucket included."""
        return sum(calls for _, calls in itertools.chain.from_iterable(self.rounds))


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """A figure without a distribution, one value for each line that told it."""

    name: str
    unit: str  # of `values`: decimal prefixes, MB is 10**6 bytes
    values: list[float]  # in the order of the source
    corrected: str | None  # what the source printed wrongly and how it was mended


class ImportedRun(msgspec.Struct, frozen=True, kw_only=True):
    """An imported measurement, whole."""

    source: str  # file name as given
    form: Form
    unit: Unit | None  # None where neither the source nor the user said it
    edge: str | None  # how the edges follow from the labels; None without buckets
    said: list[str]  # the source's own comments
    columns: list[ImportedColumn]
    rates: list[Rate]
    remarks: list[str]  # what was assumed, corrected or left out
    baseline: str | None  # label, or part of a label, that the others are set against
    command: str  # that imports it again
    imported_at: str  # ISO 8601, UTC
    sockmeter_version: str
