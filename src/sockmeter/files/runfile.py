# SPDX-License-Identifier: MIT
"""The run file: JSON Lines, one self-describing file, written as rounds finish (docs/run-file.md).

The first line says what was planned and where, then comes a line a round, then how it ended. A
file that was cut short keeps every finished round. No other module knows this format.
"""

from pathlib import Path

import msgspec

from sockmeter.model.counted import CountedRun
from sockmeter.model.errors import RunFileError
from sockmeter.model.imported import ImportedRun
from sockmeter.model.runs import Design, Ending, Round, Run
from sockmeter.model.segments import find_flaw
from sockmeter.plan.designs import ALPHA
from sockmeter.plan.factors import LARGEST_BATCH

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


def encode_header(run: Run) -> bytes:
    """Return the first line of a run: everything but its rounds and its ending."""
    return _encode(_Header(run=msgspec.structs.replace(run, rounds=[], ending=None)))


def encode_imported(imported: ImportedRun) -> bytes:
    """Return the only line of an imported measurement."""
    return _encode(_ImportedHeader(imported=imported))


def encode_counted(counted: CountedRun) -> bytes:
    """Return the only line of a counted run."""
    return _encode(_CountedHeader(counted=counted))


def encode_round(finished: Round) -> bytes:
    """Return the line of a finished round."""
    return _encode(_Line(round=finished))


def encode_ending(ending: Ending) -> bytes:
    """Return the last line."""
    return _encode(_Line(ending=ending))


def _encode(record: msgspec.Struct) -> bytes:
    return _encoder.encode(record) + b"\n"


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
    except (msgspec.DecodeError, RecursionError) as error:
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
    except (msgspec.DecodeError, RecursionError):
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
        except (msgspec.DecodeError, RecursionError) as error:
            raise RunFileError(f"{source}: line {number} is damaged: {error}") from error
        if record.round is not None:
            _check_round(record.round, run, f"{source}: line {number}")
            run.rounds.append(record.round)
        elif record.ending is None:
            raise RunFileError(f"{source}: line {number} holds nothing")
        run = msgspec.structs.replace(run, ending=record.ending)
    return run


def _open(line: bytes, source: str) -> None:
    """Check whose the first line is, and which version."""
    try:
        opening = _opening_decoder.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        raise RunFileError(f"{source} is not a sockmeter run file") from error
    if opening.format != FORMAT:
        raise RunFileError(f"{source} is not a sockmeter run file")
    if opening.version < 1:
        raise RunFileError(f"{source}: there is no format version {opening.version}")
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
    except (msgspec.DecodeError, RecursionError) as error:
        raise RunFileError(f"{source}: line 1 is damaged: {error}") from error
    flaw = _flaw_of(run.design)
    if flaw is not None:
        raise RunFileError(f"{source}: line 1 is damaged: {flaw}")
    return run


def _flaw_of(design: Design) -> str | None:
    """Return what no design can hold, or None."""
    rounds = [look.rounds for look in design.looks]
    alphas = [look.alpha for look in design.looks]
    batches = [arm.factors["batch"] for arm in design.arms if "batch" in arm.factors]
    is_ascending = rounds == sorted(set(rounds)) and min(rounds, default=1) >= 1
    has_error = min(alphas, default=1) > 0 and sum(alphas) <= ALPHA * (1 + 1e-9)
    has_batches = all(isinstance(each, int) and 1 <= each <= LARGEST_BATCH for each in batches)
    flaws = (
        (not design.arms or not design.looks, "a design without arms or looks"),
        (not is_ascending, f"looks after {rounds} rounds"),
        (not has_error, f"looks that spend {alphas}"),
        (not 0 < design.effect < 1, f"an effect of {design.effect}"),
        (not 0 <= design.seed < 2**63, f"a seed of {design.seed}"),
        (not has_batches, f"batches of {batches}"),
    )
    return next((words for is_wrong, words in flaws if is_wrong), None)


def _check_round(finished: Round, run: Run, place: str) -> None:
    arms = len(run.design.arms)
    indices = [segment.arm for segment in finished.segments]
    indices += [refusal.arm for refusal in finished.refusals]
    if finished.number != len(run.rounds) + 1:
        raise RunFileError(f"{place}: round {finished.number}, not {len(run.rounds) + 1}")
    if finished.dropped is None and sorted(indices) != list(range(arms + 1)):
        raise RunFileError(f"{place}: not one segment of each of the {arms} arms")
    if sorted(finished.order) != list(range(arms + 1)):
        raise RunFileError(f"{place}: the order is none of the {arms} arms")
    for segment in finished.segments:
        flaw = find_flaw(segment)
        if flaw is not None and finished.dropped is None:
            raise RunFileError(f"{place}: segment {segment.arm}: {flaw}")
