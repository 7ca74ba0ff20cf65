# SPDX-License-Identifier: MIT
"""stdout as it may be: of another encoding, full, or closed by whoever read it."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from sockmeter.model.errors import OutputError


def speak_utf8() -> None:
    """Write UTF-8 to files and pipes; on a terminal of another encoding, write what it has."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower() != "utf-8":
            if stream.isatty():
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8")


@contextmanager
def result_outlet() -> Iterator[None]:
    """Print a result: a reader that went away is no failure; a disk that is full is OutputError."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _silence()
    except OSError as error:
        _silence()
        raise OutputError(f"stdout cannot be written: {error.strerror}") from error


def _silence() -> None:
    """Let what is still in the buffer go nowhere, so that leaving does not fail on it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
