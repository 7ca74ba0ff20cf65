# SPDX-License-Identifier: MIT
"""The whole judgement of a run: per-round columns in, everything that a report shows out."""

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from sockmeter.judge.cells import Layout
from sockmeter.judge.columns import Column
from sockmeter.judge.drift import Drift, find_drift
from sockmeter.judge.intervals import hodges_lehmann
from sockmeter.judge.looks import divided_looks, look_due
from sockmeter.judge.pairs import Comparison, compare_pair, withdraw
from sockmeter.judge.sequential import Headline, judge_headline
from sockmeter.judge.sides import Fault, Side, common_rounds, midmean_log_ratios, side_of
from sockmeter.judge.soundness import dropped_too_many
from sockmeter.judge.statistics import frozen_cap, midmeans
from sockmeter.judge.summary import Summary, summarise
from sockmeter.judge.verdict import Verdict, judge_interval, undecided
from sockmeter.model.runs import Look
from sockmeter.plan.designs import MOST_DROPPED


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a report says about a run; as JSON an infinite end of an interval is null."""

    rounds: int  # judged: the first so many kept rounds
    rounds_kept: int
    rounds_dropped: int
    alpha: float | None  # two-sided error of every interval; None where nothing could be judged
    is_at_look: bool  # False: the run was cut short between looks
    is_conclusive: bool  # every arm that could be judged has a conclusive headline
    cap: float | None  # clock units; None where nothing could be judged
    summaries: tuple[Summary | None, ...]  # baseline, arms; None where an arm has nothing to show
    comparisons: tuple[Comparison, ...]  # each arm against the baseline
    a2: Comparison | None  # the baseline's copy against it; None where the run had none
    drift: Drift | None  # None where too few segments

    @property
    def is_a2_different(self) -> bool:
        """Whether the copy of the baseline was judged different: belongs in the headline."""
        return self.a2 is not None and self.a2.headline.is_different


def judge_run(
    columns: Sequence[Column | Fault | None],
    *,
    a2: Column | Fault | None,
    layout: Layout | Sequence[Layout],
    looks: Sequence[Look],
    effect: float,
    rounds_dropped: int,
    generator: np.random.Generator,
    planned_pairs: int | None = None,
) -> Judgement:
    """Judge every arm against the first column, the baseline.

    `layout` is one for all columns or one for each, where costs are per message. A column is None
    where its arm was refused, and a Fault where it cannot be judged for another reason. `looks` is
    the run's schedule as planned, undivided;
    it is divided by `planned_pairs`, fixed before the run: by default the number of arms that are
    not the baseline. The baseline's copy A2 is a check and not a pair, and is judged at the error
    of a pair. `generator` draws the flips of the shift function. ValueError where columns differ in
    rounds or the schedule is not valid.
    """
    schedule = divided_looks(looks, _pairs(columns, planned_pairs))
    kept = common_rounds((*columns, a2))
    layouts = _layouts(layout, len(columns))
    baseline, *arms = map(side_of, columns, layouts)
    copy = [] if a2 is None else [side_of(a2, layouts[0])]
    if isinstance(baseline, Fault):
        return _unjudged(len(arms), len(copy), baseline, effect, kept=kept, dropped=rounds_dropped)
    headline = _headline(baseline, arms, schedule, effect)
    reason = why_withdrawn(headline, kept, rounds_dropped)

    used = headline.rounds
    baseline = baseline.first(used)
    others = [_cut(side, used) for side in (*arms, *copy)]
    measured = [baseline, *(side for side in others if isinstance(side, Side))]
    cap = _cap(measured)
    compared = []
    for other, verdict in zip(others, _verdicts(baseline, others, headline, effect), strict=True):
        if isinstance(other, Fault):
            compared.append(Comparison(headline=verdict))
            continue
        comparison = compare_pair(
            baseline, other, verdict, alpha=headline.alpha, cap=cap, generator=generator
        )
        compared.append(comparison if reason is None else withdraw(comparison, reason))
    return Judgement(
        rounds=used,
        rounds_kept=kept,
        rounds_dropped=rounds_dropped,
        alpha=headline.alpha,
        is_at_look=headline.cut_short is None,
        is_conclusive=reason is None and headline.is_conclusive,
        cap=cap,
        summaries=tuple(
            None if isinstance(side, Fault) else summarise(side.column, side.cells, cap)
            for side in (baseline, *others[: len(arms)])
        ),
        comparisons=tuple(compared[: len(arms)]),
        a2=compared[-1] if copy else None,
        drift=find_drift(
            [midmeans(side.cells) for side in measured],
            [side.column.position for side in measured],
        ),
    )


def is_conclusive(
    columns: Sequence[Column | Fault | None],
    *,
    layout: Layout | Sequence[Layout],
    looks: Sequence[Look],
    effect: float,
    planned_pairs: int | None = None,
) -> bool:
    """Return whether the run stops here: a look is due, and every arm has its verdict at it.

    `columns` are the baseline and the arms, without A2: a check neither stops nor lengthens a run.
    An arm that was refused or recorded no call in some round is not waited for.
    """
    schedule = divided_looks(looks, _pairs(columns, planned_pairs))
    if look_due(schedule, common_rounds(columns)) is None:
        return False
    baseline, *arms = map(side_of, columns, _layouts(layout, len(columns)))
    if isinstance(baseline, Fault):
        return False
    return _headline(baseline, arms, schedule, effect).is_conclusive


def why_withdrawn(headline: Headline, kept: int, dropped: int) -> str | None:
    """Return why no verdict of a run may stand, or None."""
    if dropped_too_many(dropped, kept + dropped):
        return f"{dropped} of {kept + dropped} rounds were dropped, more than {MOST_DROPPED:.0%}"
    return headline.cut_short


def _layouts(layout: Layout | Sequence[Layout], columns: int) -> Sequence[Layout]:
    """Return a layout for each column; a run of one call has one for all."""
    return [layout] * columns if isinstance(layout, Layout) else layout


def _pairs(columns: Sequence[Column | Fault | None], planned_pairs: int | None) -> int:
    return max(len(columns) - 1, 1) if planned_pairs is None else planned_pairs


def _headline(
    baseline: Side, arms: Sequence[Side | Fault], schedule: Sequence[Look], effect: float
) -> Headline:
    """Judge the arms that can be judged, in their order."""
    ratios = [midmean_log_ratios(baseline, arm) for arm in arms if isinstance(arm, Side)]
    shape = (len(ratios), baseline.column.rounds)
    return judge_headline(np.array(ratios).reshape(shape), schedule, effect)


def _verdicts(
    baseline: Side, others: Sequence[Side | Fault], headline: Headline, effect: float
) -> Iterator[Verdict]:
    """Yield the headline verdict of every arm in order, then that of A2 at the same error."""
    judged = iter(headline.verdicts)
    for other in others:
        if isinstance(other, Fault):
            yield undecided(other.reason, effect)
        else:
            interval = hodges_lehmann(midmean_log_ratios(baseline, other), headline.alpha)
            yield next(judged, judge_interval(interval, effect))


def _cut(side: Side | Fault, rounds: int) -> Side | Fault:
    return side if isinstance(side, Fault) else side.first(rounds)


def _cap(measured: Sequence[Side]) -> float:
    """Return the cap that the probe was given, or that it would have been given after round 1."""
    given = float(measured[0].column.cap[-1])
    return given if given > 0.0 else frozen_cap([side.cells for side in measured])


def _unjudged(
    arms: int, copies: int, fault: Fault, effect: float, *, kept: int, dropped: int
) -> Judgement:
    """Return the judgement of a run whose baseline has nothing to compare with."""
    nothing = Comparison(headline=undecided(f"the baseline: {fault.reason}", effect))
    return Judgement(
        rounds=0,
        rounds_kept=kept,
        rounds_dropped=dropped,
        alpha=None,
        is_at_look=False,
        is_conclusive=False,
        cap=None,
        summaries=(None,) * (arms + 1),
        comparisons=(nothing,) * arms,
        a2=nothing if copies else None,
        drift=None,
    )
