# SPDX-License-Identifier: MIT
"""The console that results go to; it needs nothing that judges, so a light verb stays light."""

import os

from rich.console import Console

PLAIN_WIDTH = (
    160  # columns where stdout is no terminal and COLUMNS says nothing: a pipe has no edge
)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Let who prints decide: Rich would end the process with a code of its own."""
        raise BrokenPipeError


def make_stdout() -> Console:
    """Return the console that results go to; colour only on a terminal and without NO_COLOR."""
    console = _Console(highlight=False, emoji=False, markup=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PLAIN_WIDTH
    return console
