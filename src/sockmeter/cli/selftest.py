# SPDX-License-Identifier: MIT
"""`sockmeter selftest`: is the judge to be trusted on this machine, and what can it resolve?"""

from typing import Annotated

import typer

from sockmeter.cli import options

SHORT_SECONDS = 90
FULL_SECONDS = 900


def selftest(
    full: Annotated[
        bool,
        typer.Option(
            "--full", help=f"Take {FULL_SECONDS // 60} minutes instead of {SHORT_SECONDS} seconds."
        ),
    ] = False,
    seconds: Annotated[
        int | None, typer.Option(metavar="N", min=10, help="Take so long.", show_default=False)
    ] = None,
    call: Annotated[
        str, typer.Option(metavar="CALL", help="The receive to test with.")
    ] = "recvmsg",
    busy: Annotated[
        int, typer.Option(metavar="N", min=0, max=64, help="Keep N neighbours busy meanwhile.")
    ] = 0,
    seed: options.Seed = None,
    format: options.Format = options.OutputFormat.TEXT,
) -> None:
    """Test the judge here: false alarms of identical arms, and whether injected work is found.

    Work of 1, 2 and 5 % of the call is injected inside the timed region. The result is kept, and
    doctor quotes it.
    """
    from sockmeter.cli.selftesting import run_selftest

    length_s = seconds or (FULL_SECONDS if full else SHORT_SECONDS)
    run_selftest(
        call, length_s=length_s, busy=busy, seed=1 if seed is None else seed, format=format
    )
