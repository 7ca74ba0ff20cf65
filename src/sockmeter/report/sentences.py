# SPDX-License-Identifier: MIT
"""The few sentences under a table: what a reader must know before believing it."""

import math
from collections.abc import Iterator, Sequence

from sockmeter.judge.assess import Assessment
from sockmeter.judge.verdict import Word
from sockmeter.model.runs import EndingKind, Run
from sockmeter.model.units import Unit
from sockmeter.report.bursts import burst_copy
from sockmeter.report.crossover import Crossover
from sockmeter.report.scenario_channels import pace_sentences
from sockmeter.report.sending_sentences import sending_sentences
from sockmeter.report.wording import clock_noun, interval_words, percent, plural, verdict_words


def sentences(
    run: Run, assessment: Assessment, labels: Sequence[str], crossovers: Sequence[Crossover]
) -> list[str]:
    """Return what to know before believing the table, the gravest first."""
    return [
        *_gravest(run, assessment, labels),
        *sending_sentences(run, assessment.gains, labels, crossovers),
        *_drift(assessment),
        *_order(assessment, labels),
        *_contamination(assessment),
        *_harness(run, assessment),
    ]


def reservations(run: Run, assessment: Assessment, labels: Sequence[str]) -> list[str]:
    """Return those of the sentences that say how far the numbers may be believed."""
    return [*_gravest(run, assessment, labels), *_contamination(assessment)]


def _gravest(run: Run, assessment: Assessment, labels: Sequence[str]) -> list[str]:
    return [
        *_a2(run, assessment, labels),
        *_dropped(run),
        *_ending(run),
        *pace_sentences(run, labels),
        *_faulty_calls(assessment, labels),
    ]


def warnings(run: Run, assessment: Assessment, labels: Sequence[str]) -> list[str]:
    """Return why the table is not to be believed."""
    found = []
    if is_traced(run):
        found.append(
            "a tracer (strace, gdb) was attached: every call was stopped twice, and its cost is "
            "the tracer's."
        )
    copy, gains = assessment.judgement.a2, assessment.gains
    for what, verdict in (
        ("", None if copy is None else copy.headline),
        (" by its bursts", burst_copy(run, assessment)),
        (" by the byte, all in", None if gains is None else gains.a2),
    ):
        if verdict is not None and verdict.is_different and verdict.interval is not None:
            found.append(
                f"a second copy of {labels[0]}, measured beside it, was judged {verdict.word}"
                f"{what} ({interval_words(verdict.interval)}): do not trust differences of that "
                "size here."
            )
    return found


def is_traced(run: Run) -> bool:
    """Say whether a tracer was attached to the probe."""
    traced = run.environment.facts.get("process.traced")
    return traced is not None and traced.value is True


def _a2(run: Run, assessment: Assessment, labels: Sequence[str]) -> Iterator[str]:
    copy = assessment.judgement.a2
    if copy is None or assessment.arms[0].refusal is not None:
        return  # of a refused arm there is no copy, and its row says why
    bursts = burst_copy(run, assessment)
    verdict, what = (copy.headline, "") if bursts is None else (bursts, ", by its bursts,")
    if verdict.interval is None:
        yield f"Check: the second copy of {labels[0]} is not judged: {verdict.reason}."
        return
    shows = f"Check: a second copy of {labels[0]}{what} shows {interval_words(verdict.interval)}"
    match verdict.word:
        case Word.SLOWER | Word.FASTER:
            return  # a warning, and said as one
        case Word.INCONCLUSIVE:
            yield f"{shows}, which settles nothing."
        case Word.NO_DIFFERENCE:
            yield f"{shows}, no difference beyond ±{percent(run.design.effect)}."
        case _:
            yield f"{shows}: {verdict_words(verdict)}."


def _dropped(run: Run) -> Iterator[str]:
    dropped = [finished.dropped for finished in run.rounds if finished.dropped is not None]
    if dropped:
        share = percent(len(dropped) / len(run.rounds))
        yield (
            f"{plural(len(dropped), 'round')} ({share}) dropped whole; the last because "
            f"{dropped[-1]}."
        )


def _ending(run: Run) -> Iterator[str]:
    if run.ending is None:
        yield f"The run was cut short; its {plural(len(run.rounds), 'finished round')} are shown."
    elif run.ending.kind is EndingKind.INTERRUPTED:
        yield f"Interrupted after {plural(len(run.rounds), 'round')}; all of them are kept."
    elif run.ending.kind is EndingKind.FAILED:
        yield f"The run failed after {plural(len(run.rounds), 'round')}: {run.ending.detail}."


def _faulty_calls(assessment: Assessment, labels: Sequence[str]) -> Iterator[str]:
    for label, outcome in zip(labels, assessment.arms, strict=True):
        faults = [_failures(calls, errno) for errno, calls in outcome.faults.failed.items()]
        if outcome.faults.short:
            faults.append(f"{plural(outcome.faults.short, 'call')} moved less than asked")
        if faults:
            void = "; the arm is void" if outcome.faults.void else ""
            yield f"{label}: {', '.join(faults)}{void}."


def _failures(calls: int, errno: str) -> str:
    return f"{plural(calls, 'call')} failed with {errno}"


def _drift(assessment: Assessment) -> Iterator[str]:
    drift = assessment.judgement.drift
    if drift is not None and drift.is_drifting:
        extent = percent(math.expm1(drift.span))
        yield f"The machine drifted by {extent} over the run; pairing cancels it."


def _order(assessment: Assessment, labels: Sequence[str]) -> Iterator[str]:
    for label, outcome in zip(labels, assessment.arms, strict=True):
        order = outcome.comparison.order if outcome.comparison else None
        if order is not None and order.is_resolved:
            yield (
                f"{label}: which of the two ran first mattered "
                f"({percent(abs(order.estimate))}); the random order keeps it out of the verdict."
            )


def _contamination(assessment: Assessment) -> Iterator[str]:
    """Say how much was disturbed, in one sentence for all arms."""
    outcomes = [outcome.summary.contamination for outcome in assessment.arms if outcome.summary]
    segments = sum(outcome.segments for outcome in outcomes)
    switched = sum(outcome.switched for outcome in outcomes)
    stolen = sum(outcome.stolen or 0 for outcome in outcomes)
    if segments and switched > 0.05 * segments:
        yield (
            f"{percent(switched / segments)} of the segments were interrupted by another task; "
            "see: sockmeter doctor."
        )
    if segments and stolen > 0.05 * segments:
        yield f"The hypervisor took the CPU away in {percent(stolen / segments)} of the segments."


def _harness(run: Run, assessment: Assessment) -> Iterator[str]:
    """Say what a cost is counted in, and what of it is the harness's own."""
    if all(outcome.summary is None for outcome in assessment.arms):
        return
    clock = run.instrument.clock
    noun = clock_noun(clock.name, clock.unit)
    rate = ""
    if clock.unit is Unit.TICKS and clock.clock_hz:
        rate = f" of {1e9 / clock.clock_hz:.3f} ns"
    bracket = assessment.bracket
    step = assessment.clock_step
    steps = f"; the clock moves in steps of {step:.0f} {clock.unit}" if step > 1 else ""
    yield (
        f"Costs are {noun}{rate}; {bracket:.0f} {clock.unit} of each are the bracket itself{steps}."
    )
