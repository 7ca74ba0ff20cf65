# SPDX-License-Identifier: MIT
"""stdout of another encoding, full, or closed: a result or one line, never a traceback."""

from pathlib import Path

import pytest

from tests.cli.run_cli import only_line, run_cli
from tests.cli.test_compare import write
from tests.judge.test_launches import make_launch


@pytest.mark.parametrize("format", ["text", "json", "csv", "markdown"])
def test_a_pipe_gets_utf8_whatever_the_locale(tmp_path: Path, format: str) -> None:
    path = write(make_launch(1000, 0), tmp_path / "run.jsonl")
    ascii_only = {"PYTHONIOENCODING": "ascii"}
    finished = run_cli("show", path, "-f", format, cwd=tmp_path, environment=ascii_only)
    assert 0 == finished.returncode, finished.stderr
    assert "recvfrom" in finished.stdout


def test_a_full_stdout_is_an_output_error(tmp_path: Path) -> None:
    path = write(make_launch(1000, 0), tmp_path / "run.jsonl")
    finished = run_cli("show", path, "-f", "json", cwd=tmp_path, stdout=Path("/dev/full"))
    assert 5 == finished.returncode
    assert "stdout cannot be written: No space left on device" in only_line(finished)
