# SPDX-License-Identifier: MIT
"""From a run to what each of its arms is worth: judged, shown, refused or void."""

import math
from collections import Counter

import msgspec
import numpy as np

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.cells import Cells, Layout, layout_per_message, probe_layout, spread
from sockmeter.judge.columns import Column, column_of, per_message
from sockmeter.judge.compare import Judgement, is_conclusive, judge_run
from sockmeter.judge.pairs import Comparison, withdraw
from sockmeter.judge.quantum import find_quantum
from sockmeter.judge.statistics import frozen_cap, midmeans
from sockmeter.judge.summary import Summary, summarise
from sockmeter.model.buckets import BUCKET_COUNT, bucket_lowers, bucket_uppers
from sockmeter.model.runs import Run
from sockmeter.model.segments import Refusal, Segment

# A failed or short call costs something else than a whole one; one in a thousand moves a quantile
# by less than any effect that is judged.
VOID_SHARE = 0.001
STEP_ROUNDS = 5  # hold calls enough to tell the step of a clock


class ArmOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """One arm: what it cost, how it stands against the baseline, and what was wrong with it."""

    summary: Summary | None  # None where nothing was recorded
    comparison: Comparison | None  # None for the baseline and for the empty bracket
    refusal: Refusal | None  # what the kernel or the permissions refused, else None
    failed: dict[str, int]  # errno name -> calls, over all kept rounds
    short: int  # calls that moved less than asked
    void: str | None  # why the arm means something else than it says, else None
    datagrams_per_call: float | None  # None where no call was made


class Assessment(msgspec.Struct, frozen=True, kw_only=True):
    """A run, judged."""

    judgement: Judgement
    arms: tuple[ArmOutcome, ...]  # as in the design


def assess(run: Run) -> Assessment:
    """Judge a run, finished or not; the flips of the shift function come from the run's seed.

    Arms are compared by what a message costs; summaries say what a call costs.
    """
    compared = _compared_arms(run)
    judgement = judge_run(
        [_column_per_message(run, arm) for arm in compared],
        a2=_column_per_message(run, len(run.design.arms)),
        layout=[_layout_of(run, arm) for arm in compared],
        looks=run.design.looks,
        effect=run.design.effect,
        rounds_dropped=sum(finished.dropped is not None for finished in run.rounds),
        generator=np.random.default_rng(run.design.seed),
        planned_pairs=_planned_pairs(run),
    )
    comparisons = dict(zip(compared[1:], judgement.comparisons, strict=True))
    arms = [
        _outcome(run, arm, _summary(run, arm, judgement), comparisons.get(arm))
        for arm in range(len(run.design.arms))
    ]
    if arms[0].void is not None:
        reason = f"the baseline is void: {arms[0].void}"
        arms = [_withdrawn(outcome, reason) for outcome in arms]
    return Assessment(judgement=judgement, arms=tuple(arms))


def is_settled(run: Run) -> bool:
    """Say whether the run may stop at the look it has just reached."""
    compared = _compared_arms(run)
    return is_conclusive(
        [_column_per_message(run, arm) for arm in compared],
        layout=[_layout_of(run, arm) for arm in compared],
        looks=run.design.looks,
        effect=run.design.effect,
        planned_pairs=_planned_pairs(run),
    )


def choose_cap(run: Run) -> int:
    """Return the cap to freeze after the first kept round, clock units; 0 if nothing was seen."""
    cells = list(cells_of(run).values())
    return math.ceil(frozen_cap(cells)) if cells else 0


def cells_of(run: Run) -> dict[int, Cells]:
    """Return the cells per message of every compared arm with calls in all kept rounds."""
    cells = {}
    for arm in _compared_arms(run):
        column = column_of(run.rounds, arm)
        if column is not None and column.rounds > 0 and column.count.all():
            cells[arm] = spread(column.counts, _layout_of(run, arm))
    return cells


def midmeans_of(run: Run, arm: int) -> FloatArray:
    """Return the midmean of every kept round of an arm, clock units per message; () if refused."""
    column = column_of(run.rounds, arm)
    if column is None or not column.count.all():
        return np.empty(0)
    return midmeans(spread(column.counts, _layout_of(run, arm)))


def messages_per_call(run: Run, arm: int) -> int:
    """Return how many messages a call of the arm asks for; the index after the last is A2."""
    factors = run.design.arms[arm if arm < len(run.design.arms) else 0].factors
    return int(factors.get("batch", 1))


def _column_per_message(run: Run, arm: int) -> Column | None:
    column = column_of(run.rounds, arm)
    messages = messages_per_call(run, arm)
    return column if column is None or messages == 1 else per_message(column, messages)


def _layout_of(run: Run, arm: int) -> Layout:
    layout = probe_layout(clock_step(run))
    messages = messages_per_call(run, arm)
    return layout if messages == 1 else layout_per_message(layout, messages)


def clock_step(run: Run) -> float:
    """Return the step of the run's clock: the probe's, unless the calls themselves deny it.

    A clock of whole units has a step of 1: what it shows as 5 was anywhere from 4.5 to 5.5.
    """
    counts = np.zeros(BUCKET_COUNT, dtype=np.int64)
    for finished in run.rounds[:STEP_ROUNDS]:
        for segment in finished.segments:
            if segment.buckets:
                buckets, calls = np.array(segment.buckets).T
                counts[buckets] += calls
    stated = max(run.instrument.clock.quantum, 1)
    if counts.sum() == 0:
        return float(stated)
    return float(find_quantum(counts, bucket_lowers(), bucket_uppers(), stated).step)


def _compared_arms(run: Run) -> list[int]:
    """Return the baseline and the arms that mean something against it.

    The empty bracket is what the harness itself costs: no change of a call, unless it is the
    baseline and the harness itself is in question.
    """
    arms = run.design.arms
    return [index for index, arm in enumerate(arms) if arm.call != "null" or arms[0].call == "null"]


def _planned_pairs(run: Run) -> int:
    return max(len(_compared_arms(run)) - 1, 1)


def _summary(run: Run, arm: int, judgement: Judgement) -> Summary | None:
    """Return what a call of the arm cost over the rounds that were judged."""
    column = column_of(run.rounds, arm)
    if column is None or judgement.cap is None or judgement.rounds == 0:
        return None
    column = column.first(judgement.rounds)
    if not column.count.all():
        return None
    cells = spread(column.counts, probe_layout(clock_step(run)))
    return summarise(column, cells, judgement.cap * messages_per_call(run, arm))


def _outcome(
    run: Run, arm: int, summary: Summary | None, comparison: Comparison | None
) -> ArmOutcome:
    segments = segments_of(run, arm)
    failed: Counter[str] = Counter()
    for segment in segments:
        failed.update(segment.failed)
    calls = sum(segment.calls for segment in segments)
    short = sum(segment.short for segment in segments)
    void = _void_reason(calls, failed, short)
    outcome = ArmOutcome(
        summary=summary,
        comparison=comparison,
        refusal=_refusal_of(run, arm),
        failed=dict(failed),
        short=short,
        void=void,
        datagrams_per_call=(
            sum(segment.datagrams for segment in segments) / calls if calls else None
        ),
    )
    return outcome if void is None else _withdrawn(outcome, void)


def _withdrawn(outcome: ArmOutcome, reason: str) -> ArmOutcome:
    if outcome.comparison is None:
        return outcome
    return msgspec.structs.replace(outcome, comparison=withdraw(outcome.comparison, reason))


def _void_reason(calls: int, failed: Counter[str], short: int) -> str | None:
    if failed.total() > VOID_SHARE * calls:
        errno, _ = failed.most_common(1)[0]
        return f"{failed.total() / calls:.1%} of the calls failed, most with {errno}"
    if short > VOID_SHARE * calls:
        return f"{short / calls:.1%} of the calls moved less than asked"
    return None


def segments_of(run: Run, arm: int) -> list[Segment]:
    """Return the arm's segments of all rounds that count."""
    return [
        segment
        for finished in run.rounds
        if finished.dropped is None
        for segment in finished.segments
        if segment.arm == arm
    ]


def _refusal_of(run: Run, arm: int) -> Refusal | None:
    for finished in run.rounds:
        for refusal in finished.refusals:
            if refusal.arm == arm:
                return refusal
    return None
