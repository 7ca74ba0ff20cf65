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

from sockmeter.cli.options import OutputFormat
from sockmeter.cli.printing import print_views
from sockmeter.cli.progress import Progress
from sockmeter.cli.requests import spell_command
from sockmeter.files.runfile import RunWriter
from sockmeter.judge.assess import assess, choose_cap, is_settled
from sockmeter.model.errors import SockmeterError
from sockmeter.model.runs import Run
from sockmeter.plan.designs import Request, make_design
from sockmeter.report.view import make_view
from sockmeter.rig.conduct import INTERRUPTED, Conduct, RunCutShortError, conduct
from sockmeter.rig.environment import LocalMachine, read_environment, read_load
from sockmeter.rig.host import HostRig, choose_cpu
from sockmeter.rig.probe import find_probe

INTERRUPTED_EXIT_CODE = 130  # 128 + SIGINT, as a shell says it
DEVICE = "lo"  # what the scenarios' traffic crosses


def measure_and_print(
    requests: Sequence[Request], *, output: Path | None, replace: bool, format: OutputFormat
) -> None:
    """Run every request, print what was seen, and exit with what went wrong if something did.

    Whatever ends a run early, its finished rounds are printed and kept.
    """
    designs = [make_design(request) for request in requests]
    names = _file_names(requests, output)
    probe, cpu = find_probe(), choose_cpu()
    machine = LocalMachine()
    failure: SockmeterError | None = None
    runs: list[Run] = []
    with terminate_as_interrupt():
        for request, design, path in zip(requests, designs, names, strict=True):
            writer = RunWriter.create(path, replace=replace)
            means = Conduct(
                rig=HostRig(probe, cpu=cpu),
                environment=read_environment(machine, DEVICE, cpu),
                command=spell_command(request),
                is_settled=lambda run, _: is_settled(run),
                choose_cap=choose_cap,
                read_load=lambda: read_load(machine),
            )
            try:
                with Progress(design) as progress:
                    runs.append(conduct(design, means, writer, progress))
            except RunCutShortError as error:
                failure = error
                runs.append(error.run)
            finally:
                writer.close()
            if failure is not None or _was_interrupted(runs[-1]):
                break
    print_views([make_view(run, assess(run)) for run in runs], format)
    for path in names[: len(runs)]:
        print(
            f"kept in {path}; more of it: sockmeter show {shlex.quote(str(path))}", file=sys.stderr
        )
    if failure is not None:
        raise failure
    if runs and _was_interrupted(runs[-1]):
        raise typer.Exit(INTERRUPTED_EXIT_CODE)


def _was_interrupted(run: Run) -> bool:
    return run.ending is not None and run.ending.reason == INTERRUPTED


def _file_names(requests: Sequence[Request], output: Path | None) -> list[Path]:
    """Return a file name for each run; several runs of one command share its stem."""
    if output is not None and len(requests) == 1:
        return [output]
    stem = output or Path(f"sockmeter-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.jsonl")
    return [stem.with_stem(f"{stem.stem}-{request.scenario}") for request in requests]


@contextmanager
def terminate_as_interrupt() -> Iterator[None]:
    """Let SIGTERM end a run as Ctrl-C does: the rounds so far are kept and shown."""

    def interrupt(_signum: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
