# SPDX-License-Identifier: MIT
"""Reads run files and has them compared."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import msgspec

from sockmeter.files.runfile import read_run
from sockmeter.judge.across import compare_runs
from sockmeter.judge.assess import assess
from sockmeter.judge.selection import select_arms
from sockmeter.judge.verdict import Verdict
from sockmeter.model.errors import PlanError
from sockmeter.model.runs import Run
from sockmeter.plan.designs import parse_effect
from sockmeter.report.across_view import make_across_view
from sockmeter.report.labels import arm_labels
from sockmeter.report.view import View, make_view


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown, and the verdicts behind it with their labels."""

    view: View
    verdicts: list[tuple[str, Verdict]]


def compare_arms(files: Sequence[Path], arms: str | None, effect: str | None) -> Compared:
    """Compare the arms of one run file: all with the baseline, or two that are named."""
    if len(files) != 1:
        raise PlanError(
            f"{len(files)} run files and no --against", mend="name the other side with --against"
        )
    run = read_run(files[0])
    words = ["sockmeter", "compare", str(files[0])]
    if effect is not None:
        run = msgspec.structs.replace(
            run, design=msgspec.structs.replace(run.design, effect=parse_effect(effect))
        )
        words += ["--effect", effect]
    if arms is not None:
        baseline, arm = _two_arms(run, arms)
        run = select_arms(run, baseline, arm)
        words += ["--arms", arms]
    assessment = assess(run)
    view = make_view(run, assessment)
    labels = arm_labels(run.design.arms)
    return Compared(
        view=msgspec.structs.replace(view, command=f"{run.command}\n{shlex.join(words)}"),
        verdicts=[
            (label, outcome.comparison.headline)
            for label, outcome in zip(labels, assessment.arms, strict=True)
            if outcome.comparison is not None
        ],
    )


def compare_files(before: Sequence[Path], after: Sequence[Path], effect: str | None) -> Compared:
    """Compare run files with run files; the launch is the unit."""
    befores, afters = [read_run(path) for path in before], [read_run(path) for path in after]
    compared = compare_runs(befores, afters, _effect([*befores, *afters], effect))
    words = ["sockmeter", "compare", *map(str, before), "--against", *map(str, after)]
    if effect is not None:
        words += ["--effect", effect]
    view = make_across_view(compared, befores, afters, command=shlex.join(words))
    labels = arm_labels([each.arm for each in compared])
    return Compared(
        view=view,
        verdicts=[(label, each.verdict) for label, each in zip(labels, compared, strict=True)],
    )


def _effect(runs: Sequence[Run], text: str | None) -> float:
    """Return the effect asked for, or the one that all runs were planned with."""
    if text is not None:
        return parse_effect(text)
    planned = {run.design.effect for run in runs}
    if len(planned) > 1:
        shares = ", ".join(f"{100 * effect:g} %" for effect in sorted(planned))
        raise PlanError(f"the runs were planned for different effects: {shares}", mend="--effect")
    return planned.pop()


def _two_arms(run: Run, text: str) -> tuple[int, int]:
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2:
        raise PlanError(f"--arms {text}: not two arms", mend="write them as A,B")
    baseline, arm = _arm_index(run, names[0]), _arm_index(run, names[1])
    if baseline == arm:
        raise PlanError(f"--arms {text}: one arm twice", mend="take two arms")
    return baseline, arm


def _arm_index(run: Run, name: str) -> int:
    """Return the index of an arm by its label, or by its number from 1."""
    labels = arm_labels(run.design.arms)
    if name in labels:
        return labels.index(name)
    numbers = [str(number) for number, _ in enumerate(labels, start=1)]
    if name in numbers:
        return numbers.index(name)
    numbered = ", ".join(f"{number} {label}" for number, label in enumerate(labels, start=1))
    raise PlanError(f"--arms: no arm {name!r} in the run", mend=f"take two of: {numbered}")
