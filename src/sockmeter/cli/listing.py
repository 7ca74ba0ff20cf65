# SPDX-License-Identifier: MIT
"""`sockmeter list`: the words that a plan is made of, and which of them this machine takes."""

from typing import TYPE_CHECKING, Annotated

import typer

from sockmeter.cli import options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sockmeter.plan.calls import Call
    from sockmeter.report.words import Here


def list_words(
    scenario: Annotated[
        str | None, typer.Argument(help="Only what applies to this scenario.", show_default=False)
    ] = None,
    format: options.Format = options.OutputFormat.TEXT,
) -> None:
    """List the scenarios, their calls and factors, and what of them can be had here."""
    from sockmeter.cli.printing import print_tables
    from sockmeter.plan.calls import CALLS, calls_of
    from sockmeter.plan.outbound import SCENARIOS as SENDING_SCENARIOS
    from sockmeter.report.words import call_table, factor_table, scenario_table, sink_table

    calls = CALLS if scenario is None else calls_of(scenario)
    here = _look_here(calls)
    tables = {"calls": call_table(calls, here), "factors": factor_table(calls, here)}
    if scenario is None:
        tables = {"scenarios": scenario_table(), **tables}
    if scenario in (None, *SENDING_SCENARIOS):
        tables["sinks"] = sink_table(here)
    print_tables(tables, format)


def _look_here(calls: "Sequence[Call]") -> "Here | None":
    """Return what this machine refuses, found by trying; None, and why on stderr, if it failed."""
    from sockmeter.cli.printing import print_error
    from sockmeter.model.errors import SockmeterError
    from sockmeter.plan.trials import call_arm, turning_arms, value_arms
    from sockmeter.report.refusals import refusal_words
    from sockmeter.report.words import Here
    from sockmeter.rig.health.trials import try_arms
    from sockmeter.rig.host import HostRig, choose_cpu
    from sockmeter.rig.probe import find_probe
    from sockmeter.rig.turning import Journal, open_stage
    from sockmeter.rig.turning.abilities import why_no_sysctls

    call_arms = {(call.scenario, call.name): call_arm(call) for call in calls}
    values, turning = value_arms(calls), turning_arms(calls)
    try:
        with open_stage([*call_arms.values()], Journal()) as stage:
            rig = HostRig(find_probe().inside(stage.namespaces), cpu=choose_cpu(), stage=stage)
            refused_calls, refused_values, refused_turning = (
                {
                    key: None if refusal is None else refusal_words(arms[key], refusal)
                    for key, refusal in zip(arms, try_arms(rig, [*arms.values()]), strict=True)
                }
                for arms in (call_arms, values, turning)
            )
    except SockmeterError as error:
        print_error(error)
        return None
    return Here(
        calls=refused_calls,
        values={**refused_values, **refused_turning, ("sysctl", "any"): why_no_sysctls()},
    )
