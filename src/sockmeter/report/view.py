# SPDX-License-Identifier: MIT
"""What is shown of a run: numbers with their units, and the sentences that matter.

Renderers turn a view into text, Markdown, CSV and JSON; none of them looks anything up.
"""

import msgspec

from sockmeter.judge.assess import Assessment, messages_per_call
from sockmeter.judge.compare import Judgement
from sockmeter.judge.messages import incomparable_reason
from sockmeter.judge.soundness import dropped_too_many
from sockmeter.judge.summary import Summary
from sockmeter.judge.verdict import Word
from sockmeter.model.runs import Run
from sockmeter.model.units import Unit
from sockmeter.plan.pacing import is_paced
from sockmeter.report.all_in import AllIn, make_all_in
from sockmeter.report.bursts import BurstCost, burst_copy, make_burst_costs
from sockmeter.report.crossover import Crossover, make_crossovers
from sockmeter.report.differences import Difference, make_difference
from sockmeter.report.figures import Figures
from sockmeter.report.labels import arm_labels, shared_factors
from sockmeter.report.refusals import refusal_words
from sockmeter.report.scenarios import make_figures
from sockmeter.report.sentences import is_traced, reservations, sentences, warnings
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
    reservations: list[str] = []  # those of the sentences that belong under such a table
    bursts: list[BurstCost | None] = []  # of channels: a message as part of a burst, a row an arm
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
        doubts=_doubts(run, assessment, labels),
        reservations=reservations(run, assessment, labels),
        bursts=make_burst_costs(run, assessment),
        figures=make_figures(run, assessment),
        crossovers=crossovers,
    )


def _basis(run: Run, assessment: Assessment) -> str:
    rounds = assessment.judgement.rounds or _kept(run)
    if any(is_paced(arm) for arm in run.design.arms):
        return plural(rounds, "round")
    return f"{plural(rounds, 'round')} of {run.design.calls:,} calls an arm"


def _kept(run: Run) -> int:
    return sum(finished.dropped is None for finished in run.rounds)


def _doubts(run: Run, assessment: Assessment, labels: list[str]) -> list[str]:
    """Return why the run proves nothing that belongs in a commit message."""
    first = assessment.arms[0].refusal
    if first is not None:  # and nothing else is why: of it there are no rounds, and no copy
        return [f"{labels[0]} is refused: {refusal_words(run.design.arms[0], first)}"]
    judgement = assessment.judgement
    doubts = [
        f"{label} is void: {outcome.faults.void}"
        for label, outcome in zip(labels, assessment.arms, strict=True)
        if outcome.faults.void is not None
    ]
    if is_traced(run):
        doubts.append("a tracer was attached, and the costs are its own")
    if not _is_at_look(run, judgement):
        doubts.append(f"the run ended after {plural(_kept(run), 'round')}, at no look")
    if dropped_too_many(judgement.rounds_dropped, judgement.rounds_kept + judgement.rounds_dropped):
        doubts.append(f"{plural(judgement.rounds_dropped, 'round')} had to be dropped")
    copy = burst_copy(run, assessment) or (judgement.a2.headline if judgement.a2 else None)
    if copy is not None and (copy.interval is None or copy.word is Word.UNDECIDED):
        doubts.append(f"the second copy of the baseline is not judged: {copy.reason}")
    if copy is not None and copy.is_different:
        doubts.append("a second copy of the baseline was judged different from it")
    gains = assessment.gains
    if gains is not None and gains.a2 is not None and gains.a2.is_different:
        doubts.append("a second copy of the baseline was judged different from it by the byte")
    return doubts


def _is_at_look(run: Run, judgement: Judgement) -> bool:
    """Say whether a look was due at the end; where only bursts are compared, the last one."""
    if incomparable_reason(run.design.arms[0]) is not None:
        return _kept(run) >= run.design.looks[-1].rounds
    return judgement.alpha is not None and judgement.is_at_look


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
