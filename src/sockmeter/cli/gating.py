# SPDX-License-Identifier: MIT
"""The gate of `compare`: its condition, its files, its exit codes."""

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import typer

from sockmeter.cli import exit_codes
from sockmeter.files.whole import prove_writable, write_whole
from sockmeter.judge.gate import Passage, judge_passage
from sockmeter.judge.verdict import Verdict
from sockmeter.model.errors import OutputError, PlanError
from sockmeter.plan.designs import parse_effect
from sockmeter.report.gate_files import Gated, draw_annotations, draw_junit
from sockmeter.report.wording import interval_words, verdict_words

_MEND = "name another file with --junit"


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """What fails, and where it is written."""

    threshold: float | None  # fraction; None: the verdict slower fails
    junit: Path | None
    github: bool


def open_gate(fail_on: str | None, junit: Path | None, *, github: bool) -> Gate | None:
    """Return the gate asked for, or None; that its file can be written is proved first."""
    if fail_on is None:
        if junit is not None or github:
            raise PlanError("--junit and --github report a gate", mend="add --fail-on slower")
        return None
    word, colon, threshold = fail_on.partition(":")
    if word != "slower":
        raise PlanError(f"--fail-on {fail_on}: unknown", mend="write slower or slower:1%")
    if junit is not None:
        _check_writable(junit)
    return Gate(
        threshold=parse_effect(threshold, "--fail-on slower:") if colon else None,
        junit=junit,
        github=github,
    )


def pass_gate(
    gate: Gate | None, verdicts: Sequence[tuple[str, Verdict]], doubts: Sequence[str]
) -> None:
    """Write what the gate says and exit with its code; nothing without a gate.

    What proves nothing neither passes nor fails: any doubt leaves the gate open.
    """
    if gate is None:
        return
    gated = [
        Gated(
            label=label,
            passage=Passage.OPEN if doubts else judge_passage(verdict, gate.threshold),
            words="; ".join([_words(verdict), *doubts]),
        )
        for label, verdict in verdicts
    ]
    if gate.junit is not None:
        report = draw_junit(gated, suite="sockmeter")
        write_whole(gate.junit, report, replace=True, mend=_MEND)
    if gate.github:
        sys.stderr.write(draw_annotations(gated))
    passages = {each.passage for each in gated}
    if Passage.FAILED in passages:
        raise typer.Exit(exit_codes.REGRESSION)
    if Passage.OPEN in passages or not passages:
        raise typer.Exit(exit_codes.OPEN)


def _words(verdict: Verdict) -> str:
    seen = f"{interval_words(verdict.interval)}: " if verdict.interval else ""
    return f"{seen}{verdict_words(verdict)}"


def _check_writable(path: Path) -> None:
    """Raise OutputError where the report cannot be written; what is no XML is not replaced."""
    prove_writable(path, replace=True, mend=_MEND)
    if path.is_file():
        with path.open("rb") as stream:
            head = stream.read(5)
        if head not in (b"", b"<?xml"):
            raise OutputError(f"{path} is there and is no XML", mend=_MEND)
