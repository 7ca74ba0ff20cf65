# SPDX-License-Identifier: MIT
"""A view as a terminal shows it: the table, then the sentences that matter."""

from rich.console import Group
from rich.text import Text

from sockmeter.report.all_in import all_in_table
from sockmeter.report.arms_table import arms_table
from sockmeter.report.crossover import crossover_table
from sockmeter.report.figures import figures_table
from sockmeter.report.fitting import draw_text
from sockmeter.report.tables import Table, draw_markdown
from sockmeter.report.view import View


def draw_view(view: View) -> Group:
    """Return the first thing a person sees of a run."""
    notes = [Text(f"WARNING: {warning}", style="bold red") for warning in view.warnings]
    notes += [Text(sentence) for sentence in view.sentences]
    return Group(*(draw_text(table) for table in view_tables(view)), *notes)


def draw_view_markdown(view: View) -> str:
    """Return the view for a pull request: the table, the sentences, the command."""
    notes = "\n".join(
        [f"- **{warning}**" for warning in view.warnings]
        + [f"- {sentence}" for sentence in view.sentences]
    )
    tables = "\n".join(draw_markdown(table) for table in view_tables(view))
    return f"{tables}\n{notes}\n\n```\n{view.command}\n```\n"


def view_tables(view: View) -> list[Table]:
    """Return the arms, what their scenario measured besides, and what a byte costs all in."""
    labels, unit = [row.label for row in view.rows], str(view.unit)
    judged_by_size = {row.zerocopy_row for each in view.crossovers for row in each.rows}
    all_in = all_in_table(
        [
            (row.label, row.all_in)
            for place, row in enumerate(view.rows)
            if row.all_in is not None and place not in judged_by_size
        ],
        unit,
    )
    return [
        arms_table(view),
        *([figures_table(view.figures, labels)] if view.figures else []),
        *([all_in] if all_in else []),
        *(crossover_table(crossover, unit) for crossover in view.crossovers),
    ]
