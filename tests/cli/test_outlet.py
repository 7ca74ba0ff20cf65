# SPDX-License-Identifier: MIT
"""Results where they cannot go: a full disk, another encoding. One line, and nothing half done."""

from pathlib import Path

import pytest

from tests.cli.run_cli import only_line, run_cli
from tests.cli.test_compare import write
from tests.files.test_versions import FOLDER
from tests.judge.test_launches import make_launch

COUNTED = FOLDER / "counted-1.jsonl"


@pytest.mark.parametrize("format", ["text", "json", "csv", "markdown"])
def test_a_pipe_gets_utf8_whatever_the_locale(tmp_path: Path, format: str) -> None:
    path = write(make_launch(1000, 0), tmp_path / "run.jsonl")
    ascii_only = {"PYTHONIOENCODING": "ascii"}
    finished = run_cli("show", path, "-f", format, cwd=tmp_path, environment=ascii_only)
    assert 0 == finished.returncode, finished.stderr
    assert "recvfrom" in finished.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["show", "run.jsonl", "-f", "json"],
        ["show", "run.jsonl"],
        ["show", COUNTED],
        ["show", COUNTED, "-f", "csv"],
        ["export", "run.jsonl", "--to", "csv"],
        ["export", "run.jsonl", "--to", "json"],
        ["list"],
    ],
)
def test_a_full_stdout_is_an_output_error(tmp_path: Path, words: list[str | Path]) -> None:
    write(make_launch(1000, 0), tmp_path / "run.jsonl")
    finished = run_cli(*words, cwd=tmp_path, stdout=Path("/dev/full"))
    assert 5 == finished.returncode
    assert "stdout cannot be written: No space left on device" in only_line(finished)


@pytest.mark.parametrize(
    "words",
    [
        ["export", "run.jsonl", "--to", "json", "-o", "out"],
        ["export", "run.jsonl", "--to", "json", "-o", "out", "--force"],
        ["show", COUNTED, "--flame", "out"],
        ["compare", "run.jsonl", "--fail-on", "slower", "--junit", "out"],
    ],
)
def test_a_file_that_does_not_fit_is_not_there(tmp_path: Path, words: list[str | Path]) -> None:
    """A file size limit stands in for the disk."""
    path = write(make_launch(1000, 0), tmp_path / "run.jsonl")
    finished = run_cli(*words, cwd=tmp_path, through=["prlimit", "--fsize=50"])
    assert 5 == finished.returncode
    assert "out cannot be written: File too large" in only_line(finished)
    assert [path] == list(tmp_path.iterdir())


def test_a_gate_that_could_not_be_judged_leaves_no_report(tmp_path: Path) -> None:
    words = ["absent.jsonl", "--fail-on", "slower", "--junit", "gate.xml"]
    assert 4 == run_cli("compare", *words, cwd=tmp_path).returncode
    assert [] == list(tmp_path.iterdir())
