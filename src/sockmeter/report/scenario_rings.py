# SPDX-License-Identifier: MIT
"""The second table of `recv` and `send` where calls go through an io_uring."""

from collections.abc import Sequence

from sockmeter.judge.assess import Assessment
from sockmeter.judge.beside import total_of
from sockmeter.judge.soundness import segments_of
from sockmeter.judge.summary import Summary
from sockmeter.model.runs import Run
from sockmeter.model.segments import Segment
from sockmeter.report.figures import FigureColumn, Figures, Value


def ring_figures(run: Run, assessment: Assessment) -> Figures | None:
    """Return what the rings did over all kept rounds; None where no call went through one.

    Under SQPOLL a thread of the kernel submits: how often it was woken is not counted.
    """
    if not any("ring" in arm.factors for arm in run.design.arms):
        return None
    unit = run.instrument.clock.unit
    columns = [
        FigureColumn(key="operations_per_call", head="operations\n1/call", digits=1),
        FigureColumn(key="enters_per_call", head="io_uring_enter\n1/call", digits=2),
        FigureColumn(key=f"per_enter_{unit}", head=f"per io_uring_enter\n{unit}"),
        FigureColumn(key="zerocopy_copied_percent", head="copied\n% of zerocopy", digits=1),
        FigureColumn(key="zerocopy_missing", head="without\nnotification"),
    ]
    rows = [
        _row(segments_of(run, arm), outcome.summary, str(unit))
        for arm, outcome in enumerate(assessment.arms)
    ]
    return Figures(
        title="The rings",
        columns=[column for column in columns if any(column.key in row for row in rows)],
        rows=rows,
    )


def _row(segments: Sequence[Segment], summary: Summary | None, unit: str) -> dict[str, Value]:
    """Return the figures of an arm; what an enter costs is the midmean of its calls shared out."""
    calls = sum(segment.calls for segment in segments)
    enters = total_of(segments, "enters")
    if not calls or not any(segment.counters for segment in segments):
        return {}
    row: dict[str, Value] = {
        "operations_per_call": sum(segment.datagrams for segment in segments) / calls
    }
    if enters:
        row["enters_per_call"] = enters / calls
        if summary is not None and enters != calls:
            row[f"per_enter_{unit}"] = summary.midmean * calls / enters
    sends = total_of(segments, "zerocopy_sends")
    if sends:
        copied = total_of(segments, "zerocopy_copied") or 0
        row |= {
            "zerocopy_copied_percent": 100 * copied / sends,
            "zerocopy_missing": total_of(segments, "zerocopy_missing"),
        }
    return row
