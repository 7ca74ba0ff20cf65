# SPDX-License-Identifier: MIT
"""What must be put back, written down before it is changed: a file a change, under XDG_STATE_HOME.

Whoever is killed leaves files; the next start puts their values back. A value that somebody has
changed since, and everything from before a reboot, is left as it is.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from sockmeter.model.errors import OutputError

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One file of the kernel's that a process wrote to."""

    path: str
    old: str
    new: str
    pid: int
    started: str  # of the process, clock ticks since boot: a number may be used again
    boot_id: str


class Journal:
    """The changes of this process; `directory` is made when it is first needed."""

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory or journal_directory()
        self._count = 0

    @contextmanager
    def kept(self, path: str, old: str, new: str) -> Iterator[None]:
        """Keep a note that `path` held `old` for as long as the block lasts; OutputError."""
        note = self._write(path, old, new)
        try:
            yield
        finally:
            note.unlink(missing_ok=True)

    def _write(self, path: str, old: str, new: str) -> Path:
        change = Change(
            path=path,
            old=old,
            new=new,
            pid=os.getpid(),
            started=_start_of(os.getpid()) or "",
            boot_id=BOOT_ID.read_text(encoding="ascii").strip(),
        )
        self._count += 1
        note = self._directory / f"{os.getpid()}-{self._count}.json"
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            with note.open("wb") as stream:
                stream.write(msgspec.json.encode(change))
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise OutputError(
                f"{note} cannot be written: {error.strerror}; nothing is changed without it",
                mend="name a directory that can be written to in XDG_STATE_HOME",
            ) from error
        return note


def restore_leftovers(directory: Path | None = None) -> list[str]:
    """Put back what processes that are gone had changed; return a sentence for each."""
    where = directory or journal_directory()
    try:
        notes = sorted(where / name for name in os.listdir(where) if name.endswith(".json"))
    except FileNotFoundError:
        return []
    except OSError as error:
        return [f"what killed runs left in {where} cannot be read: {error.strerror}"]
    sentences = []
    for note in notes:
        try:
            change = msgspec.json.decode(note.read_bytes(), type=Change)
        except (OSError, msgspec.DecodeError):
            continue  # cut short before anything was changed, or taken by another start
        if _start_of(change.pid) == change.started:
            continue  # still at work
        sentence = _restore(change)
        if sentence is not None:
            sentences.append(sentence)
        note.unlink(missing_ok=True)
    return sentences


def journal_directory() -> Path:
    """Return where notes are kept: $XDG_STATE_HOME/sockmeter/restore."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "sockmeter" / "restore"


def _restore(change: Change) -> str | None:
    if change.boot_id != BOOT_ID.read_text(encoding="ascii").strip():
        return None
    path = Path(change.path)
    try:
        now = path.read_text(encoding="ascii")
        if now.split() != change.new.split():
            if now.split() == change.old.split():
                return None
            return f"{path} was left at {change.new} by a run that was killed; it is {now.strip()}"
        path.write_text(change.old, encoding="ascii")
    except OSError as error:
        return f"{path} should be {change.old} again and cannot be written: {error.strerror}"
    return f"{path} is {change.old} again; a run that was killed had left it at {change.new}"


def _start_of(pid: int) -> str | None:
    """Return when a process started, the 22nd field of its stat: proc(5); None if it is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return stat.rpartition(")")[2].split()[19]
