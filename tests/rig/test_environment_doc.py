# SPDX-License-Identifier: MIT
"""docs/environment.md lists exactly the facts, with unit, source and reason.

SOCKMETER_REWRITE_GOLDEN=1 in the environment writes its tables anew from the catalogue.
"""

import os
from pathlib import Path

from sockmeter.rig.environment import CATALOGUE

PAGE = Path(__file__).parents[2] / "docs" / "environment.md"
MARK = "<!-- What follows is written from the catalogue in src/sockmeter/rig/environment. -->\n"


def render_tables() -> str:
    """Return the catalogue as Markdown, a section for each group."""
    lines = []
    for group, rows in CATALOGUE.items():
        lines += ["", f"## {group}", "", "| fact | unit | source | why it matters |"]
        lines += ["|---|---|---|---|"]
        lines += [
            f"| `{row.name}` | {row.unit or ''} | {_source(row.source)} | {row.why} |"
            for row in rows
        ]
    return "\n".join(lines) + "\n"


def _source(source: str) -> str:
    return f"`{source}`"


def test_the_page_lists_exactly_the_facts() -> None:
    """What the code reads is what the page says."""
    prose, mark, tables = PAGE.read_text().partition(MARK)
    if os.environ.get("SOCKMETER_REWRITE_GOLDEN") == "1":
        PAGE.write_text(prose + MARK + render_tables())
        tables = render_tables()
    assert MARK == mark
    assert render_tables() == tables


def test_every_fact_says_why_it_matters() -> None:
    """A fact that matters for nothing has no place in a run file."""
    silent = [row.name for rows in CATALOGUE.values() for row in rows if not row.why]
    assert [] == silent
