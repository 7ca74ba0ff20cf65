# SPDX-License-Identifier: MIT
"""What is shown of a run: numbers with their units, and the sentences that matter.

Renderers turn a view into text, Markdown, CSV and JSON; none of them looks anything up.
"""

import msgspec

from sockmeter.judge.assess import Assessment, messages_per_call
from sockmeter.judge.soundness import dropped_too_many
from sockmeter.judge.summary import Summary
from sockmeter.model.runs import Run
from sockmeter.model.units import Unit
from sockmeter.plan.pacing import is_paced
from sockmeter.report.all_in import AllIn, make_all_in
from sockmeter.report.crossover import Crossover, make_crossovers
from sockmeter.report.differences import Difference, make_difference
from sockmeter.report.figures import Figures
from sockmeter.report.labels import arm_labels, shared_factors
from sockmeter.report.refusals import refusal_words
from sockmeter.report.scenarios import make_figures
from sockmeter.report.sentences import sentences, warnings
from sockmeter.report.settings import setting_line
from sockmeter.report.wording import plural


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One arm; costs are per call, in the view's unit."""

    label: str
    call: str
    factors: dict[str, int | str | bool]
    summary: Summary | None  # None where nothing was measured
    per_message: float | None  # midmean over the messages of a call, only where it moves several
    messages: int  # of a call
    failed: dict[str, int]
    short: int
    refused: str | None
    void: str | None
    difference: Difference | None  # None for the baseline and the empty bracket
    role: str  # what a row without a difference is
    baseline_row: int = 0  # the row that its difference is against
    all_in: AllIn | None = None  # of bulk and zerocopy: what a byte costs with its notifications


class View(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A run as it is shown."""

    scenario: str
    rig: str
    shared: str  # what all arms have in common
    unit: Unit
    clock: str
    clock_hz: float | None
    basis: str  # how often it was measured
    rounds: int  # judged; of launches, the pairs
    rounds_dropped: int
    effect: float
    against: str  # what the differences are against
    command: str  # that makes it again; several are separated by line ends
    setting: str  # the machine in one line
    rows: list[Row]
    sentences: list[str]  # what to know before believing it
    doubts: list[str]  # why no table for a commit message can be made of it
    warnings: list[str] = []  # why not to believe it
    bracket: float | None = None  # of a call's cost, the harness's own share, in the unit
    cap: float | None = None  # of the tail statistics, in the unit; None where there are none
    figures: Figures | None = None  # what the scenario measured besides, a row an arm
    crossovers: list[Crossover] = []  # what zerocopy gains at each of several message sizes


def make_view(run: Run, assessment: Assessment) -> View:
    """Return what is shown of a run and its judgement."""
    labels = arm_labels(run.design.arms)
    clock = run.instrument.clock
    crossovers = make_crossovers(run.design.arms, assessment.gains)
    return View(
        scenario=run.design.scenario,
        rig=run.rig,
        shared=shared_factors(run.design.arms),
        unit=clock.unit,
        clock=clock.name,
        clock_hz=clock.clock_hz,
        basis=_basis(run, assessment),
        rounds=assessment.judgement.rounds,
        rounds_dropped=assessment.judgement.rounds_dropped,
        effect=run.design.effect,
        against=labels[0],
        command=run.command,
        setting=setting_line(run),
        rows=[_row(run, assessment, index, label) for index, label in enumerate(labels)],
        bracket=assessment.bracket,
        cap=assessment.judgement.cap,
        warnings=warnings(run, assessment, labels),
        sentences=sentences(run, assessment, labels, crossovers),
        doubts=_doubts(assessment, labels),
        figures=make_figures(run, assessment),
        crossovers=crossovers,
    )


def _basis(run: Run, assessment: Assessment) -> str:
    kept = sum(finished.dropped is None for finished in run.rounds)
    rounds = assessment.judgement.rounds or kept
    if any(is_paced(arm) for arm in run.design.arms):
        return plural(rounds, "round")
    return f"{plural(rounds, 'round')} of {run.design.calls:,} calls an arm"


def _doubts(assessment: Assessment, labels: list[str]) -> list[str]:
    """Return why the run proves nothing that belongs in a commit message."""
    judgement = assessment.judgement
    doubts = [
        f"{label} is void: {outcome.faults.void}"
        for label, outcome in zip(labels, assessment.arms, strict=True)
        if outcome.faults.void is not None
    ]
    if judgement.alpha is None or not judgement.is_at_look:
        doubts.append(f"the run ended after {plural(judgement.rounds_kept, 'round')}, at no look")
    if dropped_too_many(judgement.rounds_dropped, judgement.rounds_kept + judgement.rounds_dropped):
        doubts.append(f"{plural(judgement.rounds_dropped, 'round')} had to be dropped")
    if judgement.a2 is not None and judgement.a2.headline.interval is None:
        doubts.append(
            f"the second copy of the baseline is not judged: {judgement.a2.headline.reason}"
        )
    if judgement.is_a2_different:
        doubts.append("a second copy of the baseline was judged different from it")
    gains = assessment.gains
    if gains is not None and gains.a2 is not None and gains.a2.is_different:
        doubts.append("a second copy of the baseline was judged different from it by the byte")
    return doubts


def _row(run: Run, assessment: Assessment, index: int, label: str) -> Row:
    arm, outcome = run.design.arms[index], assessment.arms[index]
    return Row(
        label=label,
        call=arm.call,
        factors=arm.factors,
        summary=outcome.summary,
        per_message=outcome.per_message,
        messages=messages_per_call(run, index),
        failed=outcome.faults.failed,
        short=outcome.faults.short,
        refused=refusal_words(arm, outcome.refusal) if outcome.refusal else None,
        void=outcome.faults.void,
        difference=make_difference(outcome.comparison.headline) if outcome.comparison else None,
        role="baseline" if index == 0 else "the empty bracket",
        all_in=make_all_in(assessment.gains, index),
    )
