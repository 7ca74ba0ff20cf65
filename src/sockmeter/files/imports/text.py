# SPDX-License-Identifier: MIT
"""From the bytes of a file to lines: text only, of a size that somebody measured on purpose."""

import re
import sys
from pathlib import Path

from sockmeter.files.imports.content import Source
from sockmeter.model.errors import RunFileError

MOST_BYTES = 64 << 20
_QUOTE = re.compile(r"(?:> ?)+(?!=)")
_SPACED_QUOTE = re.compile(r"(?:>)+ (?:> ?)*")


def read_source(path: Path) -> Source:
    """Return the text in `path`, "-" being stdin; RunFileError where there is none."""
    name = "stdin" if str(path) == "-" else str(path)
    try:
        if str(path) == "-":
            content = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with path.open("rb") as stream:
                content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise RunFileError(f"{name} cannot be read: {error.strerror}") from error
    return decode(content, name)


def decode(content: bytes, name: str) -> Source:
    """Return the lines of a text; RunFileError for what is binary, empty or too large."""
    if len(content) > MOST_BYTES:
        raise RunFileError(f"{name} is larger than {MOST_BYTES >> 20} MiB")
    if b"\0" in content:
        raise RunFileError(f"{name} is binary: a zero byte at offset {content.index(0)}")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RunFileError(
            f"{name} is binary: no UTF-8 text at offset {error.start}",
            mend="convert other encodings with iconv",
        ) from error
    if not text.strip():
        raise RunFileError(f"{name} is empty")
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    return Source(name, _unquote(lines) if ">" in text else lines)


def _unquote(lines: list[str]) -> list[str]:
    """Take the marks of quoting away; without a space after it, > is one only where most have it.

    A row of the costs from 8256 up may well begin with >8256 or >=8256.
    """
    quoted = sum(line.startswith(">") for line in lines)
    written = sum(line.strip() != "" for line in lines)
    mark = _QUOTE if 2 * quoted > written else _SPACED_QUOTE
    return [mark.sub("", line, count=1) if line.startswith(">") else line for line in lines]
