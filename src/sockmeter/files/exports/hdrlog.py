# SPDX-License-Identifier: MIT
"""HdrHistogram's interval log: an interval a round, a tag an arm, through its own library.

A call is written at the middle of its bucket; the log keeps three digits, finer than the probe's
128 buckets an octave.
"""

import io
import re
from collections.abc import Iterable
from datetime import datetime

from sockmeter.files.exports.histograms import Histogram
from sockmeter.model.errors import OutputError
from sockmeter.model.units import Unit

DIGITS = 3
HIGHEST = 2**62  # the library's values are 64-bit integers


def write_hlog(histograms: Iterable[Histogram], unit: Unit | None, started_at: str) -> str:
    """Return the log; rounds that the judge leaves out are left out.

    OutputError where a histogram has an open bucket: the log has no such thing.
    """
    # Loaded only for a log: other exports need not wait for it.
    from hdrh import log  # type: ignore[import-untyped] # noqa: PLC0415

    stream = io.StringIO()
    writer = log.HistogramLogWriter(stream)
    epoch_s = datetime.fromisoformat(started_at).timestamp()
    writer.output_comment(f"[sockmeter: an interval a round, a tag an arm; unit: {unit or '-'}]")
    writer.output_log_format_version()
    writer.output_comment(f"[StartTime: {epoch_s:.3f} (seconds since epoch), {started_at}]")
    writer.output_comment(f"[BaseTime: {epoch_s:.3f} (seconds since epoch)]")
    writer.output_legend()
    tags: dict[str, str] = {}  # by label
    for one in histograms:
        if one.dropped:
            continue
        stream.write(f"Tag={_tag(one.label, tags)},")
        start_s = one.started_ns / 1e9
        writer.output_interval_histogram(
            _encode(one),
            start_time_stamp_sec=start_s,
            end_time_stamp_sec=start_s + one.elapsed_ns / 1e9,
            max_value_unit_ratio=1.0,
        )
    return stream.getvalue()


def _encode(one: Histogram) -> object:
    from hdrh import histogram  # noqa: PLC0415

    values = []
    for lower, upper, calls in one.buckets:
        if upper is None:
            raise OutputError(
                f"{one.label}, round {one.round}: {calls:,} calls lie in an open bucket from "
                f"{lower:g} up, which a HdrHistogram log cannot hold",
                mend="take --to csv or json",
            )
        if upper > HIGHEST:
            raise OutputError(f"{one.label}: {upper:g} is beyond the range of a HdrHistogram log")
        values.append((int(lower) + (max(int(upper) - int(lower), 1) - 1) // 2, calls))
    highest = max((value for value, _ in values), default=2)
    encoded = histogram.HdrHistogram(1, max(2 * highest, 2), DIGITS)
    for value, calls in values:
        encoded.record_value(value, calls)
    return encoded


def _tag(label: str, tags: dict[str, str]) -> str:
    """Return a tag for a label: one that holds no comma or space, and no other label's."""
    if label not in tags:
        plain = re.sub(r"[,\s]+", "_", label) or "_"
        tag, number = plain, 2
        while tag in tags.values():
            tag, number = f"{plain}_{number}", number + 1
        tags[label] = tag
    return tags[label]
