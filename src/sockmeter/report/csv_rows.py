# SPDX-License-Identifier: MIT
"""A view as CSV: one line an arm, every number with its unit in the header."""

import csv
import io
from collections.abc import Sequence

from sockmeter.report.all_in import AllIn
from sockmeter.report.differences import Difference
from sockmeter.report.view import Row, View

COSTS = ("median", "midmean", "cheapest_90", "p90", "p99", "mean", "least", "most")
DIFFERENCE = ("difference", "difference_low", "difference_high", "alpha", "verdict", "words")


def draw_csv(view: View) -> str:
    """Return the view as CSV; differences are fractions, absent values are empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    has_bytes = any(row.all_in for row in view.rows)
    keys = [column.key for column in view.figures.columns] if view.figures else []
    writer.writerow(
        [
            *("scenario", "arm", "calls"),
            *(f"{name}_{view.unit}" for name in (*COSTS, "per_message")),
            *("failed", "short", "refused", "void"),
            *DIFFERENCE,
            *(_byte_heads(str(view.unit)) if has_bytes else ()),
            *keys,
        ]
    )
    for index, row in enumerate(view.rows):
        figures = view.figures.rows[index] if view.figures else {}
        writer.writerow(
            [
                view.scenario,
                *_fields(row),
                *(_byte_fields(view.rows, row.all_in) if has_bytes else ()),
                *(figures.get(key) for key in keys),
            ]
        )
    return stream.getvalue()


def _fields(row: Row) -> list[object]:
    summary = row.summary
    costs = [getattr(summary, name) if summary else None for name in COSTS]
    faults = [sum(row.failed.values()), row.short, row.refused, row.void]
    return [
        *(row.label, summary and summary.calls, *costs, row.per_message, *faults),
        *_difference(row.difference),
    ]


def _byte_heads(unit: str) -> Sequence[str]:
    """Return the heads of what a byte costs all in, and of what it is set against."""
    costs = [f"byte_{name}_{unit}" for name in ("median_round", "baseline")]
    return ["byte_baseline", *costs, *(f"byte_{name}" for name in DIFFERENCE)]


def _byte_fields(rows: Sequence[Row], all_in: AllIn | None) -> list[object]:
    if all_in is None:
        return [None] * (3 + len(DIFFERENCE))
    baseline = None if all_in.baseline_row is None else rows[all_in.baseline_row]
    return [
        *(baseline and baseline.label, all_in.per_byte),
        baseline and baseline.all_in and baseline.all_in.per_byte,
        *_difference(all_in.difference),
    ]


def _difference(difference: Difference | None) -> list[object]:
    if difference is None:
        return [None] * len(DIFFERENCE)
    return [
        difference.estimate,
        difference.low,
        difference.high,
        difference.alpha,
        difference.verdict,
        difference.words,
    ]
