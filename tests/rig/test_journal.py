# SPDX-License-Identifier: MIT
"""What a killed run changed is put back by the next start."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from sockmeter.model.errors import OutputError
from sockmeter.rig.turning.journal import BOOT_ID, Change, Journal, restore_leftovers
from sockmeter.rig.turning.locks import locked


def make_change(path: Path, **fields: object) -> Change:
    defaults: dict[str, object] = {
        "path": str(path),
        "old": "0",
        "new": "1",
        "boot_id": BOOT_ID.read_text().strip(),
    }
    return msgspec.convert(defaults | fields, Change)


def leave_note(directory: Path, change: Change) -> Path:
    """Write the note of a process that is gone: nobody has locked it."""
    note = directory / "1-1.json"
    note.write_bytes(msgspec.json.encode(change))
    return note


@pytest.fixture
def setting(tmp_path: Path) -> Path:
    """Return a file that stands for a sysctl, at the value that a run has given it."""
    path = tmp_path / "setting"
    path.write_text("1\n")
    return path


def test_a_note_lasts_as_long_as_the_change(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "notes")
    kept = journal.keep("/proc/sys/net/x", "0", "1")
    (note,) = (tmp_path / "notes").iterdir()
    change = msgspec.json.decode(note.read_bytes(), type=Change)
    assert ("/proc/sys/net/x", "0", "1") == (change.path, change.old, change.new)
    kept.drop()
    assert [] == list((tmp_path / "notes").iterdir())


def test_what_a_dead_process_changed_is_put_back(tmp_path: Path, setting: Path) -> None:
    (notes := tmp_path / "notes").mkdir()
    leave_note(notes, make_change(setting))
    (sentence,) = restore_leftovers(notes)
    assert "0" == setting.read_text()
    assert f"{setting} is 0 again" in sentence
    assert [] == restore_leftovers(notes)


def test_what_a_living_process_changed_is_its_own(tmp_path: Path, setting: Path) -> None:
    (notes := tmp_path / "notes").mkdir()
    note = Journal(notes).keep(str(setting), "0", "1")
    assert [] == restore_leftovers(notes)
    assert "1\n" == setting.read_text()
    note.drop()


def test_nothing_is_put_back_under_a_run_that_turns_it(tmp_path: Path, setting: Path) -> None:
    """Of another user, or with another state directory, whose notes are not seen."""
    (notes := tmp_path / "notes").mkdir()
    leave_note(notes, make_change(setting))
    with locked(str(setting)):
        (sentence,) = restore_leftovers(notes)
        assert "1\n" == setting.read_text()
    assert f"process {os.getpid()} is turning {setting}" in sentence
    assert 1 == len(restore_leftovers(notes))
    assert "0" == setting.read_text()


def test_what_cannot_be_put_back_yet_is_not_forgotten(tmp_path: Path) -> None:
    (notes := tmp_path / "notes").mkdir()
    note = leave_note(notes, make_change(tmp_path))  # a directory: nobody may write to it
    for _ in range(2):
        (sentence,) = restore_leftovers(notes)
        assert "should be 0 again and cannot be written: Is a directory" in sentence
    assert note.exists()


def test_a_value_that_was_turned_to_itself_needs_no_word(tmp_path: Path, setting: Path) -> None:
    (notes := tmp_path / "notes").mkdir()
    for value in ("0\n", "2\n"):
        setting.write_text(value)
        leave_note(notes, make_change(setting, new="0"))
        assert [] == restore_leftovers(notes)
        assert value == setting.read_text()
        assert [] == list(notes.iterdir())


def test_what_somebody_has_changed_since_is_left(tmp_path: Path, setting: Path) -> None:
    (notes := tmp_path / "notes").mkdir()
    setting.write_text("2\n")
    leave_note(notes, make_change(setting))
    (sentence,) = restore_leftovers(notes)
    assert "2\n" == setting.read_text()
    assert "it is 2" in sentence


def test_what_was_put_back_already_needs_no_word(tmp_path: Path, setting: Path) -> None:
    (notes := tmp_path / "notes").mkdir()
    setting.write_text("0\n")
    leave_note(notes, make_change(setting))
    assert [] == restore_leftovers(notes)
    assert [] == list(notes.iterdir())


def test_a_reboot_has_put_everything_back(tmp_path: Path, setting: Path) -> None:
    (notes := tmp_path / "notes").mkdir()
    leave_note(notes, make_change(setting, boot_id="another"))
    assert [] == restore_leftovers(notes)
    assert "1\n" == setting.read_text()
    assert [] == list(notes.iterdir())


def test_a_note_that_was_cut_short_stands_for_no_change(tmp_path: Path) -> None:
    """It has its name, whole and synced, before anything is changed."""
    (tmp_path / "1-1.part").write_text('{"path": "/proc')
    assert [] == restore_leftovers(tmp_path)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["garbage\n", "", '{"path": "/proc/sys/net/x"}'])
def test_a_damaged_note_is_named_until_it_is_removed(tmp_path: Path, text: str) -> None:
    (note := tmp_path / "1-1.json").write_text(text)
    for _ in range(2):
        (sentence,) = restore_leftovers(tmp_path)
        assert sentence.startswith(f"{note} is damaged: ")
        assert sentence.endswith("then remove the file")
    note.unlink()
    assert [] == restore_leftovers(tmp_path)


def test_notes_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    assert [] == restore_leftovers(tmp_path / "nothing")
    (tmp_path / "file").write_text("")
    (sentence,) = restore_leftovers(tmp_path / "file")
    assert "cannot be read: Not a directory" in sentence


def test_nothing_is_changed_where_no_note_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="nothing is changed without it"):
        Journal(tmp_path / "file").keep("/proc/sys/net/x", "0", "1")


def test_a_killed_process_is_put_right_by_the_next(tmp_path: Path, setting: Path) -> None:
    """The whole way, with a process that is killed while its change stands."""
    setting.write_text("0\n")
    script = (
        "import os, pathlib, signal\n"
        "from sockmeter.rig.turning.journal import Journal\n"
        "from sockmeter.rig.turning.machine import MachineSettings\n"
        f"settings = MachineSettings(Journal(pathlib.Path({str(tmp_path / 'notes')!r})))\n"
        f"with settings.turned({str(setting)!r}, '1'):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script],
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert -9 == finished.returncode
    assert "1" == setting.read_text()
    assert 1 == len(restore_leftovers(tmp_path / "notes"))
    assert "0" == setting.read_text()
