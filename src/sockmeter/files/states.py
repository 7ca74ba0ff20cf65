# SPDX-License-Identifier: MIT
"""Where sockmeter keeps what it learnt of this machine: the last self-test."""

import errno
import os
from pathlib import Path

import msgspec

from sockmeter.files.whole import write_whole
from sockmeter.model.errors import OutputError
from sockmeter.model.selftests import Selftest

_MEND = "name another place in XDG_STATE_HOME"


def state_directory() -> Path:
    """Return the directory of sockmeter's state, after the XDG Base Directory Specification."""
    base = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return Path(base) / "sockmeter"


def make_state_directory() -> Path:
    """Make the directory if need be; OutputError where nothing can be kept in it."""
    directory = state_directory()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        is_writable = os.access(directory, os.W_OK)
    except OSError as error:
        raise _unwritable(directory, error.strerror) from error
    if not is_writable:
        raise _unwritable(directory, os.strerror(errno.EACCES))
    return directory


def _unwritable(path: Path, why: str | None) -> OutputError:
    return OutputError(f"{path} cannot be written: {why}", mend=_MEND)


def write_selftest(selftest: Selftest) -> Path:
    """Keep the result, and say where."""
    path = make_state_directory() / "selftest.json"
    content = msgspec.json.encode(selftest).decode() + "\n"
    write_whole(path, content, replace=True, mend=_MEND)
    return path


def read_selftest() -> Selftest | None:
    """Return the last self-test of this user; None where there is none that can be read."""
    try:
        content = (state_directory() / "selftest.json").read_bytes()
        return msgspec.json.decode(content, type=Selftest)
    except (OSError, msgspec.DecodeError):
        return None
