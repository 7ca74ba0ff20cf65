# SPDX-License-Identifier: MIT
"""Files that are written at once: there they are whole, or as they were before."""

import errno
import os
import stat
from pathlib import Path

from sockmeter.model.errors import OutputError


def write_whole(path: Path, text: str, *, replace: bool, mend: str) -> None:
    """Write a file in UTF-8; OutputError where that fails, and then nothing of it is left.

    What replaces an older file grows beside it. A device or a pipe is written on as it is. `mend`
    says how another file is named.
    """
    try:
        if replace and is_special(path):
            path.write_text(text, encoding="utf-8")
        else:
            _write(path, draft_of(path) if replace else path, text)
    except OSError as error:
        raise unwritable(path, error, mend) from error


def prove_writable(path: Path, *, replace: bool, mend: str) -> None:
    """Raise the OutputError that writing the file now would raise; change nothing."""
    try:
        if path.exists():
            if not replace:
                raise FileExistsError
            path.open("r+b", buffering=0).close()
        if not is_special(path):
            draft_of(path).touch(exist_ok=False)
            draft_of(path).unlink()
    except OSError as error:
        raise unwritable(path, error, mend) from error


def unwritable(path: Path, error: OSError, mend: str) -> OutputError:
    """Return what tells a user why a file cannot be written, and what mends it."""
    if isinstance(error, FileExistsError):
        return OutputError(
            f"{path} exists already", mend="take another name, or replace it with --force"
        )
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return OutputError(
        f"{path} cannot be written: {error.strerror}",
        mend=f"free some space, or {mend}" if is_full else mend,
    )


def draft_of(path: Path) -> Path:
    """Return where a file grows that shall take the place of `path`; of a link, of its target."""
    place = path.resolve()
    return place.with_name(f".{place.name}.{os.getpid()}")


def take_place(draft: Path, path: Path) -> None:
    """Put a draft in the place of a file, whose rights it takes over; OSError."""
    place = path.resolve()
    if place.exists():
        draft.chmod(stat.S_IMODE(place.stat().st_mode))
    draft.replace(place)


def is_special(path: Path) -> bool:
    """Say whether `path` is there and is no regular file: it has no place beside it."""
    return path.exists() and not path.is_file()


def _write(path: Path, draft: Path, text: str) -> None:
    stream = draft.open("x", encoding="utf-8")
    try:
        with stream:
            stream.write(text)
        if draft != path:
            take_place(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
