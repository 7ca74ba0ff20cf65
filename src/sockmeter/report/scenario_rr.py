# SPDX-License-Identifier: MIT
"""The second table of `rr`: the rate, and what the calls inside a transaction took."""

from collections.abc import Sequence

from sockmeter.judge.assess import Assessment
from sockmeter.judge.beside import distribution_of, total_of
from sockmeter.judge.soundness import segments_of
from sockmeter.model.runs import Run
from sockmeter.model.segments import Segment
from sockmeter.report.figures import FigureColumn, Figures, Value


def rr_figures(run: Run, _assessment: Assessment) -> Figures:
    """Return the rates and the parts of a transaction, over all kept rounds."""
    unit = run.instrument.clock.unit
    return Figures(
        title="Inside a transaction",
        columns=[
            FigureColumn(key="transactions_per_s", head="transactions\n1/s"),
            FigureColumn(key=f"request_median_{unit}", head=f"request\nmedian\n{unit}"),
            FigureColumn(key=f"request_p99_{unit}", head=f"request\np99\n{unit}"),
            FigureColumn(key=f"response_median_{unit}", head=f"response\nmedian\n{unit}"),
            FigureColumn(key=f"response_p99_{unit}", head=f"response\np99\n{unit}"),
            FigureColumn(key="empty_polls", head="empty polls\n1/transaction", digits=1),
            FigureColumn(key="cpu_ns", head="CPU here\nns/transaction"),
            FigureColumn(key="peer_cpu_ns", head="CPU of the peer\nns/transaction"),
        ],
        rows=[_row(segments_of(run, arm), str(unit)) for arm in range(len(run.design.arms))],
        gives_way=[
            *("empty_polls", "peer_cpu_ns", "cpu_ns"),
            *(f"request_p99_{unit}", f"response_p99_{unit}"),
        ],
    )


def _row(segments: Sequence[Segment], unit: str) -> dict[str, Value]:
    calls = sum(segment.calls for segment in segments)
    elapsed_ns = sum(segment.elapsed_ns for segment in segments)
    if not calls or not elapsed_ns:
        return {}
    row: dict[str, Value] = {
        "transactions_per_s": calls / elapsed_ns * 1e9,
        "empty_polls": (total_of(segments, "empty_polls") or 0) / calls,
        "cpu_ns": sum(segment.thread_cpu_ns for segment in segments) / calls,
    }
    peer_cpu_ns = total_of(segments, "peer_cpu_ns")
    if peer_cpu_ns is not None:
        row["peer_cpu_ns"] = peer_cpu_ns / calls
    for name in ("request", "response"):
        part = distribution_of(segments, name)
        if part is not None:
            row |= {f"{name}_median_{unit}": part.median, f"{name}_p99_{unit}": part.p99}
    return row
