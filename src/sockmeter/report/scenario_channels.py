# SPDX-License-Identifier: MIT
"""The second table of `channels`: the bursts, where the reader's CPU time went, and the pace."""

from collections.abc import Iterator, Sequence

from sockmeter.judge.assess import Assessment
from sockmeter.judge.beside import distribution_of, total_of
from sockmeter.judge.soundness import segments_of
from sockmeter.model.runs import Run
from sockmeter.model.segments import Segment
from sockmeter.report.bursts import burst_interval
from sockmeter.report.figures import FigureColumn, Figures, Value
from sockmeter.report.wording import interval_words, plural

# Beyond, the load was not the one that was planned.
MISSED_TICKS = 0.001
LOST = 0.001
LATE = 0.01
# Throttled real-time threads stand still for 50 ms of every second (sched_rt_runtime_us).
THROTTLE_NS = 40_000_000


def channels_figures(run: Run, assessment: Assessment) -> Figures:
    """Return the bursts of each arm over all kept rounds, and the parts of the CPU time.

    The parts of the CPU time are those of the reader: its calls, each kind as calls times mean,
    the probe's counting after a burst, and what is left: waking, sleeping, reading the time. A
    stall within a burst is in its calls, and in no CPU time: it is told beside them.
    """
    unit = run.instrument.clock.unit
    rows = [_row(run, assessment, arm) for arm in range(len(run.design.arms))]
    columns = [
        FigureColumn(key=f"burst_median_{unit}", head=f"burst\n{unit}"),
        FigureColumn(key=f"burst_p99_{unit}", head=f"p99\n{unit}"),
        FigureColumn(key="messages_per_burst", head="messages\n1/burst", digits=1),
        FigureColumn(key="burst_per_message_against", head="burst/message\nagainst the first"),
        FigureColumn(key="cpu_percent", head="CPU\n%", digits=2),
        FigureColumn(key="calls_percent", head="calls\n%", digits=2),
        FigureColumn(key="empty_percent", head="empty\n%", digits=2),
        FigureColumn(key="find_percent", head="find\n%", digits=2),
        FigureColumn(key="counting_percent", head="probe\n%", digits=2),
        FigureColumn(key="stalled_percent", head="stalled\n%", digits=2),
        FigureColumn(key="residual_percent", head="rest\n%", digits=2),
        FigureColumn(key="empty_calls_per_burst", head="empty\n1/burst", digits=1),
        FigureColumn(key="lost_percent", head="lost\n%", digits=3),
        FigureColumn(key="late_percent", head="late\n%", digits=2),
        FigureColumn(key="latency_median_ms", head="latency\nms", digits=1),
        FigureColumn(key="latency_p99_ms", head="p99\nms", digits=1),
    ]
    if not any(row.get("stalled_percent") for row in rows):
        columns = [column for column in columns if column.key != "stalled_percent"]
    return Figures(
        title="The bursts, the reader's CPU time, the pace",
        columns=columns,
        rows=rows,
        gives_way=[
            *("counting_percent", "find_percent", "empty_percent", "residual_percent"),
            *("empty_calls_per_burst", "calls_percent", "latency_p99_ms", f"burst_p99_{unit}"),
            *("messages_per_burst", "latency_median_ms", "late_percent", "cpu_percent"),
        ],
    )


def _row(run: Run, assessment: Assessment, arm: int) -> dict[str, Value]:
    segments, unit = segments_of(run, arm), str(run.instrument.clock.unit)
    bursts = distribution_of(segments, "burst")
    occupancy = distribution_of(segments, "burst_messages")
    if bursts is None or occupancy is None:
        return {}
    row: dict[str, Value] = {
        f"burst_median_{unit}": bursts.median,
        f"burst_p99_{unit}": bursts.p99,
        "messages_per_burst": occupancy.mean,
        "burst_per_message_against": _against(run, assessment, arm),
        "empty_calls_per_burst": _count(segments, "empty") / bursts.count,
    }
    return row | _cpu_parts(run, segments) | _pace(segments)


def _against(run: Run, assessment: Assessment, arm: int) -> str | None:
    interval = burst_interval(run, assessment, arm) if arm else None
    return None if interval is None else interval_words(interval)


def _cpu_parts(run: Run, segments: Sequence[Segment]) -> dict[str, Value]:
    clock_hz = run.instrument.clock.clock_hz
    elapsed_ns = sum(segment.elapsed_ns for segment in segments)
    cpu_ns = sum(segment.thread_cpu_ns for segment in segments)
    if not clock_hz or not elapsed_ns:
        return {}
    parts_ns: dict[str, float] = {
        "calls": sum(segment.sum for segment in segments) / clock_hz * 1e9,
        "empty": _sum(segments, "empty") / clock_hz * 1e9,
        "find": _sum(segments, "find") / clock_hz * 1e9,
        "counting": total_of(segments, "counting_ns") or 0,
    }
    stalled_ns = total_of(segments, "stalled_ns") or 0
    residual_ns = cpu_ns + stalled_ns - sum(parts_ns.values())
    shown_ns = {"cpu": cpu_ns, **parts_ns, "stalled": stalled_ns, "residual": residual_ns}
    return {f"{name}_percent": 100 * part_ns / elapsed_ns for name, part_ns in shown_ns.items()}


def _pace(segments: Sequence[Segment]) -> dict[str, Value]:
    sent = total_of(segments, "sent")
    latency = distribution_of(segments, "latency")
    if not sent or latency is None:
        return {}
    return {
        "lost_percent": 100 * (total_of(segments, "lost") or 0) / sent,
        "late_percent": 100 * (total_of(segments, "late") or 0) / sent,
        "latency_median_ms": latency.median / 1e6,
        "latency_p99_ms": latency.p99 / 1e6,
    }


def _count(segments: Sequence[Segment], name: str) -> int:
    return sum(segment.histograms[name].count for segment in segments if name in segment.histograms)


def _sum(segments: Sequence[Segment], name: str) -> int:
    return sum(segment.histograms[name].sum for segment in segments if name in segment.histograms)


def pace_sentences(run: Run, labels: Sequence[str]) -> Iterator[str]:
    """Yield where an arm did not keep the pace, and what may have held it up."""
    for arm, label in enumerate(labels):
        segments = segments_of(run, arm)
        ticks = total_of(segments, "ticks")
        if ticks is None:
            continue
        yield from _pace_of(label, segments, ticks)
    yield from _priority(run, labels)


def _pace_of(label: str, segments: Sequence[Segment], ticks: int) -> Iterator[str]:
    missed, lost = total_of(segments, "missed_ticks") or 0, total_of(segments, "lost") or 0
    sent, late = total_of(segments, "sent") or 0, total_of(segments, "late") or 0
    if missed > MISSED_TICKS * (ticks + missed) or lost > LOST * sent or late > LATE * sent:
        of_sent = f"of {plural(sent, 'message')}"
        yield (
            f"{label} did not keep the pace: {missed:,} of {plural(ticks + missed, 'tick')} "
            f"missed, {lost:,} {of_sent} lost, {late:,} late by more than two ticks."
        )
    yield from _stalls_of(label, segments)


def _priority(run: Run, labels: Sequence[str]) -> Iterator[str]:
    """Say in one sentence which readers had no real-time priority."""
    measured = {arm: segments for arm in range(len(labels)) if (segments := segments_of(run, arm))}
    lacking = [
        labels[arm]
        for arm, segments in measured.items()
        if any(segment.fifo_priority == 0 for segment in segments)
    ]
    if lacking:
        who = "Every arm" if len(lacking) == len(measured) > 1 else ", ".join(lacking)
        yield f"{who}: the reader ran without real-time priority; see: sockmeter doctor."


def _stalls_of(label: str, segments: Sequence[Segment]) -> Iterator[str]:
    longest_ns = max(segment.counters.get("longest_stall_ns", 0) for segment in segments)
    wake = distribution_of(segments, "wake_late")
    sender = distribution_of(segments, "sender_late")
    reader_ns = max(longest_ns, wake.most if wake else 0)
    if reader_ns >= THROTTLE_NS:
        yield (
            f"{label}: the reader stood still for {reader_ns / 1e6:.0f} ms although it had work: "
            "real-time throttling (kernel.sched_rt_runtime_us), a thread of higher priority, or "
            "the hypervisor."
        )
    if sender and sender.most >= THROTTLE_NS:
        yield (
            f"{label}: the sender was late by up to {sender.most / 1e6:.0f} ms; latency counts "
            "from the time that was meant, so it is in there."
        )
