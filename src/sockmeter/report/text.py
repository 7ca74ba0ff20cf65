# SPDX-License-Identifier: MIT
"""A view as a terminal shows it: the table, then the sentences that matter."""

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from sockmeter.report.arms_table import arms_table
from sockmeter.report.tables import draw_markdown, draw_text
from sockmeter.report.view import View


def draw_view(view: View) -> Group:
    """Return the first thing a person sees of a run."""
    notes: list[RenderableType] = [
        Padding(Text(sentence, style="bold red" if sentence.startswith("WARNING") else ""), (0, 0))
        for sentence in view.sentences
    ]
    return Group(draw_text(arms_table(view)), *notes)


def draw_view_markdown(view: View) -> str:
    """Return the view for a pull request: the table, the sentences, the command."""
    notes = "\n".join(f"- {sentence}" for sentence in view.sentences)
    return f"{draw_markdown(arms_table(view))}\n{notes}\n\n`{view.command}`\n"
