# SPDX-License-Identifier: MIT
"""Runs the command as a user does, in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

SOURCE = Path(__file__).parent.parent.parent / "src"


def run_cli(
    *words: str | Path,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    stdout: Path | None = None,
    through: Sequence[str] = (),
) -> subprocess.CompletedProcess[str]:
    """Run `sockmeter` with the words in `cwd`; never raises on its exit code.

    What it prints is captured, or written to the file `stdout`. `through` is a command that
    changes something for the one behind it, as `prlimit` does.
    """
    with (stdout or Path(os.devnull)).open("w") as sink:
        return subprocess.run(
            [*through, sys.executable, "-m", "sockmeter", *map(str, words)],
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": str(SOURCE), "COLUMNS": "160", **(environment or {})},
            stdout=sink if stdout is not None else subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=120,
            check=False,
        )


def start_cli(
    *words: str | Path, cwd: Path, environment: Mapping[str, str]
) -> subprocess.Popen[str]:
    """Start `sockmeter` with the words in `cwd`, and return while it runs."""
    return subprocess.Popen(
        [sys.executable, "-m", "sockmeter", *map(str, words)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(SOURCE), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def only_line(finished: subprocess.CompletedProcess[str]) -> str:
    """Return the one line on stderr; AssertionError where there are more or it is a traceback."""
    assert finished.stderr.count("\n") == 1, finished.stderr
    return finished.stderr.rstrip("\n")
