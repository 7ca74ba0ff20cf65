# SPDX-License-Identifier: MIT
"""What must be put back, written down before it is changed: a file a change, under XDG_STATE_HOME.

Whoever is killed leaves files; the next start puts their values back. A value that somebody has
changed since, and everything from before a reboot, is left as it is. A note is locked for as long
as its process lives, which holds across containers, where a number says nothing of a process.
"""

import fcntl
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from sockmeter.model.errors import OutputError
from sockmeter.rig.turning.locks import locked

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
UNFINISHED = ".part"  # a note that stands for no change yet
FINISHED = ".json"


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One file of the kernel's that a process wrote to."""

    path: str
    old: str
    new: str
    boot_id: str


class Note:
    """A change as it stands on disk; it stays there unless it is dropped."""

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        self._path = path
        self._stream = stream  # its lock is ours until it is closed

    def drop(self) -> None:
        """Remove it: what it stands for is undone."""
        self._path.unlink(missing_ok=True)
        self._stream.close()


class Journal:
    """The changes of this process; `directory` is made when it is first needed."""

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory or journal_directory()

    def keep(self, path: str, old: str, new: str) -> Note:
        """Write down that `path` held `old`; OutputError."""
        boot_id = BOOT_ID.read_text(encoding="ascii").strip()
        change = Change(path=path, old=old, new=new, boot_id=boot_id)
        try:
            return self._write(msgspec.json.encode(change))
        except OSError as error:
            raise OutputError(
                f"{self._directory}: what to put back cannot be written there: {error.strerror}; "
                "nothing is changed without it",
                mend="name a directory that can be written to in XDG_STATE_HOME",
            ) from error

    def _write(self, text: bytes) -> Note:
        """Write a note that is whole, locked and on disk when it gets its name."""
        self._directory.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(UNFINISHED, f"{os.getpid()}-", self._directory)
        stream, part = os.fdopen(descriptor, "wb"), Path(name)
        try:
            fcntl.flock(stream, fcntl.LOCK_EX)
            os.fchmod(descriptor, 0o644)  # another user's start is to see that we live
            stream.write(text)
            stream.flush()
            os.fsync(descriptor)
            return Note(part.rename(part.with_suffix(FINISHED)), stream)
        except OSError:
            part.unlink(missing_ok=True)
            with suppress(OSError):  # it writes what it could not before
                stream.close()
            raise


def restore_leftovers(directory: Path | None = None) -> list[str]:
    """Put back what processes that are gone had changed; return a sentence for each.

    And one for each note that cannot be followed: it stays for the next start.
    """
    where = directory or journal_directory()
    try:
        names = sorted(os.listdir(where))
    except FileNotFoundError:
        return []
    except OSError as error:
        return [f"what killed runs left in {where} cannot be read: {error.strerror}"]
    notes = [where / name for name in names if name.endswith((UNFINISHED, FINISHED))]
    return [sentence for note in notes if (sentence := _settle(note)) is not None]


def journal_directory() -> Path:
    """Return where notes are kept: $XDG_STATE_HOME/sockmeter/restore."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "sockmeter" / "restore"


def _settle(note: Path) -> str | None:
    """Do what a note says, unless its process lives; return what there is to say of it."""
    try:
        with note.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
            if note.suffix == UNFINISHED:
                note.unlink(missing_ok=True)
                return None
            change = msgspec.json.decode(stream.read(), type=Change)
    except (FileNotFoundError, BlockingIOError):
        return None  # taken by another start; of a process that is at work
    except OSError as error:
        return f"{note}, what a killed run is to have put back, cannot be read: {error.strerror}"
    except msgspec.DecodeError:
        return (
            f"{note} is damaged: a killed run may have left a sysctl turned, and which is not "
            "known; look at those that it had in --sysctl, then remove the file"
        )
    return _follow(change, note)


def _follow(change: Change, note: Path) -> str | None:
    """Put back what a note says and remove it; it stays where somebody else has to, or later."""
    owed = f"{change.path} should be {change.old} again"
    try:
        sentence = _restore(change)
    except FileNotFoundError:
        sentence = f"{owed} and is gone"
    except BlockingIOError as error:
        return f"{owed}, and {error.strerror}; the next start puts it back"
    except OSError as error:
        return f"{owed} and cannot be written: {error.strerror}"
    with suppress(OSError):  # somebody else's, from before a reboot
        note.unlink(missing_ok=True)
    return sentence


def _restore(change: Change) -> str | None:
    """Put a value back; return a sentence where there was something to do. Raises OSError."""
    if change.boot_id != BOOT_ID.read_text(encoding="ascii").strip():
        return None
    if change.old.split() == change.new.split():
        return None
    path = Path(change.path)
    with locked(change.path):
        now = path.read_text(encoding="ascii")
        if now.split() == change.old.split():
            return None
        if now.split() != change.new.split():
            return f"{path} was left at {change.new} by a run that was killed; it is {now.strip()}"
        path.write_text(change.old, encoding="ascii")
    return f"{path} is {change.old} again; a run that was killed had left it at {change.new}"
