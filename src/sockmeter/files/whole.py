# SPDX-License-Identifier: MIT
"""Files that are written at once: there they are whole, or as they were before."""

import errno
import os
from pathlib import Path

from sockmeter.model.errors import OutputError


def write_whole(path: Path, text: str, *, replace: bool) -> None:
    """Write a file in UTF-8; OutputError where that fails, and then nothing of it is left.

    What replaces an older file grows beside it. A device or a pipe is written on as it is.
    """
    try:
        if replace and _is_special(path):
            path.write_text(text, encoding="utf-8")
        else:
            _write(path, _draft(path) if replace else path, text)
    except OSError as error:
        raise _unwritable(path, error) from error


def prove_writable(path: Path) -> None:
    """Raise the OutputError that `write_whole` with `replace` would raise now; change nothing."""
    try:
        if path.exists():
            path.open("r+b", buffering=0).close()
        if not _is_special(path):
            _draft(path).touch(exist_ok=False)
            _draft(path).unlink()
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> OutputError:
    """Return what tells a user why a file cannot be written, and what mends it."""
    if isinstance(error, FileExistsError):
        return OutputError(
            f"{path} exists already", mend="take another name, or replace it with --force"
        )
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    mend = "free some space, or name a file elsewhere" if is_full else "name another file"
    return OutputError(f"{path} cannot be written: {error.strerror}", mend=mend)


def _write(path: Path, draft: Path, text: str) -> None:
    stream = draft.open("x", encoding="utf-8")
    try:
        with stream:
            stream.write(text)
        if draft != path:
            draft.replace(path.resolve())
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _draft(path: Path) -> Path:
    place = path.resolve()  # of a link: the link stays one
    return place.with_name(f".{place.name}.{os.getpid()}")


def _is_special(path: Path) -> bool:
    return path.exists() and not path.is_file()
