# SPDX-License-Identifier: MIT
"""Writes a run file line by line, as rounds finish; the format is files/runfile.py's."""

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Self

from sockmeter.files.runfile import (
    encode_counted,
    encode_ending,
    encode_header,
    encode_imported,
    encode_round,
)
from sockmeter.files.whole import draft_of, is_special, prove_writable, take_place, unwritable
from sockmeter.model.counted import CountedRun
from sockmeter.model.errors import OutputError
from sockmeter.model.imported import ImportedRun
from sockmeter.model.runs import Ending, Round, Run

_MEND = "name another file with -o"


class RunWriter:
    """One run file being written; a line that does not fit on the disk is taken back.

    The file is there from its first line on, and takes the place of an older one only then: a run
    that measures nothing leaves nothing and replaces nothing, whatever ends it.
    """

    def __init__(self, path: Path, *, replace: bool) -> None:
        self.path = path
        self._replace = replace
        self._written = path  # where the lines go until the first is whole
        self._stream: BinaryIO | None = None  # from the first line on
        self._length = 0  # bytes of whole lines

    @classmethod
    def create(cls, path: Path, *, replace: bool = False) -> Self:
        """Prove before anything is measured that `path` can be written; else OutputError.

        A file that is there already is kept unless `replace` is given.
        """
        prove_writable(path, replace=replace, mend=_MEND)
        return cls(path, replace=replace)

    def write_header(self, run: Run) -> None:
        """Write the first line: everything of `run` but its rounds and its ending."""
        self._write_first(encode_header(run))

    def write_imported(self, imported: ImportedRun) -> None:
        """Write a whole imported measurement: one line."""
        self._write_first(encode_imported(imported))

    def write_counted(self, counted: CountedRun) -> None:
        """Write a whole counted run: one line."""
        self._write_first(encode_counted(counted))

    def write_round(self, finished: Round) -> None:
        """Append one finished round."""
        self._write_line(encode_round(finished))

    def write_ending(self, ending: Ending) -> None:
        """Append the last line; OutputError where another run took the file's place meanwhile."""
        self._write_line(encode_ending(ending))
        if not self._is_in_place():
            raise OutputError(
                f"{self.path} was replaced by another program meanwhile: this run is in no file"
            )

    def close(self) -> None:
        """Close the file; one that did not get its first line is removed."""
        if self._stream is None:
            return
        is_regular = stat.S_ISREG(os.fstat(self._stream.fileno()).st_mode)
        self._stream.close()
        if is_regular and self._length == 0:
            self._written.unlink(missing_ok=True)

    def _write_first(self, line: bytes) -> None:
        is_device = self._replace and is_special(self.path)
        if self._replace and not is_device:
            self._written = draft_of(self.path)
        try:
            self._stream = self._written.open("r+b" if is_device else "xb", buffering=0)
        except OSError as error:
            raise unwritable(self.path, error, _MEND) from error
        self._write_line(line)
        if self._written != self.path:
            take_place(self._written, self.path)
            self._written = self.path

    def _write_line(self, line: bytes) -> None:
        assert self._stream is not None, "the first line comes first"
        try:
            written = 0
            while written < len(line):
                written += self._stream.write(line[written:])
        except OSError as error:
            # What was written of the line would read as damage; the rounds before it stay.
            # A device or a pipe has nothing to cut.
            with suppress(OSError):
                os.ftruncate(self._stream.fileno(), self._length)
                self._stream.seek(self._length)
            kept = "; the finished rounds are kept" if self._length else ""
            mend = "free some space, or name a file elsewhere with -o"
            raise OutputError(
                f"{self.path} cannot be written on: {error.strerror}{kept}",
                mend=mend if error.errno in (errno.ENOSPC, errno.EDQUOT) else None,
            ) from error
        self._length += len(line)

    def _is_in_place(self) -> bool:
        """Say whether the path still leads to the file that was written."""
        assert self._stream is not None, "the first line comes first"
        ours = os.fstat(self._stream.fileno())
        try:
            there = self.path.stat()
        except OSError:
            return False
        return (ours.st_dev, ours.st_ino) == (there.st_dev, there.st_ino)
