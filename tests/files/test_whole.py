# SPDX-License-Identifier: MIT
"""A file that is written at once is there whole, or as it was before."""

import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from sockmeter.files.whole import prove_writable, write_whole
from sockmeter.model.errors import OutputError

MEND = "name another"
LONG = 100_000 * "a"


@pytest.fixture
def full_disk() -> Iterator[None]:
    """A limit of a file's size stands in for the disk: the write fails in the middle."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_new_file_that_does_not_fit_is_not_there(tmp_path: Path, full_disk: None) -> None:
    with pytest.raises(OutputError, match=r"out\.csv cannot be written: File too large"):
        write_whole(tmp_path / "out.csv", LONG, replace=False, mend=MEND)
    assert [] == list(tmp_path.iterdir())


def test_an_old_file_stays_where_the_new_one_does_not_fit(tmp_path: Path, full_disk: None) -> None:
    old = tmp_path / "out.csv"
    old.write_text("precious")
    with pytest.raises(OutputError, match="File too large"):
        write_whole(old, LONG, replace=True, mend=MEND)
    assert ([old], "precious") == (list(tmp_path.iterdir()), old.read_text())


def test_what_takes_the_place_of_a_file_takes_its_rights_over(tmp_path: Path) -> None:
    old = tmp_path / "out.csv"
    old.write_text("secret")
    old.chmod(0o600)
    write_whole(old, "new", replace=True, mend=MEND)
    assert ("new", 0o600) == (old.read_text(), old.stat().st_mode & 0o777)


def test_an_old_file_is_replaced_only_when_asked(tmp_path: Path) -> None:
    old = tmp_path / "out.csv"
    old.write_text("precious")
    with pytest.raises(OutputError, match=r"exists already; .*--force"):
        write_whole(old, "new", replace=False, mend=MEND)
    assert "precious" == old.read_text()
    write_whole(old, "new", replace=True, mend=MEND)
    assert ([old], "new") == (list(tmp_path.iterdir()), old.read_text())


def test_a_link_leads_to_the_new_file(tmp_path: Path) -> None:
    """As the shell's > does it: the link stays one."""
    (tmp_path / "real").write_text("old")
    link = tmp_path / "link"
    link.symlink_to("real")
    write_whole(link, "new", replace=True, mend=MEND)
    assert (True, "new") == (link.is_symlink(), (tmp_path / "real").read_text())


def test_a_full_device_says_what_frees_it() -> None:
    """/dev/full answers every write with ENOSPC."""
    with pytest.raises(OutputError, match=r"No space left on device; free some space"):
        write_whole(Path("/dev/full"), "text", replace=True, mend=MEND)


def test_a_proof_leaves_nothing_and_changes_nothing(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_text("precious")
    prove_writable(old, replace=True, mend=MEND)
    prove_writable(tmp_path / "new", replace=True, mend=MEND)
    prove_writable(Path(os.devnull), replace=True, mend=MEND)
    assert ([old], "precious") == (list(tmp_path.iterdir()), old.read_text())


@pytest.mark.parametrize(
    ("name", "why"), [("absent/out", "No such file or directory"), (".", "Is a directory")]
)
def test_what_cannot_be_written_is_said_beforehand(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(OutputError, match=f"cannot be written: {why}; {MEND}"):
        prove_writable(tmp_path / name, replace=True, mend=MEND)
