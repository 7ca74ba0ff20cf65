# SPDX-License-Identifier: MIT
"""The options that explain exact counts, declared once."""

from pathlib import Path
from typing import Annotated

import typer

Functions = Annotated[
    bool, typer.Option("--functions", help="Exact counts: the functions by difference.")
]
Tree = Annotated[
    bool, typer.Option("--tree", help="Exact counts: the tree of calls, with inclusive costs.")
]
Mechanisms = Annotated[
    bool,
    typer.Option(
        "--mechanisms", help="Exact counts: user copies, checks, locks, indirect branches, …"
    ),
]
Rules = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Mechanisms of your own, asked before the project's.  (TOML)"
    ),
]
Flame = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Exact counts: a flame graph (.svg), or folded stacks for a viewer."
    ),
]
