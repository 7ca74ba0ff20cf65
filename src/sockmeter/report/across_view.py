# SPDX-License-Identifier: MIT
"""Run files against run files, as a view: two rows an arm, before and after."""

from collections.abc import Sequence

from sockmeter.explain.environments import differences
from sockmeter.judge.across import Across
from sockmeter.judge.soundness import count_dropped
from sockmeter.judge.verdict import Word
from sockmeter.model.runs import Run
from sockmeter.report.differences import make_difference
from sockmeter.report.labels import arm_labels, shared_factors
from sockmeter.report.settings import setting_line
from sockmeter.report.view import Row, View
from sockmeter.report.wording import plural

MOST_DIFFERENCES = 8  # named one by one; more are counted


def make_across_view(
    compared: Sequence[Across], before: Sequence[Run], after: Sequence[Run], *, command: str
) -> View:
    """Return what is shown of a comparison of run files."""
    first = before[0]
    clock = first.instrument.clock
    arms = [each.arm for each in compared]
    rows: list[Row] = []
    for label, each in zip(arm_labels(arms), compared, strict=True):
        rows.append(_row(f"{label} before", each, is_after=False, place=len(rows)))
        rows.append(_row(f"{label} after", each, is_after=True, place=len(rows)))
    pairs = min(len(before), len(after))
    plans = _plans_apart([*before, *after])
    notes = [*_environments(before, after), *_words_on_launches(pairs)]
    return View(
        scenario=first.design.scenario,
        rig=first.rig,
        shared=shared_factors(arms),
        unit=clock.unit,
        clock=clock.name,
        clock_hz=clock.clock_hz,
        basis=f"{plural(pairs, 'pair')} of launches{_boots(before, after)}",
        rounds=pairs,
        rounds_dropped=sum(count_dropped(run) for run in (*before, *after)),
        effect=compared[0].verdict.effect,
        against="before",
        command=command,
        setting=_settings(before[0], after[0]),
        bracket=clock.bracket_cost,
        rows=rows,
        sentences=[*plans, *notes],
        reservations=notes,
        doubts=plans
        + [
            f"{each.arm.call}: {each.verdict.reason}"
            for each in compared
            if each.verdict.word is Word.UNDECIDED
        ],
    )


def _row(label: str, each: Across, *, is_after: bool, place: int) -> Row:
    """Return one side of an arm; the row after is against the row before, just above it."""
    side = each.after if is_after else each.before
    return Row(
        label=label,
        call=each.arm.call,
        factors=each.arm.factors,
        summary=side.summary,
        per_message=side.summary.midmean / side.messages if side.messages > 1 else None,
        messages=side.messages,
        failed=side.faults.failed,
        short=side.faults.short,
        refused=None,
        void=side.faults.void,
        difference=make_difference(each.verdict) if is_after else None,
        role="before",
        baseline_row=place - 1 if is_after else place,
    )


def _settings(before: Run, after: Run) -> str:
    """Return the machine of both sides in one line, or one of each where they differ."""
    lines = [setting_line(before), setting_line(after)]
    if lines[0] == lines[1]:
        return lines[0]
    return f"before: {lines[0]}\nafter: {lines[1]}"


def _plans_apart(runs: Sequence[Run]) -> list[str]:
    """Name what the runs were told to do differently, or were allowed to, besides the arms."""
    facts = {
        "the queue": {str(run.design.queue) for run in runs},
        "the warm-up": {str(run.design.warmup) for run in runs},
        "the clock asked for": {run.design.clock for run in runs},
        "the probe": {run.instrument.probe_version for run in runs},
        "the real-time priority": {
            str(segment.fifo_priority) for run in runs for segment in run.rounds[0].segments
        },
    }
    return [
        f"Between the runs {name} differs: {' against '.join(sorted(values))}."
        for name, values in facts.items()
        if len(values) > 1
    ]


def _boots(before: Sequence[Run], after: Sequence[Run]) -> str:
    facts = [run.environment.facts.get("kernel.boot_id") for run in (*before, *after)]
    boots = {fact.value if fact is not None else None for fact in facts}
    return ", boots unknown" if None in boots else f" over {plural(len(boots), 'boot')}"


def _words_on_launches(pairs: int) -> list[str]:
    if pairs == 1:
        return ["One launch each: these two runs differ by that much, and nothing is said of why."]
    return []


def _environments(before: Sequence[Run], after: Sequence[Run]) -> list[str]:
    """Name what differs besides the question, between the sides and within each."""
    sides = differences(before[0].environment, after[0].environment)
    between = [each.sentence() for each in sides if each.matters]
    within = sum(
        any(each.matters for each in differences(side[0].environment, run.environment))
        for side in (before, after)
        for run in side[1:]
    )
    sentences = [f"Between before and after {words}." for words in between[:MOST_DIFFERENCES]]
    if len(between) > MOST_DIFFERENCES:
        sentences.append(f"{len(between) - MOST_DIFFERENCES} more facts differ between the two.")
    if within:
        sentences.append(
            f"{plural(within, 'run')} ran in another environment than the first of its side."
        )
    return sentences
