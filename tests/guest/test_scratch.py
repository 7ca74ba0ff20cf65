# SPDX-License-Identifier: MIT
"""A guest's directory vanishes with its maker; if the maker is killed, with the next one made."""

import subprocess
import sys
from pathlib import Path

import pytest

from sockmeter.guest.scratch import scratch_directory

SOURCE = Path(__file__).parents[2] / "src"
MAKER = """
import sys
from pathlib import Path
from sockmeter.guest.scratch import scratch_directory
with scratch_directory(Path(sys.argv[1])) as directory:
    (directory / "console").touch()
    print(directory, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def maker(tmp_path: Path) -> subprocess.Popen[str]:
    """Return a process that keeps a directory below `tmp_path` until its stdin ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", MAKER, str(tmp_path)],
        env={"PYTHONPATH": str(SOURCE)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_a_directory_vanishes_with_what_is_in_it(tmp_path: Path) -> None:
    with scratch_directory(tmp_path) as directory:
        (directory / "console").touch()
        assert [directory] == list(tmp_path.iterdir())
    assert [] == list(tmp_path.iterdir())


def test_a_killed_ones_directory_goes_when_the_next_is_made(
    tmp_path: Path, maker: subprocess.Popen[str]
) -> None:
    maker.kill()
    maker.communicate()
    assert 1 == len(list(tmp_path.iterdir()))
    with scratch_directory(tmp_path) as directory:
        assert [directory] == list(tmp_path.iterdir())


def test_a_living_ones_directory_is_left_alone(
    tmp_path: Path, maker: subprocess.Popen[str]
) -> None:
    with scratch_directory(tmp_path):
        assert 2 == len(list(tmp_path.iterdir()))
    assert 1 == len(list(tmp_path.iterdir()))
    maker.communicate()
    assert [] == list(tmp_path.iterdir())


def test_other_things_in_the_same_place_are_left_alone(tmp_path: Path) -> None:
    """A link or a file of that name, and directories of other names."""
    (tmp_path / "precious").mkdir()
    (tmp_path / "sockmeter-boot-link").symlink_to("precious")
    (tmp_path / "sockmeter-boot-file").touch()
    with scratch_directory(tmp_path):
        pass
    assert 3 == len(list(tmp_path.iterdir()))
