# SPDX-License-Identifier: MIT
"""Everything behind the first table of a run, in the order in which one asks for it."""

import textwrap

from rich.console import Group, RenderableType
from rich.text import Text

from sockmeter.judge.assess import Assessment, cells_of
from sockmeter.model.runs import Run
from sockmeter.report.details import (
    accounting_table,
    machine_table,
    mix_sentences,
    peaks_table,
    shift_table,
    statistics_table,
    tails_table,
)
from sockmeter.report.fitting import draw_text
from sockmeter.report.labels import arm_labels
from sockmeter.report.overlay import draw_overlay


def draw_dossier(run: Run, assessment: Assessment, *, width: int, with_machine: bool) -> Group:
    """Return the distributions, every quantile, the other statistics, the time, the machine."""
    labels = arm_labels(run.design.arms)
    unit = str(run.instrument.clock.unit)
    drawn = cells_of(run)
    overlay = draw_overlay(
        list(drawn.values()),
        [labels[arm] for arm in drawn],
        f"{unit} a message",
        width,
    )
    tables = [
        peaks_table(assessment, labels, unit),
        shift_table(assessment, labels),
        statistics_table(assessment, labels),
        tails_table(assessment, labels),
        accounting_table(run, labels),
    ]
    if with_machine:
        tables.append(machine_table(run.environment))
    parts: list[RenderableType] = [Text(overlay, no_wrap=True, overflow="crop"), ""]
    parts += [draw_text(table) for table in tables if table is not None]
    parts += [Text(sentence) for sentence in mix_sentences(assessment, labels, unit)]
    return Group(*parts, Text(_continued(f"made by: {run.command}", width)))


def _continued(command: str, width: int) -> str:
    """Return a command in lines, as a shell takes it."""
    lines = textwrap.wrap(
        command,
        max(width, 40) - len(" \\"),
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return " \\\n".join(lines)
