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
from sockmeter.plan.designs import EFFECT, parse_effect
from sockmeter.report.across_view import make_across_view
from sockmeter.report.amdahl import with_rate
from sockmeter.report.labels import arm_labels
from sockmeter.report.view import View, make_view


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown, and the verdicts behind it by label."""

    view: View
    verdicts: dict[str, Verdict]

    def with_rate(self, rate: str | None) -> View:
        """Return the view, with what a call can yield at a rate where one is given."""
        return with_rate(self.view, rate)


def compare_arms(files: Sequence[Path], arms: str | None, effect: str | None) -> Comparison:
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
    return Comparison(
        view=msgspec.structs.replace(view, command=f"{run.command}\n{shlex.join(words)}")
        if arms is not None
        else view,
        verdicts={
            label: outcome.comparison.headline
            for label, outcome in zip(labels, assessment.arms, strict=True)
            if outcome.comparison is not None
        },
    )


def compare_files(before: Sequence[Path], after: Sequence[Path], effect: str | None) -> Comparison:
    """Compare run files with run files; the launch is the unit."""
    befores, afters = [read_run(path) for path in before], [read_run(path) for path in after]
    compared = compare_runs(befores, afters, EFFECT if effect is None else parse_effect(effect))
    words = ["sockmeter", "compare", *map(str, before), "--against", *map(str, after)]
    view = make_across_view(compared, befores, afters, command=shlex.join(words))
    labels = arm_labels([each.arm for each in compared])
    return Comparison(
        view=view,
        verdicts={label: each.verdict for label, each in zip(labels, compared, strict=True)},
    )


def _two_arms(run: Run, text: str) -> tuple[int, int]:
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2:
        raise PlanError(f"--arms {text}: not two arms", mend="write them as A,B")
    return _arm_index(run, names[0]), _arm_index(run, names[1])


def _arm_index(run: Run, name: str) -> int:
    """Return the index of an arm by its label, or by its number from 1."""
    labels = arm_labels(run.design.arms)
    if name in labels:
        return labels.index(name)
    if name.isascii() and name.isdigit() and 1 <= int(name) <= len(labels):
        return int(name) - 1
    numbered = ", ".join(f"{number} {label}" for number, label in enumerate(labels, start=1))
    raise PlanError(f"--arms: no arm {name!r} in the run", mend=f"take two of: {numbered}")
