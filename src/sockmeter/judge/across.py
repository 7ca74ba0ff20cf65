# SPDX-License-Identifier: MIT
"""Run files against run files, arm by arm."""

from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np

from sockmeter.judge.assess import clock_step, messages_per_call, midmeans_of
from sockmeter.judge.cells import Layout, probe_layout, spread
from sockmeter.judge.columns import Column, column_of
from sockmeter.judge.intervals import hodges_lehmann
from sockmeter.judge.launches import are_alternating, judge_launches
from sockmeter.judge.soundness import Faults, count_dropped, dropped_too_many, find_faults
from sockmeter.judge.statistics import frozen_cap, midmeans
from sockmeter.judge.summary import Summary, summarise
from sockmeter.judge.verdict import Verdict, judge_interval, withdrawn
from sockmeter.model.arms import Arm
from sockmeter.model.errors import JudgementError
from sockmeter.model.runs import Clock, Run
from sockmeter.plan.designs import ALPHA

# Two readings of one clock's rate agree to a few parts in a million; two machines do not.
SAME_RATE = 1e-3


class Half(msgspec.Struct, frozen=True, kw_only=True):
    """One side of an arm: the launch in its middle, and what went wrong in any of them."""

    summary: Summary
    faults: Faults
    messages: int  # of a call


class Across(msgspec.Struct, frozen=True, kw_only=True):
    """One arm before and after."""

    arm: Arm
    before: Half
    after: Half
    verdict: Verdict


def compare_runs(before: Sequence[Run], after: Sequence[Run], effect: float) -> list[Across]:
    """Compare every arm that all runs share; the launch is the unit.

    Raises JudgementError where clocks differ, where no arm is shared, or where a run holds none of
    its rounds.
    """
    before = sorted(before, key=lambda run: run.started_at)
    after = sorted(after, key=lambda run: run.started_at)
    _check_clocks([*before, *after])
    _check_launches([*before, *after])
    shared = _shared_arms([*before, *after])
    alternating = are_alternating(
        [run.started_at for run in before], [run.started_at for run in after]
    )
    return [
        _compare_arm(
            arm,
            before,
            after,
            is_alternating=alternating,
            effect=effect,
            pairs_of_arms=len(shared),
        )
        for arm in shared
    ]


def _compare_arm(
    arm: Arm,
    before: Sequence[Run],
    after: Sequence[Run],
    *,
    is_alternating: bool,
    effect: float,
    pairs_of_arms: int,
) -> Across:
    levels = [[_level(run, arm) for run in side] for side in (before, after)]
    verdict = judge_launches(
        levels[0],
        levels[1],
        is_alternating=is_alternating,
        effect=effect,
        pairs_of_arms=pairs_of_arms,
    )
    reason = _why_unsound([*before, *after], arm)
    return Across(
        arm=arm,
        before=_half(before, levels[0], arm),
        after=_half(after, levels[1], arm),
        verdict=verdict if reason is None else withdrawn(verdict, reason),
    )


def _why_unsound(runs: Sequence[Run], arm: Arm) -> str | None:
    """Return why no verdict may rest on these runs, or None."""
    for run in runs:
        void = find_faults(run, run.design.arms.index(arm)).void
        if void is not None:
            return f"in the run of {run.started_at} {void}"
        if dropped_too_many(count_dropped(run), len(run.rounds)):
            return f"in the run of {run.started_at} too many rounds were dropped"
        if _copy_differs(run):
            return f"in the run of {run.started_at} the baseline differs from its own copy"
    return None


def _copy_differs(run: Run) -> bool:
    """Say whether the second copy of a run's baseline was judged different from it."""
    baseline, copy = (midmeans_of(run, arm) for arm in (0, len(run.design.arms)))
    if copy.size == 0 or copy.size != baseline.size:
        return False
    interval = hodges_lehmann(np.log(copy / baseline), ALPHA)
    return interval.k > 0 and judge_interval(interval, run.design.effect).is_different


def _half(runs: Sequence[Run], levels: Sequence[float], arm: Arm) -> Half:
    faults = [find_faults(run, run.design.arms.index(arm)) for run in runs]
    failed: Counter[str] = Counter()
    for each in faults:
        failed.update(each.failed)
    return Half(
        summary=_middle_summary(runs, levels, arm),
        faults=Faults(
            calls=sum(each.calls for each in faults),
            failed=dict(failed),
            short=sum(each.short for each in faults),
        ),
        messages=messages_per_call(runs[0], runs[0].design.arms.index(arm)),
    )


def _check_clocks(runs: Sequence[Run]) -> None:
    first = runs[0].instrument.clock
    for run in runs[1:]:
        other = run.instrument.clock
        if first.unit is not other.unit or not _have_same_rate(first, other):
            raise JudgementError(
                f"the clocks differ: {_clock_words(first)} against {_clock_words(other)}",
                mend="measure both with one clock on one machine: --clock",
            )


def _check_launches(runs: Sequence[Run]) -> None:
    """Refuse a launch that is there twice, under whatever name."""
    seen: list[tuple[str, int]] = []
    for run in runs:
        launch = (run.started_at, run.rounds[0].started_ns if run.rounds else 0)
        if run.rounds and launch in seen:
            raise JudgementError(
                f"the run of {run.started_at} is given twice", mend="name each run file once"
            )
        seen.append(launch)


def _have_same_rate(one: Clock, other: Clock) -> bool:
    if one.clock_hz is None or other.clock_hz is None:
        return one.clock_hz is other.clock_hz
    return abs(one.clock_hz / other.clock_hz - 1.0) < SAME_RATE


def _clock_words(clock: Clock) -> str:
    rate = f" of {clock.clock_hz / 1e9:.3f} GHz" if clock.clock_hz else ""
    return f"{clock.unit} ({clock.name}{rate})"


def _shared_arms(runs: Sequence[Run]) -> list[Arm]:
    """Return the arms with segments in every run, in the first run's order, without namesakes."""
    shared: list[Arm] = []
    for arm in runs[0].design.arms:
        if arm.call != "null" and arm not in shared and all(_is_measured(run, arm) for run in runs):
            shared.append(arm)
    if not shared:
        arms = [", ".join(dict.fromkeys(arm.call for arm in run.design.arms)) for run in runs]
        raise JudgementError(
            f"the runs share no measured arm: {' | '.join(dict.fromkeys(arms))}",
            mend="compare runs of one plan",
        )
    return shared


def _is_measured(run: Run, arm: Arm) -> bool:
    if arm not in run.design.arms:
        return False
    column = column_of(run.rounds, run.design.arms.index(arm))
    return column is not None and column.rounds > 0 and bool(column.count.all())


def _column(run: Run, arm: Arm) -> Column:
    column = column_of(run.rounds, run.design.arms.index(arm))
    if column is None:
        raise JudgementError(f"{arm.call} has no segment in every round of the run")
    return column


def _layout(run: Run) -> Layout:
    return probe_layout(clock_step(run))


def _level(run: Run, arm: Arm) -> float:
    """Return a run's one number: the middle round's log midmean."""
    cells = spread(_column(run, arm).counts, _layout(run))
    return float(np.median(np.log(midmeans(cells))))


def _middle_summary(runs: Sequence[Run], levels: Sequence[float], arm: Arm) -> Summary:
    """Return the summary of the launch whose level is in the middle (the lower of two)."""
    run = runs[int(np.argsort(levels)[(len(levels) - 1) // 2])]
    column = _column(run, arm)
    cells = spread(column.counts, _layout(run))
    return summarise(column, cells, float(column.cap[-1]) or frozen_cap([cells]))
