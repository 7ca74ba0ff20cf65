# SPDX-License-Identifier: MIT
"""`sockmeter list`: the words that a plan is made of, and which of them this machine takes."""

from typing import Annotated

import typer

from sockmeter.cli import options


def list_words(
    scenario: Annotated[
        str | None, typer.Argument(help="Only what applies to this scenario.", show_default=False)
    ] = None,
    format: options.Format = options.OutputFormat.TEXT,
) -> None:
    """List the scenarios, their calls and factors, and what of them can be had here."""
    from sockmeter.cli.printing import print_error, print_restored, print_tables, refuse_commit
    from sockmeter.cli.trying import tried_here
    from sockmeter.model.errors import SockmeterError
    from sockmeter.plan.calls import CALLS, calls_of
    from sockmeter.plan.outbound import SCENARIOS as SENDING_SCENARIOS
    from sockmeter.report.words import Here, call_table, factor_table, scenario_table, sink_table
    from sockmeter.rig.turning import restore_leftovers

    refuse_commit(format)
    calls = CALLS if scenario is None else calls_of(scenario)
    print_restored(restore_leftovers())
    try:
        here = tried_here(calls)
    except SockmeterError as error:
        print_error(error)
        here = Here()
    tables = {"calls": call_table(calls, here), "factors": factor_table(calls, here)}
    if scenario is None:
        tables = {"scenarios": scenario_table(), **tables}
    if scenario in (None, *SENDING_SCENARIOS):
        tables["sinks"] = sink_table(here)
    print_tables(tables, format)
