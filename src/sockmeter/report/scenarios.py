# SPDX-License-Identifier: MIT
"""Which scenarios have a second table: a row here, and a module scenario_<name> that makes it."""

from collections.abc import Callable

from sockmeter.judge.assess import Assessment
from sockmeter.model.runs import Run
from sockmeter.report.figures import Figures
from sockmeter.report.scenario_bulk import bulk_figures
from sockmeter.report.scenario_channels import channels_figures
from sockmeter.report.scenario_rings import ring_figures
from sockmeter.report.scenario_rr import rr_figures

SCENARIOS: dict[str, Callable[[Run, Assessment], Figures | None]] = {
    "channels": channels_figures,
    "recv": ring_figures,
    "rr": rr_figures,
    "send": ring_figures,
    "bulk": bulk_figures,
    "zerocopy": bulk_figures,
}


def make_figures(run: Run, assessment: Assessment) -> Figures | None:
    """Return the second table of a run; None where its scenario, or this run of it, has none."""
    make = SCENARIOS.get(run.design.scenario)
    figures = None if make is None else make(run, assessment)
    return figures if figures is not None and figures.columns else None
