# SPDX-License-Identifier: MIT
"""Sysctls of the machine, turned for a segment and put back after it, by one run at a time.

Another run that began while ours had turned one would take our value for the old one, and put
that back. So the first turning locks the sysctl for the rest of the run. Where something else
turns it all the same, in a container or by hand, it is not turned by us again, and that is said.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sockmeter.model.errors import MachineError
from sockmeter.rig.sinks import NamespaceRefusedError
from sockmeter.rig.sinks.sysctls import exchange_file
from sockmeter.rig.turning.journal import Journal, Note
from sockmeter.rig.turning.locks import locked
from sockmeter.rig.turning.undisturbed import undisturbed


class MachineSettings:
    """What a run turns on the machine; `close` ends the run, and so does the process's end."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._locks = ExitStack()
        self._before: dict[str, str] = {}  # the value before the run, by path: locked by us
        self._notes: dict[str, Note] = {}  # of what is turned now
        self._refused: dict[str, NamespaceRefusedError] = {}  # for the rest of the run

    @contextmanager
    def turned(self, path: str, value: str) -> Iterator[None]:
        """Turn the sysctl whose file is `path` for as long as the block lasts.

        Raises NamespaceRefusedError, with all as it was: step `sysctl` for what the kernel or the
        permissions refuse, `lock` where another run turns it, or anything else does. MachineError
        where it cannot be put back: the note of it stays.
        """
        try:
            with undisturbed():
                self._turn(path, value)
            yield
        finally:
            with undisturbed():
                self._put_back(path)

    def close(self) -> None:
        """Put back what an interrupt has left turned, and let other runs turn what this one has."""
        with undisturbed():
            for path in [*self._notes]:
                self._put_back(path)
            self._locks.close()

    def _turn(self, path: str, value: str) -> None:
        """Write the value, noted down beforehand; what it changed before a refusal is to undo."""
        try:
            old = self._claim(path)
            self._notes[path] = self._journal.keep(path, old, value)
            exchange_file(path, value)
            self._note_what_became(path, old, value)
        except OSError as error:
            number = error.errno or errno.EIO
            raise NamespaceRefusedError("sysctl", number, os.strerror(number)) from error

    def _note_what_became(self, path: str, old: str, value: str) -> None:
        """Note the value that the kernel made of ours, by which the next start knows it."""
        now = _read(path)
        if now.split() != value.split():
            asked, self._notes[path] = self._notes[path], self._journal.keep(path, old, now)
            asked.drop()

    def _put_back(self, path: str) -> None:
        """Undo what a note stands for; the note goes only after it."""
        if path not in self._notes:
            return
        try:
            exchange_file(path, self._before[path])
        except OSError as error:
            raise MachineError(
                f"{path} should be {self._before[path]} again and cannot be written: "
                f"{error.strerror}",
                mend="the next start tries it again",
            ) from error
        self._notes.pop(path).drop()

    def _claim(self, path: str) -> str:
        """Return the value before the run: ours to turn, and as it was."""
        if path in self._refused:
            raise self._refused[path]
        if path not in self._before:
            self._before[path] = self._lock(path)
        now, before = _read(path), self._before[path]
        if now != before:
            words = f"something else turns {path}: it was {before} before the run and is {now}"
            raise self._refuse(path, errno.EBUSY, words)
        return before

    def _lock(self, path: str) -> str:
        """Keep other runs from a sysctl until ours ends; return its value."""
        with ExitStack() as stack:
            try:
                stack.enter_context(locked(path))
            except BlockingIOError as error:
                raise self._refuse(path, errno.EAGAIN, str(error.strerror)) from error
            before = _read(path)
            self._locks.callback(stack.pop_all().close)
        return before

    def _refuse(self, path: str, number: int, words: str) -> NamespaceRefusedError:
        """Return the refusal, from now on that of every arm: none is measured by halves."""
        self._refused[path] = NamespaceRefusedError("lock", number, words)
        return self._refused[path]


def _read(path: str) -> str:
    return " ".join(Path(path).read_text(encoding="ascii").split())
