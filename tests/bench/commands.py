# SPDX-License-Identifier: MIT
"""How long the commands take, against an interpreter that does nothing, in turn in one run."""

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from statistics import median

from tests.bench.bounds import Bound

PAIRS = 11
# Python alone takes about 20 ms here; help imports Typer and Rich and must answer in 300 ms.
MOST_HELP_RATIO = 15.0


def time_commands() -> Iterator[Bound]:
    """Yield the time of `--help` as a multiple of an empty interpreter's."""
    python = [sys.executable, "-c", "pass"]
    help_command = [sys.executable, "-m", "sockmeter", "--help"]
    pairs = [(_time_s(help_command), _time_s(python)) for _ in range(PAIRS)]
    yield Bound(
        "sockmeter --help",
        median(ours / empty for ours, empty in pairs),
        MOST_HELP_RATIO,
        "times an empty interpreter",
        f"median {median(ours for ours, _ in pairs):.3f} s",
    )


def _time_s(command: Sequence[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began
