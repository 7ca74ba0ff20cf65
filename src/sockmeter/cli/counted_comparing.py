# SPDX-License-Identifier: MIT
"""Compares arms of counted runs: two of one file, or a file against another."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import msgspec

from sockmeter.files.runfile import read_measurement
from sockmeter.judge.counted import change_between, verdict_of
from sockmeter.judge.verdict import Verdict
from sockmeter.model.counted import CountedArm, CountedRun
from sockmeter.model.errors import PlanError
from sockmeter.plan.pairing import pair_arms
from sockmeter.report.counted import references
from sockmeter.report.labels import arm_labels


class CountedComparison(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown, and the verdicts behind it with their labels."""

    run: CountedRun  # of the arms that are compared
    against: list[int | None]  # index of the arm that each is set against
    labels: list[str]

    @property
    def verdicts(self) -> list[tuple[str, Verdict]]:
        """What a gate looks at."""
        return [
            (label, verdict_of(change_between(self.run.arms[reference], arm)))
            for label, arm, reference in zip(self.labels, self.run.arms, self.against, strict=True)
            if reference is not None
        ]


def read_counted(files: Sequence[Path]) -> list[CountedRun] | None:
    """Return the counted runs in `files`; None where none is one. PlanError for a mixture."""
    runs = [read_measurement(path) for path in files]
    counted = [run for run in runs if isinstance(run, CountedRun)]
    if counted and len(counted) != len(runs):
        raise PlanError("counted and timed runs cannot be compared", mend="take files of one kind")
    return counted or None


def compare_counted(
    files: Sequence[Path], against: Sequence[Path], runs: Sequence[CountedRun], arms: str | None
) -> CountedComparison:
    """Compare the arms of one counted run, two that are named, or a file with another.

    `runs` are those of `files` and then `against`, as `read_counted` gives them.
    """
    if not against:
        if len(files) != 1:
            raise PlanError(
                f"{len(files)} run files and no --against", mend="name the other side --against"
            )
        return _compare_arms(files[0], runs[0], arms)
    if (len(files), len(against)) != (1, 1):
        raise PlanError("a counted run is the same each time", mend="take one file a side")
    return _compare_files(files[0], against[0], runs[0], runs[1])


def _compare_arms(path: Path, run: CountedRun, arms: str | None) -> CountedComparison:
    labels = arm_labels([each.arm for each in run.arms])
    words = ["sockmeter", "compare", str(path)]
    if arms is None:
        return CountedComparison(run=run, against=references(run.arms), labels=labels)
    chosen = [_arm_index(labels, name.strip()) for name in arms.split(",")]
    if len(chosen) != 2:
        raise PlanError(f"--arms {arms}: not two arms", mend="write them as A,B")
    return CountedComparison(
        run=_with_arms(
            run,
            [run.arms[at] for at in chosen],
            command=f"{run.command}\n{shlex.join([*words, '--arms', arms])}",
        ),
        against=[None, 0],
        labels=[labels[at] for at in chosen],
    )


def _arm_index(labels: Sequence[str], name: str) -> int:
    if name in labels:
        return labels.index(name)
    if name.isascii() and name.isdigit() and 1 <= int(name) <= len(labels):
        return int(name) - 1
    numbered = ", ".join(f"{number} {label}" for number, label in enumerate(labels, start=1))
    raise PlanError(f"--arms: no arm {name!r} in the run", mend=f"take two of: {numbered}")


def _compare_files(
    before: Path, after: Path, old: CountedRun, new: CountedRun
) -> CountedComparison:
    if old.emulator != new.emulator:
        raise PlanError(
            f"{before} was counted by {old.emulator}, {after} by {new.emulator}: their firmware "
            "may move a timer tick into another call",
            mend="count both with the same QEMU",
        )
    pairs = pair_arms([each.arm for each in old.arms], [each.arm for each in new.arms])
    merged = [
        arm
        for left, right in pairs
        for arm in (old.arms[left], _moved(new.arms[right], len(old.boots)))
    ]
    words = ["sockmeter", "compare", str(before), "--against", str(after)]
    run = msgspec.structs.replace(
        _with_arms(old, merged, command="\n".join([old.command, new.command, shlex.join(words)])),
        kernels=[*old.kernels, *new.kernels],
        boots=[
            *old.boots,
            *(
                msgspec.structs.replace(boot, kernel=boot.kernel + len(old.kernels))
                for boot in new.boots
            ),
        ],
    )
    names = arm_labels([each.arm for each in merged])
    labels = [
        f"{name.split(' #')[0]} ({path.stem})" if "#" in "".join(names) else name
        for name, path in zip(names, [before, after] * len(pairs), strict=True)
    ]
    against = [None if at % 2 == 0 else at - 1 for at in range(len(merged))]
    return CountedComparison(run=run, against=against, labels=labels)


def _moved(arm: CountedArm, boots: int) -> CountedArm:
    return msgspec.structs.replace(arm, boot=arm.boot + boots)


def _with_arms(run: CountedRun, arms: Sequence[CountedArm], *, command: str) -> CountedRun:
    return msgspec.structs.replace(
        run,
        arms=list(arms),
        command=command,
        proved_calls=sum(calls for arm in arms for _, calls in arm.values),
    )
