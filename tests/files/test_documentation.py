# SPDX-License-Identifier: MIT
"""docs/run-file.md names every field that a run file holds."""

import re
from pathlib import Path

import msgspec
import pytest

from sockmeter.model.counted import Boot, CountedArm, CountedKernel, CountedRun, Shape
from sockmeter.model.profiles import FunctionCost, Profile, TreeNode
from sockmeter.model.runs import Clock, Design, Ending, Impediment, Instrument, Look, Round, Run
from sockmeter.model.segments import Histogram, Refusal, Segment

PAGE = Path(__file__).parent.parent.parent / "docs" / "run-file.md"


@pytest.mark.parametrize(
    "value",
    [
        *(Run, Design, Look, Instrument, Clock, Impediment, Round, Segment, Histogram, Refusal),
        *(Ending, CountedRun, CountedKernel, Boot, CountedArm, Shape),
        *(Profile, FunctionCost, TreeNode),
    ],
)
def test_every_field_is_documented(value: type[msgspec.Struct]) -> None:
    words = set(re.findall(r"`([a-z_0-9]+)`", PAGE.read_text(encoding="utf-8")))
    assert [] == [name for name in value.__struct_encode_fields__ if name not in words]
