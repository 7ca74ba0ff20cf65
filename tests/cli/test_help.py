# SPDX-License-Identifier: MIT
"""What --help prints is what its options say."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from sockmeter.cli.main import app
from tests.cli.run_cli import run_cli


def helps_of(command: Any, *verb: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the words of every verb, and the helps of its parameters."""
    for name, sub in getattr(command, "commands", {}).items():
        yield from helps_of(sub, *verb, name)
    helps = [getattr(param, "help", None) or "" for param in command.params]
    yield [*verb], [" ".join(text.split()) for text in helps]


@pytest.mark.parametrize(("verb", "helps"), [*helps_of(typer.main.get_command(app))])
def test_the_help_of_every_option_is_printed_whole(
    verb: list[str], helps: list[str], tmp_path: Path
) -> None:
    """Defaults in square brackets among it."""
    finished = run_cli(*verb, "--help", cwd=tmp_path, environment={"COLUMNS": "500"})
    assert 0 == finished.returncode
    printed = " ".join(finished.stdout.split())
    assert [] == [text for text in helps if text not in printed]
