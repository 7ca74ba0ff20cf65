# SPDX-License-Identifier: MIT
"""`sockmeter list`: the words that a plan is made of."""

from typing import Annotated

import typer

from sockmeter.cli import options


def list_words(
    scenario: Annotated[
        str | None, typer.Argument(help="Only this scenario's calls.", show_default=False)
    ] = None,
    format: options.Format = options.OutputFormat.TEXT,
) -> None:
    """List the scenarios, their calls, and the factors that apply to each."""
    from sockmeter.cli.printing import print_tables
    from sockmeter.plan.outbound import SCENARIOS as SENDING_SCENARIOS
    from sockmeter.report.words import call_table, factor_table, scenario_table, sink_table

    tables = {"calls": call_table(scenario)}
    if scenario is None:
        tables = {"scenarios": scenario_table(), **tables, "factors": factor_table()}
    if scenario in (None, *SENDING_SCENARIOS):
        tables["sinks"] = sink_table()
    print_tables(tables, format)
