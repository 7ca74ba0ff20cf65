# SPDX-License-Identifier: MIT
"""docs/commands.md names every field of a result and every exit code."""

import re
from pathlib import Path

import msgspec
import pytest

from sockmeter.cli import exit_codes
from sockmeter.model.errors import SockmeterError
from sockmeter.report.differences import Difference
from sockmeter.report.view import Row, View

PAGE = (Path(__file__).parent.parent.parent / "docs" / "commands.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("value", [View, Row, Difference])
def test_every_field_of_the_json_is_documented(value: type[msgspec.Struct]) -> None:
    quoted = set(re.findall(r"`([a-z_0-9]+)`", PAGE))
    assert [] == [name for name in value.__struct_encode_fields__ if name not in quoted]


def test_every_exit_code_is_documented() -> None:
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)}
    errors = {error.exit_code for error in SockmeterError.__subclasses__()}
    gates = {exit_codes.REGRESSION, exit_codes.OPEN, exit_codes.INTERRUPTED}
    assert set() == (errors | gates | {0}) - documented
