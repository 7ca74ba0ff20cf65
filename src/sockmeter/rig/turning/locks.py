# SPDX-License-Identifier: MIT
"""One run at a time turns a setting of the machine: the lock is on the kernel's own file of it.

That file is the same for every user and state directory, a lock on it leaves nothing behind, and
only who may write to it is let to it. It is another file only through another mount of proc, as
containers have: see `machine.py` for what is done about that.
"""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCKS = Path("/proc/locks")


@contextmanager
def locked(path: str) -> Iterator[None]:
    """Keep every other process from `path` for as long as the block lasts, or we live.

    Raises BlockingIOError, which names the process that has it, and OSError for a file that is
    not there or not ours to write to.
    """
    # Not for children: a probe that outlives a killed run would hold what the run no longer does.
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = _holder_of(descriptor)
            raise BlockingIOError(
                errno.EAGAIN,
                f"{holder} is turning {path}: wait for its end, or end it",
            ) from error
        yield
    finally:
        os.close(descriptor)


def _holder_of(descriptor: int) -> str:
    """Return words for the process that has locked the file, from proc_locks(5)."""
    inode = str(os.fstat(descriptor).st_ino)
    try:
        lines = LOCKS.read_text(encoding="ascii").splitlines()
    except OSError:
        lines = []
    for fields in (line.split() for line in lines):
        # 1: FLOCK ADVISORY WRITE 7637 00:15:8594 0 EOF
        if fields[1] == "FLOCK" and fields[5].rpartition(":")[2] == inode:
            return f"process {fields[4]}"
    return "another process"
