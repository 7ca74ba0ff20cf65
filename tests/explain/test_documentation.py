# SPDX-License-Identifier: MIT
"""docs/explain.md shows what is really printed, and its example is a file that is understood."""

import re
from pathlib import Path

from sockmeter.explain.catalogue import own_catalogue

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explain.md").read_text(encoding="utf-8")
RENDERED = [
    (ROOT / "tests" / "golden" / f"explain-{name}.txt").read_text(encoding="utf-8")
    for name in ("functions-difference", "mechanisms-difference")
]


def test_every_row_of_a_table_was_rendered_so() -> None:
    """From profiles of a real kernel; a last column of words may be left out."""
    blocks = re.findall(r"```\n(.*?)```", PAGE, re.DOTALL)
    assert len(RENDERED) == len(blocks)
    for shown, rendered in zip(blocks, RENDERED, strict=True):
        lines = rendered.splitlines()
        rows = [row for row in shown.splitlines() if "──" not in row]
        assert [] == [row for row in rows if not any(line.startswith(row) for line in lines)]


def test_the_example_of_a_users_file_is_understood() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert "busy polling" == own_catalogue().extended(example, "mine").mechanisms["busy-poll"].title
    bare = re.sub(r"(?m)^# ?(?=functions|kinds)", "", example)
    assert "busy-poll" == own_catalogue().extended(bare, "mine").rules[0].mechanism
