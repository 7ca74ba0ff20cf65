# SPDX-License-Identifier: MIT
"""Lines of a commit message: plain ASCII within 72 columns."""

import textwrap
from collections.abc import Sequence

WIDTH = 72
ASCII = str.maketrans(
    {"−": "-", "±": "+-", "×": "x", "–": "-", "·": ",", "∞": "inf", "µ": "u", "→": "->"}
)


def align(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return indented rows; the first column gives way where they do not fit.

    The three columns behind it hold numbers and stand to the right, further ones to the left.
    """
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    widths[0] = min(widths[0], WIDTH - 2 - sum(widths[1:]) - 2 * (len(widths) - 1))
    lines = []
    for row in rows:
        first, *others = textwrap.wrap(row[0], max(widths[0], 8)) or [""]
        numbers = [
            cell.rjust(width) if column < 3 else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row[1:], widths[1:], strict=True))
        ]
        lines.append("  " + "  ".join([first.ljust(widths[0]), *numbers]))
        lines += [f"    {other}" for other in others]
    return lines


def wrap(text: str) -> list[str]:
    """Return a sentence in lines, all but the first indented."""
    return textwrap.wrap(text, WIDTH, subsequent_indent="  ")


def wrap_command(command: str) -> list[str]:
    """Return a command line as a shell takes it."""
    lines = textwrap.wrap(
        command, WIDTH - 4, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return [*(f"  {line} \\" for line in lines[:-1]), f"  {lines[-1]}"]
