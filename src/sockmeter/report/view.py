# SPDX-License-Identifier: MIT
"""What is shown of a run: numbers with their units, and the sentences that matter.

Renderers turn a view into text, Markdown, CSV and JSON; none of them looks anything up.
"""

import math

import msgspec

from sockmeter.judge.assess import ArmOutcome, Assessment
from sockmeter.judge.summary import Summary
from sockmeter.judge.verdict import Verdict, Word
from sockmeter.model.runs import Run
from sockmeter.model.units import Unit
from sockmeter.report.labels import arm_labels, shared_factors
from sockmeter.report.sentences import sentences
from sockmeter.report.wording import verdict_words


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """An arm's midmean against the baseline's, as fractions of the baseline's."""

    estimate: float | None
    low: float | None
    high: float | None  # None where unbounded
    alpha: float | None  # two-sided error of the interval
    verdict: Word
    words: str  # the verdict as a person reads it


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One arm; costs are per call, in the view's unit."""

    label: str
    call: str
    factors: dict[str, int | str | bool]
    summary: Summary | None  # None where nothing was measured
    per_datagram: float | None  # midmean per datagram, only where a call moves several
    failed: dict[str, int]
    short: int
    refused: str | None
    void: str | None
    difference: Difference | None  # None for the baseline and the empty bracket


class View(msgspec.Struct, frozen=True, kw_only=True):
    """A run as it is shown."""

    scenario: str
    rig: str
    shared: str  # what all arms have in common
    unit: Unit
    clock: str
    clock_hz: float | None
    rounds: int  # judged
    rounds_dropped: int
    calls_per_segment: int
    effect: float
    command: str
    rows: list[Row]
    sentences: list[str]


def make_view(run: Run, assessment: Assessment) -> View:
    """Return what is shown of a run and its judgement."""
    labels = arm_labels(run.design.arms)
    clock = run.instrument.clock
    return View(
        scenario=run.design.scenario,
        rig=run.rig,
        shared=shared_factors(run.design.arms),
        unit=clock.unit,
        clock=clock.name,
        clock_hz=clock.clock_hz,
        rounds=assessment.judgement.rounds,
        rounds_dropped=assessment.judgement.rounds_dropped,
        calls_per_segment=run.design.calls,
        effect=run.design.effect,
        command=run.command,
        rows=[
            _row(run, index, label, outcome)
            for index, (label, outcome) in enumerate(zip(labels, assessment.arms, strict=True))
        ],
        sentences=sentences(run, assessment, labels),
    )


def _row(run: Run, index: int, label: str, outcome: ArmOutcome) -> Row:
    arm = run.design.arms[index]
    summary = outcome.summary
    per_call = outcome.datagrams_per_call
    is_batch = per_call is not None and per_call > 1 and arm.factors.get("batch", 1) != 1
    return Row(
        label=label,
        call=arm.call,
        factors=arm.factors,
        summary=summary,
        per_datagram=summary.midmean / per_call if summary and per_call and is_batch else None,
        failed=outcome.failed,
        short=outcome.short,
        refused=(
            f"{outcome.refusal.step}: {outcome.refusal.errno}, {outcome.refusal.text}"
            if outcome.refusal
            else None
        ),
        void=outcome.void,
        difference=_difference(outcome.comparison.headline) if outcome.comparison else None,
    )


def _difference(verdict: Verdict) -> Difference:
    interval = verdict.interval
    return Difference(
        estimate=_fraction(interval.estimate) if interval else None,
        low=_fraction(interval.low) if interval else None,
        high=_fraction(interval.high) if interval else None,
        alpha=interval.alpha if interval else None,
        verdict=verdict.word,
        words=verdict_words(verdict),
    )


def _fraction(log_ratio: float) -> float | None:
    """Return a log ratio as a fraction of the baseline; None where it is unbounded."""
    return math.expm1(log_ratio) if math.isfinite(log_ratio) else None
