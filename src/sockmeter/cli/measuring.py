# SPDX-License-Identifier: MIT
"""Measures what was requested on this machine, keeps it in run files, and prints it."""

import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import typer

from sockmeter.cli import exit_codes
from sockmeter.cli.options import OutputFormat
from sockmeter.cli.printing import print_error, print_restored, print_views
from sockmeter.cli.progress import Progress
from sockmeter.cli.requests import spell_command
from sockmeter.files.runwriter import RunWriter
from sockmeter.judge.assess import assess, choose_cap, is_settled
from sockmeter.model.errors import OutputError, SockmeterError
from sockmeter.model.runs import Design, EndingKind, Run
from sockmeter.plan.designs import Request, make_design
from sockmeter.report.view import make_view
from sockmeter.rig.conduct import Means, RunCutShortError, conduct
from sockmeter.rig.environment import LocalMachine, read_environment, read_load
from sockmeter.rig.host import HostRig, choose_cpu
from sockmeter.rig.probe import find_probe
from sockmeter.rig.turning import Journal, open_stage, restore_leftovers
from sockmeter.rig.turning.facts import with_stage

DEVICE = "lo"  # what the scenarios' traffic crosses


def measure_and_print(
    requests: Sequence[Request],
    *,
    output: Path | None,
    replace: bool,
    format: OutputFormat,
    is_list: bool = False,
) -> None:
    """Run every request, print what was seen, and exit with what went wrong if something did.

    Whatever ends a run early, its finished rounds are kept and printed, and no further run begins.
    `is_list` prints JSON as a list, also of one run.
    """
    print_restored(restore_leftovers())
    designs = [make_design(request) for request in requests]
    commands = [spell_command(request) for request in requests]
    with terminate_as_interrupt(), _open_writers(requests, output, replace=replace) as writers:
        runs, failure = _measure(designs, commands, writers)
    for writer in writers[: len(runs)]:
        words = f"kept in {writer.path}; more of it: sockmeter show {shlex.quote(str(writer.path))}"
        print(words, file=sys.stderr)
    if failure is not None:
        print_error(failure)
    print_views([make_view(run, assess(run)) for run in runs], format, is_list=is_list)
    if failure is not None:
        raise typer.Exit(failure.exit_code)
    if not runs or _was_interrupted(runs[-1]):
        raise typer.Exit(exit_codes.INTERRUPTED)


@contextmanager
def _open_writers(
    requests: Sequence[Request], output: Path | None, *, replace: bool
) -> Iterator[list[RunWriter]]:
    """Open all files before anything is measured; those that stay empty are removed again."""
    writers: list[RunWriter] = []
    try:
        for path in _file_names(requests, output):
            writers.append(RunWriter.create(path, replace=replace))
        yield writers
    finally:
        for writer in writers:
            writer.close()


def _measure(
    designs: Sequence[Design], commands: Sequence[str], writers: Sequence[RunWriter]
) -> tuple[list[Run], SockmeterError | None]:
    """Return the runs that have rounds, and what ended the last one if it failed."""
    probe, cpu, machine = find_probe(), choose_cpu(), LocalMachine()
    runs: list[Run] = []
    for design, command, writer in zip(designs, commands, writers, strict=True):
        try:
            with open_stage(design.arms, Journal()) as stage, Progress(design) as progress:
                means = Means(
                    rig=HostRig(probe.inside(stage.namespaces), cpu=cpu, stage=stage),
                    environment=with_stage(read_environment(machine, DEVICE, cpu), stage),
                    command=command,
                    is_settled=is_settled,
                    choose_cap=choose_cap,
                    read_load=lambda: read_load(machine),
                )
                runs.append(conduct(design, means, writer, progress))
        except RunCutShortError as error:
            return [*runs, error.run], error
        except KeyboardInterrupt:
            return runs, None  # before its first round
        if _was_interrupted(runs[-1]):
            break
    return runs, None


def _was_interrupted(run: Run) -> bool:
    return run.ending is not None and run.ending.kind is EndingKind.INTERRUPTED


def _file_names(requests: Sequence[Request], output: Path | None) -> list[Path]:
    """Return a file name for each run; several runs of one command share its stem."""
    if output is not None and len(requests) == 1:
        return [output]
    if output is not None and not output.name:
        raise OutputError(f"{output} is no file", mend="name a file with -o")
    stem = output or Path(f"sockmeter-{datetime.now(UTC):%Y%m%dT%H%M%S.%f}"[:-3] + "Z.jsonl")
    return [stem.with_stem(f"{stem.stem}-{request.scenario}") for request in requests]


@contextmanager
def terminate_as_interrupt() -> Iterator[None]:
    """Let SIGTERM and a lost terminal end a run as Ctrl-C does: its rounds are kept and shown."""

    def interrupt(_signum: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {each: signal.signal(each, interrupt) for each in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
