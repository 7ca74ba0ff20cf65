# SPDX-License-Identifier: MIT
"""The run file: JSON Lines, one self-describing file, written as rounds finish (docs/run-file.md).

The first line says what was planned and where, then comes a line a round, then how it ended. A
file that was cut short keeps every finished round. No other module knows this format.
"""

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Self

import msgspec

from sockmeter.model.counted import CountedRun
from sockmeter.model.errors import OutputError, RunFileError
from sockmeter.model.imported import ImportedRun
from sockmeter.model.runs import Design, Ending, Round, Run
from sockmeter.model.segments import find_flaw

FORMAT = "sockmeter run"
VERSION = 1

_MEASURED, _IMPORTED, _COUNTED = "a run", "an imported measurement", "a counted run"


class _Opening(msgspec.Struct):
    """As much of a first line as tells whose it is and which version."""

    format: str
    version: int
    imported: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    counted: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class _Header(msgspec.Struct, kw_only=True):
    """The first line; its run holds no rounds yet and no ending."""

    format: str = FORMAT
    version: int = VERSION
    run: Run


class _ImportedHeader(msgspec.Struct, kw_only=True):
    """The only line of a file that holds an imported measurement."""

    format: str = FORMAT
    version: int = VERSION
    imported: ImportedRun


class _CountedHeader(msgspec.Struct, kw_only=True):
    """The only line of a file that holds a counted run."""

    format: str = FORMAT
    version: int = VERSION
    counted: CountedRun


class _Line(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Every other line: one of the two."""

    round: Round | None = None
    ending: Ending | None = None


_encoder = msgspec.json.Encoder()
_opening_decoder = msgspec.json.Decoder(_Opening)
_header_decoder = msgspec.json.Decoder(_Header)
_imported_decoder = msgspec.json.Decoder(_ImportedHeader)
_counted_decoder = msgspec.json.Decoder(_CountedHeader)
_line_decoder = msgspec.json.Decoder(_Line)


class RunWriter:
    """Writes one run file, line by line; a line that does not fit on the disk is taken back."""

    def __init__(self, path: Path, stream: BinaryIO, *, is_new: bool) -> None:
        self.path = path
        self._stream = stream
        self._is_new = is_new
        self._length = 0  # bytes of whole lines

    @classmethod
    def create(cls, path: Path, *, replace: bool = False) -> Self:
        """Open `path` before anything is measured; OutputError if that cannot be.

        A file that is there already is kept unless `replace` is given, and then until the header
        is written: a run that measures nothing replaces nothing.
        """
        is_new = not path.exists()
        try:
            stream = path.open("r+b" if replace and not is_new else "xb", buffering=0)
        except FileExistsError as error:
            raise OutputError(
                f"{path} exists already", mend="take another name, or replace it with --force"
            ) from error
        except OSError as error:
            raise OutputError(
                f"{path} cannot be written: {error.strerror}", mend="name another file with -o"
            ) from error
        return cls(path, stream, is_new=is_new)

    def write_header(self, run: Run) -> None:
        """Write the first line: everything of `run` but its rounds and its ending."""
        self._truncate()
        self._write_line(_Header(run=msgspec.structs.replace(run, rounds=[], ending=None)))

    def write_imported(self, imported: ImportedRun) -> None:
        """Write a whole imported measurement: one line."""
        self._truncate()
        self._write_line(_ImportedHeader(imported=imported))

    def write_counted(self, counted: CountedRun) -> None:
        """Write a whole counted run: one line."""
        self._truncate()
        self._write_line(_CountedHeader(counted=counted))

    def write_round(self, finished: Round) -> None:
        """Append one finished round."""
        self._write_line(_Line(round=finished))

    def write_ending(self, ending: Ending) -> None:
        """Append the last line."""
        self._write_line(_Line(ending=ending))

    def close(self) -> None:
        """Close the file; one that was made for a run that measured nothing is removed."""
        self._stream.close()
        if self._is_new and self._length == 0:
            self.path.unlink(missing_ok=True)

    def _write_line(self, record: object) -> None:
        line = _encoder.encode(record) + b"\n"
        try:
            written = 0
            while written < len(line):
                written += self._stream.write(line[written:])
        except OSError as error:
            # What was written of the line would read as damage; the rounds before it stay.
            self._truncate()
            mend = "free some space, or name a file elsewhere with -o"
            raise OutputError(
                f"{self.path} cannot be written on: {error.strerror}; the finished rounds are kept",
                mend=mend if error.errno in (errno.ENOSPC, errno.EDQUOT) else None,
            ) from error
        self._length += len(line)

    def _truncate(self) -> None:
        """Cut the file after its last whole line; a device or a pipe has nothing to cut."""
        with suppress(OSError):
            os.ftruncate(self._stream.fileno(), self._length)


def read_run(path: Path) -> Run:
    """Return the run in `path`; a line that was cut short at the end is left out.

    Raises RunFileError for a file that cannot be read, is no run file, is damaged, or was written
    by a newer sockmeter.
    """
    return parse_run(_read(path), str(path))


def read_measurement(path: Path) -> Run | ImportedRun | CountedRun:
    """Return what is in `path`; errors as in `read_run`."""
    return parse_measurement(_read(path), str(path))


def parse_measurement(content: bytes, source: str) -> Run | ImportedRun | CountedRun:
    """Return what the bytes of a file hold; `source` names it in errors."""
    line = content.partition(b"\n")[0]
    kind = _kind_of(line)
    if not content.endswith(b"\n") or kind == _MEASURED:
        return parse_run(content, source)
    _open(line, source)
    if content.count(b"\n") > 1:
        raise RunFileError(f"{source}: line 2: something follows {kind}")
    try:
        if kind == _COUNTED:
            return _counted_decoder.decode(line).counted
        return _imported_decoder.decode(line).imported
    except msgspec.DecodeError as error:
        raise RunFileError(f"{source}: line 1 is damaged: {error}") from error


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise RunFileError(f"{path} cannot be read: {error.strerror}") from error


def _kind_of(line: bytes) -> str:
    """Return what a first line opens; a line that is none counts as a measured run's."""
    try:
        opening = _opening_decoder.decode(line)
    except msgspec.DecodeError:
        return _MEASURED
    if opening.counted is not msgspec.UNSET:
        return _COUNTED
    return _MEASURED if opening.imported is msgspec.UNSET else _IMPORTED


def parse_run(content: bytes, source: str) -> Run:
    """Return the run that the bytes of a file hold; `source` names it in errors."""
    lines = content.split(b"\n")
    lines.pop()  # empty after the last newline, or a line that was cut short
    if not lines:
        raise RunFileError(f"{source} is not a sockmeter run file, or was cut short at its start")
    run = _read_header(lines[0], source)
    for number, line in enumerate(lines[1:], start=2):
        if run.ending is not None:
            raise RunFileError(f"{source}: line {number}: something follows the ending")
        try:
            record = _line_decoder.decode(line)
        except msgspec.DecodeError as error:
            raise RunFileError(f"{source}: line {number} is damaged: {error}") from error
        if record.round is not None:
            run.rounds.append(_check_round(record.round, run.design, source, number))
        run = msgspec.structs.replace(run, ending=record.ending)
    return run


def _open(line: bytes, source: str) -> None:
    """Check whose the first line is, and which version."""
    try:
        opening = _opening_decoder.decode(line)
    except msgspec.DecodeError as error:
        raise RunFileError(f"{source} is not a sockmeter run file") from error
    if opening.format != FORMAT:
        raise RunFileError(f"{source} is not a sockmeter run file")
    if opening.version > VERSION:
        raise RunFileError(
            f"{source} has format version {opening.version}; this sockmeter reads up to {VERSION}",
            mend="update sockmeter",
        )


def _read_header(line: bytes, source: str) -> Run:
    _open(line, source)
    kind = _kind_of(line)
    if kind != _MEASURED:
        raise RunFileError(
            f"{source} holds {kind}: no rounds to judge",
            mend=f"see: sockmeter show {source}",
        )
    try:
        run = _header_decoder.decode(line).run
    except msgspec.DecodeError as error:
        raise RunFileError(f"{source}: line 1 is damaged: {error}") from error
    if not run.design.arms or not run.design.looks:
        raise RunFileError(f"{source}: line 1 is damaged: a design without arms or looks")
    return run


def _check_round(finished: Round, design: Design, source: str, number: int) -> Round:
    arms = len(design.arms)
    indices = [segment.arm for segment in finished.segments]
    indices += [refusal.arm for refusal in finished.refusals]
    if finished.dropped is None and sorted(indices) != list(range(arms + 1)):
        raise RunFileError(f"{source}: line {number}: not one segment of each of the {arms} arms")
    if sorted(finished.order) != list(range(arms + 1)):
        raise RunFileError(f"{source}: line {number}: the order is none of the {arms} arms")
    for segment in finished.segments:
        flaw = find_flaw(segment)
        if flaw is not None:
            raise RunFileError(f"{source}: line {number}: segment {segment.arm}: {flaw}")
    return finished
