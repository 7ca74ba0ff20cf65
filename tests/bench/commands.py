# SPDX-License-Identifier: MIT
"""How long the commands take, against an interpreter that does nothing, in turn in one run."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from tests.bench.bounds import Bound

PAIRS = 11
TABLE = Path(__file__).parent.parent / "judge" / "data" / "laight-2019-12-06.csv"
SOCKMETER = [sys.executable, "-m", "sockmeter"]

# An empty interpreter takes about 13 ms on an idle machine of the kind that this was written on:
# help imports Typer and Rich and must answer in 300 ms, an import NumPy and the judge, in 500 ms.
MOST_HELP_RATIO = 23.0
MOST_IMPORT_RATIO = 38.0


def time_commands() -> Iterator[Bound]:
    """Yield the time of commands as multiples of an empty interpreter's."""
    yield _bound("sockmeter --help", [*SOCKMETER, "--help"], MOST_HELP_RATIO)
    with tempfile.TemporaryDirectory() as folder:
        command = [*SOCKMETER, "import", str(TABLE), "--force", "-o", f"{folder}/table.jsonl"]
        yield _bound("sockmeter import", command, MOST_IMPORT_RATIO)


def _bound(name: str, command: Sequence[str], most: float) -> Bound:
    empty = [sys.executable, "-c", "pass"]
    pairs = [(_time_s(command), _time_s(empty)) for _ in range(PAIRS)]
    ratio = median(ours / theirs for ours, theirs in pairs)
    detail = f"median {median(ours for ours, _ in pairs):.3f} s"
    return Bound(name, ratio, most, "times an empty interpreter", detail)


def _time_s(command: Sequence[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began
