# SPDX-License-Identifier: MIT
"""CSV of buckets: a line for every bucket with calls, of every arm and round."""

import csv
import io
from collections.abc import Iterable

from sockmeter.files.exports.histograms import Histogram
from sockmeter.model.units import Unit


def write_csv(histograms: Iterable[Histogram], unit: Unit | None) -> str:
    """Return the table; edges are in the unit of their heading, an open bucket's upper is empty."""
    suffix = f"_{unit}" if unit is not None else ""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["arm", "round", "dropped", f"lower{suffix}", f"upper{suffix}", "calls"])
    for one in histograms:
        dropped = "yes" if one.dropped else "no"
        for lower, upper, calls in one.buckets:
            edges = (f"{lower:.17g}", "" if upper is None else f"{upper:.17g}")
            writer.writerow([one.label, one.round, dropped, *edges, calls])
    return stream.getvalue()
