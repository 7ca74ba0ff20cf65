# SPDX-License-Identifier: MIT
"""Conducts a self-test on this machine, keeps its result and prints it."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import msgspec
import typer

from sockmeter.cli.console import make_stdout
from sockmeter.cli.measuring import DEVICE, terminate_as_interrupt
from sockmeter.cli.options import OutputFormat
from sockmeter.cli.outlet import result_outlet
from sockmeter.cli.printing import print_tables
from sockmeter.cli.progress import TimedProgress
from sockmeter.files.states import make_state_directory, write_selftest
from sockmeter.judge.selftest import is_surely_broken, judge_selftest
from sockmeter.model.environment import Environment
from sockmeter.model.errors import JudgementError
from sockmeter.model.selftests import Selftest
from sockmeter.report.selftest import selftest_sentences, selftest_table
from sockmeter.rig.environment import LocalMachine, read_environment
from sockmeter.rig.host import HostRig, choose_cpu
from sockmeter.rig.injection import calibrate, measure
from sockmeter.rig.probe import find_probe

SPIN = """
import os, sys
while os.getppid() == int(sys.argv[1]):
    for _ in range(1_000_000):
        pass
"""


def run_selftest(call: str, *, length_s: float, busy: int, seed: int, format: OutputFormat) -> None:
    """Measure for `length_s` seconds, judge, keep and print; exit 7 for a broken judge.

    Ctrl-C ends the measuring early; what was measured until then is judged.
    """
    began_s = time.monotonic()
    make_state_directory()
    cpu = choose_cpu()
    rig = HostRig(find_probe(), cpu=cpu)
    environment = read_environment(LocalMachine(), DEVICE, cpu)
    with terminate_as_interrupt(), _busy_neighbours(busy):
        injections = calibrate(rig, call, seed)
        left_s = length_s - (time.monotonic() - began_s)
        with TimedProgress("selftest", left_s) as progress:
            run = measure(rig, call, injections, seed=seed, length_s=left_s, watcher=progress)
    result = msgspec.structs.replace(
        judge_selftest(run, injections),
        finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
        kernel=_fact(environment, "kernel.release"),
        boot_id=_fact(environment, "kernel.boot_id"),
        seconds=round(time.monotonic() - began_s, 1),
        busy=busy,
    )
    _print(result, format)
    path = write_selftest(result)
    print(f"kept in {path}; sockmeter doctor quotes it", file=sys.stderr)
    if is_surely_broken(result):
        raise typer.Exit(JudgementError.exit_code)


def _fact(environment: Environment, name: str) -> str | None:
    value = environment.facts[name].value
    return value if isinstance(value, str) else None


@result_outlet()
def _print(result: Selftest, format: OutputFormat) -> None:
    if format is OutputFormat.JSON:
        print(msgspec.json.encode(result).decode())
        return
    print_tables({"trials": selftest_table(result)}, format)
    if format is OutputFormat.TEXT:
        for sentence in selftest_sentences(result):
            make_stdout().print(sentence)


@contextmanager
def _busy_neighbours(count: int) -> Iterator[None]:
    """Keep processes spinning on the machine for the length of the block."""
    # They end with this process, whatever ends it.
    spin = [sys.executable, "-c", SPIN, str(os.getpid())]
    neighbours = [subprocess.Popen(spin) for _ in range(count)]
    try:
        yield
    finally:
        for neighbour in neighbours:
            neighbour.kill()
            neighbour.wait()
