# SPDX-License-Identifier: MIT
"""A view as CSV: one line an arm, every number with its unit in the header."""

import csv
import io

from sockmeter.report.view import Row, View

COSTS = ("median", "midmean", "cheapest_90", "p90", "p99", "mean", "least", "most")


def draw_csv(view: View) -> str:
    """Return the view as CSV; differences are fractions, absent values are empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    costs = [f"{name}_{view.unit}" for name in (*COSTS, "per_message")]
    differences = ["difference", "difference_low", "difference_high", "alpha", "verdict", "words"]
    keys = [column.key for column in view.figures.columns] if view.figures else []
    writer.writerow(
        [
            "scenario",
            "arm",
            "calls",
            *costs,
            "failed",
            "short",
            "refused",
            "void",
            *differences,
            *keys,
        ]
    )
    for index, row in enumerate(view.rows):
        figures = view.figures.rows[index] if view.figures else {}
        writer.writerow([view.scenario, *_fields(row), *(figures.get(key) for key in keys)])
    return stream.getvalue()


def _fields(row: Row) -> list[object]:
    summary = row.summary
    costs = [getattr(summary, name) if summary else None for name in COSTS]
    difference = row.difference
    verdict: list[object] = [None] * 6
    if difference is not None:
        verdict = [
            difference.estimate,
            difference.low,
            difference.high,
            difference.alpha,
            difference.verdict,
            difference.words,
        ]
    faults = [sum(row.failed.values()), row.short, row.refused, row.void]
    return [row.label, summary and summary.calls, *costs, row.per_message, *faults, *verdict]
