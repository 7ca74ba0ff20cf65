# SPDX-License-Identifier: MIT
"""Lines of a commit message: plain ASCII within 72 columns."""

import re
import textwrap
from collections.abc import Iterator, Sequence

WIDTH = 72
LEAST_NAME = 8  # what the first column keeps
ASCII = str.maketrans(
    {"−": "-", "±": "+-", "×": "x", "–": "-", "·": ",", "∞": "inf", "µ": "u", "→": "->"}
)


_PIECES = re.compile(r"[^ ._=/-]*[ ._=/-]")


def plain(text: str) -> str:
    """Return a text in ASCII; a percentage as one word."""
    return re.sub(r"(?<=[0-9∞]) %", "%", text).translate(ASCII)


def align(rows: Sequence[Sequence[str]], *, numbers: int = 3) -> list[str]:
    """Return indented rows; the first column gives way where they do not fit.

    So many columns behind it hold numbers and stand to the right, further ones to the left.
    """
    rows = [[plain(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    widths[0] = min(widths[0], WIDTH - 2 - sum(widths[1:]) - 2 * (len(widths) - 1))
    lines = []
    for row in rows:
        first, *others = _fold(row[0], max(widths[0], LEAST_NAME))
        cells = [
            cell.rjust(width) if column < numbers else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row[1:], widths[1:], strict=True))
        ]
        lines.append("  " + "  ".join([first.ljust(widths[0]), *cells]))
        lines += [f"    {other}" for other in others]
    return lines


def wrap(text: str) -> list[str]:
    """Return a sentence in lines, all but the first indented."""
    return textwrap.wrap(plain(text), WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def wrap_command(command: str) -> list[str]:
    """Return a command line as a shell takes it."""
    lines = textwrap.wrap(
        command, WIDTH - 4, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return [*(f"  {line} \\" for line in lines[:-1]), f"  {lines[-1]}"]


def _fold(name: str, width: int) -> Iterator[str]:
    """Yield what of a name fits the width, then the rest in whole lines.

    It is broken between words; a word that is too long, behind a mark that joins two.
    """
    lines = textwrap.wrap(name, width, break_long_words=False, break_on_hyphens=False) or [""]
    first = lines[0] if len(lines[0]) <= width else _pieces(lines[0], width)
    yield first
    rest = name[len(first) :].strip()
    yield from textwrap.wrap(rest, WIDTH - 4, break_on_hyphens=False)


def _pieces(word: str, width: int) -> str:
    """Return the pieces that fit, or the letters that do where not even the first one does."""
    fitting = ""
    for piece in _PIECES.findall(word):
        if len(fitting + piece) > width:
            break
        fitting += piece
    return fitting or word[:width]
