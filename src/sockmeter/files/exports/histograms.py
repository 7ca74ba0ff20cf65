# SPDX-License-Identifier: MIT
"""What a file holds as labelled histograms, one for each arm and round."""

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from sockmeter.model.buckets import bucket_lowers, bucket_uppers
from sockmeter.model.counted import CountedRun
from sockmeter.model.imported import ImportedRun
from sockmeter.model.runs import Run

Bucket = tuple[float, float | None, int]  # inclusive lower, exclusive upper edge, calls


class Histogram(msgspec.Struct, frozen=True, kw_only=True):
    """The calls of one arm in one round."""

    label: str
    round: int  # from 1
    dropped: bool  # whether the judge leaves the round out
    started_ns: int  # since the run began; 0 where the source does not tell
    elapsed_ns: int  # 0 where the source does not tell
    buckets: list[Bucket]  # ascending, only those with calls


def histograms_of(
    measurement: Run | ImportedRun | CountedRun, labels: Sequence[str]
) -> Iterator[Histogram]:
    """Yield every histogram, round by round; `labels` are those of a run's arms and its A2 copy."""
    if isinstance(measurement, ImportedRun):
        yield from _of_imported(measurement)
    elif isinstance(measurement, CountedRun):
        yield from _of_counted(measurement, labels)
    else:
        yield from _of_run(measurement, labels)


def _of_run(run: Run, labels: Sequence[str]) -> Iterator[Histogram]:
    lowers, uppers = bucket_lowers().tolist(), bucket_uppers().tolist()
    for finished in run.rounds:
        for segment in sorted(finished.segments, key=lambda segment: segment.arm):
            buckets: list[Bucket] = [
                (lowers[bucket], uppers[bucket], calls) for bucket, calls in segment.buckets
            ]
            if segment.beyond_range:
                buckets.append((uppers[-1], None, segment.beyond_range))
            yield Histogram(
                label=labels[segment.arm],
                round=finished.number,
                dropped=finished.dropped is not None,
                started_ns=finished.started_ns - run.rounds[0].started_ns,
                elapsed_ns=segment.elapsed_ns,
                buckets=buckets,
            )


def _of_counted(counted: CountedRun, labels: Sequence[str]) -> Iterator[Histogram]:
    for label, arm in zip(labels, counted.arms, strict=True):
        calls_of: Counter[int] = Counter()
        for cost, calls in arm.values:
            calls_of[cost] += calls
        yield Histogram(
            label=label,
            round=1,
            dropped=False,
            started_ns=0,
            elapsed_ns=arm.segment.elapsed_ns if arm.segment else 0,
            buckets=[(cost, cost + 1, calls) for cost, calls in sorted(calls_of.items())],
        )


def _of_imported(imported: ImportedRun) -> Iterator[Histogram]:
    for column in imported.columns:
        for number, buckets in enumerate(column.rounds, start=1):
            yield Histogram(
                label=column.label,
                round=number,
                dropped=False,
                started_ns=0,
                elapsed_ns=0,
                buckets=[
                    (column.lowers[bucket], column.uppers[bucket], calls)
                    for bucket, calls in buckets
                ],
            )
