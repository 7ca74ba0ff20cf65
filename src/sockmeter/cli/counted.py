# SPDX-License-Identifier: MIT
"""Prints a counted run; `count` and `show` both do."""

import msgspec

from sockmeter.cli.options import OutputFormat
from sockmeter.model.counted import CountedRun


def print_counted(run: CountedRun, format: OutputFormat) -> None:
    """Print the costs of every arm, in order."""
    if format is OutputFormat.JSON:
        print(msgspec.json.encode(run.arms).decode())
        return
    for arm in run.arms:
        print(arm.arm.call, *arm.values)
