# SPDX-License-Identifier: MIT
"""The process that holds a network namespace, by its standard streams."""

import os
import subprocess
import sys

from sockmeter.rig.sinks.namespace import HOLDER
from tests.cli.run_cli import SOURCE


def test_a_holder_whose_rig_was_killed_ends_quietly() -> None:
    """Nobody is there for its first answer: a network of its own, or why there is none."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        finished = subprocess.run(
            [sys.executable, "-m", HOLDER],
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
            check=False,
            text=True,
            timeout=60,
        )
    finally:
        os.close(writing)
    assert (0, "") == (finished.returncode, finished.stderr)
