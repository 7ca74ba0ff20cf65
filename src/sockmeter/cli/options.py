# SPDX-License-Identifier: MIT
"""The options that verbs share, declared once."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class OutputFormat(StrEnum):
    """How a result is printed on stdout."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"
    COMMIT = "commit"


Format = Annotated[
    OutputFormat, typer.Option("--format", "-f", help="How the result is printed on stdout.")
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Run file to write.  [default: sockmeter-TIME-SCENARIO.jsonl]",
        show_default=False,
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace the run file if it exists.")]
Rounds = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Look once, after N rounds, at 5 %.  [default: the looks]",
        show_default=False,
    ),
]
Looks = Annotated[
    str | None,
    typer.Option(
        metavar="N:SHARE,…",
        help="Rounds at which the run may stop, and the error spent there."
        "  [default: 20:1%,40:1.5%,80:2.5%]",
        show_default=False,
    ),
]
Effect = Annotated[
    str | None,
    typer.Option(
        metavar="SHARE",
        help="Smallest difference that matters, 1% or 0.01.  [default: 1%, or as run]",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(metavar="N", help="Seed of the order of arms in a round.  [default: 1]"),
]
Clock = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="tsc (ticks), cycles (PMU) or clock_gettime (ns).  [default: auto]"
    ),
]
Calls = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Calls per segment; more are made where that takes under 10 ms.  [default: 5000]",
    ),
]
Queue = Annotated[
    int | None,
    typer.Option(metavar="N", help="Messages queued before a burst of timed calls.  [default: 64]"),
]
Rate = Annotated[
    str | None,
    typer.Option(
        metavar="N/s", help="Say what the calls take of one core at so many messages a second."
    ),
]
