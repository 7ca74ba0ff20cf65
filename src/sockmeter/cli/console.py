# SPDX-License-Identifier: MIT
"""The console that results go to; it needs nothing that judges, so a light verb stays light."""

from rich.console import Console

PLAIN_WIDTH = 160  # columns where stdout is no terminal: a pipe has no edge to wrap at


def make_stdout() -> Console:
    """Return the console that results go to; colour only on a terminal and without NO_COLOR."""
    console = Console(highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    return console
