# SPDX-License-Identifier: MIT
"""Directories for a guest's files. Of one whose maker was killed, the next to make one gets rid."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PREFIX = "sockmeter-boot-"


@contextmanager
def scratch_directory(below: Path | None = None) -> Iterator[Path]:
    """Give a directory that vanishes afterwards, in the system's temporary one if None.

    It is locked as long as its maker lives: whatever of that name is not, is a dead one's.
    """
    base = below or Path(tempfile.gettempdir())
    _sweep(base)
    directory, lock = _make(base)
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)
        os.close(lock)


def _make(base: Path) -> tuple[Path, int]:
    while True:
        directory = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
        lock = _lock(directory)
        if lock is not None:  # else another's sweep was faster
            return directory, lock


def _sweep(base: Path) -> None:
    for directory in base.glob(f"{_PREFIX}*"):
        lock = _lock(directory)
        if lock is not None:
            shutil.rmtree(directory, ignore_errors=True)
            os.close(lock)


def _lock(directory: Path) -> int | None:
    """Return a descriptor that holds the lock; None where it is held, or the directory not ours."""
    try:
        lock = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if directory.exists() and os.fstat(lock).st_uid == os.geteuid():
            return lock
    except BlockingIOError:
        pass
    os.close(lock)
    return None
