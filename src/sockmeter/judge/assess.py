# SPDX-License-Identifier: MIT
"""From a run to what each of its arms is worth: judged, shown, refused or void."""

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.cells import Cells, Layout, layout_per_message, probe_layout, spread
from sockmeter.judge.columns import Column, column_of, per_message
from sockmeter.judge.compare import Judgement, is_conclusive, judge_run
from sockmeter.judge.gains import Gains, gains_of
from sockmeter.judge.messages import incomparable_reason, messages_compared
from sockmeter.judge.pairs import Comparison
from sockmeter.judge.quantum import find_quantum
from sockmeter.judge.sides import Fault
from sockmeter.judge.soundness import Faults, count_dropped, find_faults, find_refusal
from sockmeter.judge.statistics import frozen_cap, midmeans
from sockmeter.judge.summary import Summary, summarise
from sockmeter.model.arms import Arm
from sockmeter.model.buckets import BUCKET_COUNT, bucket_lowers, bucket_uppers
from sockmeter.model.runs import Run
from sockmeter.model.segments import Refusal
from sockmeter.plan.designs import compared_arms, planned_pairs
from sockmeter.plan.schedule import flip_seed

STEP_ROUNDS = 5  # hold calls enough to tell the step of a clock


class ArmOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """One arm: what it cost, how it stands against the baseline, and what was wrong with it."""

    summary: Summary | None  # of a call; None where nothing was recorded
    per_message: float | None  # midmean over the messages of a call; None where a call moves one
    comparison: Comparison | None  # None for the baseline and for the empty bracket
    refusal: Refusal | None  # what the kernel or the permissions refused, else None
    faults: Faults


class Assessment(msgspec.Struct, frozen=True, kw_only=True):
    """A run, judged."""

    judgement: Judgement
    arms: tuple[ArmOutcome, ...]  # as in the design
    clock_step: float  # clock units; the step that costs were spread over
    bracket: float  # clock units; the share of a call's cost that is the harness's own
    gains: Gains | None  # of bulk and zerocopy: what a byte costs all in


def assess(run: Run) -> Assessment:
    """Judge a run, finished or not; the flips of the shift function come from the run's seed.

    Arms are compared by what a message costs; summaries say what a call costs.
    """
    compared = compared_arms(run.design)
    judgement = judge_run(
        [_judged_column(run, arm) for arm in compared],
        a2=_judged_column(run, len(run.design.arms)),
        layout=[_layout_of(run, arm) for arm in compared],
        looks=run.design.looks,
        effect=run.design.effect,
        rounds_dropped=count_dropped(run),
        generator=np.random.default_rng(flip_seed(run.design.seed)),
        planned_pairs=planned_pairs(run.design),
    )
    comparisons = dict(zip(compared[1:], judgement.comparisons, strict=True))
    arms = [
        _outcome(run, arm, judgement, comparisons.get(arm)) for arm in range(len(run.design.arms))
    ]
    return Assessment(
        judgement=judgement,
        arms=tuple(arms),
        clock_step=clock_step(run),
        bracket=_bracket(run, arms),
        gains=gains_of(run, judgement),
    )


def is_settled(run: Run) -> bool:
    """Say whether the run may stop at the look it has just reached."""
    compared = compared_arms(run.design)
    return is_conclusive(
        [_judged_column(run, arm) for arm in compared],
        layout=[_layout_of(run, arm) for arm in compared],
        looks=run.design.looks,
        effect=run.design.effect,
        planned_pairs=planned_pairs(run.design),
    )


def choose_cap(run: Run) -> int:
    """Return the cap to freeze after the first kept round, clock units; 0 if nothing was seen."""
    cells = list(cells_of(run).values())
    return math.ceil(frozen_cap(cells)) if cells else 0


def _bracket(run: Run, arms: Sequence[ArmOutcome]) -> float:
    """Return what the empty bracket cost: as an arm where it ran, else as the probe found it."""
    for arm, outcome in zip(run.design.arms, arms, strict=True):
        if arm.call == "null" and outcome.summary is not None:
            return outcome.summary.midmean
    return run.instrument.clock.bracket_cost


def cells_of(run: Run) -> dict[int, Cells]:
    """Return the cells per message of every compared arm with calls in all kept rounds."""
    cells = {}
    for arm in compared_arms(run.design):
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
    """Return the messages that a call of the arm stands for; the index after the last is A2."""
    return messages_compared(_planned(run, arm))


def _planned(run: Run, arm: int) -> Arm:
    return run.design.arms[arm if arm < len(run.design.arms) else 0]


def _judged_column(run: Run, arm: int) -> Column | Fault | None:
    """Return the column of an arm with its costs per message, or why it cannot be judged."""
    void = find_faults(run, arm).void
    if void is not None:
        return Fault(void)
    if not any(finished.dropped is None for finished in run.rounds):
        return Fault("no round was kept")
    refusal = find_refusal(run, arm if arm < len(run.design.arms) else 0)
    if refusal is not None:
        return Fault(f"refused at {refusal.step}: {refusal.errno}, {refusal.text}")
    incomparable = incomparable_reason(_planned(run, arm))
    if incomparable is not None:
        return Fault(incomparable)
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


def _outcome(run: Run, arm: int, judgement: Judgement, comparison: Comparison | None) -> ArmOutcome:
    summary = _summary(run, arm, judgement)
    messages = messages_per_call(run, arm)
    return ArmOutcome(
        summary=summary,
        per_message=summary.midmean / messages if summary and messages > 1 else None,
        comparison=comparison,
        refusal=find_refusal(run, arm),
        faults=find_faults(run, arm),
    )


def _summary(run: Run, arm: int, judgement: Judgement) -> Summary | None:
    """Return what a call of the arm cost: over the rounds that were judged, or all if none was."""
    column = column_of(run.rounds, arm)
    if column is None or not column.rounds:
        return None
    column = column.first(judgement.rounds or column.rounds)
    if not column.count.all():
        return None
    cells = spread(column.counts, probe_layout(clock_step(run)))
    cap = judgement.cap or frozen_cap([cells])
    return summarise(column, cells, cap * messages_per_call(run, arm))
