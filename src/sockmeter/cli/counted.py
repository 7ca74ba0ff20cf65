# SPDX-License-Identifier: MIT
"""Prints a counted run; `count`, `show` and `compare` do."""

import sys

import msgspec

from sockmeter.cli.console import make_stdout
from sockmeter.cli.options import OutputFormat
from sockmeter.model.counted import CountedRun
from sockmeter.report.counted import CountedView, make_counted_view, references
from sockmeter.report.counted_tables import (
    counted_csv,
    draw_counted,
    draw_counted_commit,
    draw_counted_markdown,
)


def print_counted(run: CountedRun, format: OutputFormat) -> None:
    """Print a counted run, each arm against the one that differs from it in one factor."""
    print_counted_view(make_counted_view(run, references(run.arms)), format)


def print_counted_view(view: CountedView, format: OutputFormat) -> None:
    """Print what is shown of a counted run."""
    match format:
        case OutputFormat.TEXT:
            make_stdout().print(draw_counted(view))
        case OutputFormat.MARKDOWN:
            print(draw_counted_markdown(view), end="")
        case OutputFormat.CSV:
            sys.stdout.write(counted_csv(view))
        case OutputFormat.COMMIT:
            sys.stdout.write(draw_counted_commit(view))
        case OutputFormat.JSON:
            print(msgspec.json.encode(view).decode())
