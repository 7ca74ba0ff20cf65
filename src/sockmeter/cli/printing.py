# SPDX-License-Identifier: MIT
"""The only place that writes a result: stdout is the result, stderr everything else."""

import sys
from collections.abc import Sequence

import msgspec
from rich.console import Console

from sockmeter.cli.console import make_stdout
from sockmeter.cli.options import OutputFormat
from sockmeter.model.selftests import Selftest
from sockmeter.report.commit import draw_commit
from sockmeter.report.csv_rows import draw_csv
from sockmeter.report.selftest import selftest_sentences
from sockmeter.report.tables import Table, draw_markdown, draw_text, table_csv, table_objects
from sockmeter.report.text import draw_view, draw_view_markdown
from sockmeter.report.view import View

stderr = Console(stderr=True)


def print_views(views: Sequence[View], format: OutputFormat) -> None:
    """Print the results of one or more runs in the format asked for."""
    match format:
        case OutputFormat.TEXT:
            console = make_stdout()
            for view in views:
                console.print(draw_view(view), "")
        case OutputFormat.MARKDOWN:
            print("\n".join(draw_view_markdown(view) for view in views))
        case OutputFormat.COMMIT:
            sys.stdout.write("\n".join([draw_commit(view) for view in views]))
        case OutputFormat.CSV:
            sys.stdout.write(_join_csv([draw_csv(view) for view in views]))
        case OutputFormat.JSON:
            print(msgspec.json.encode(views if len(views) > 1 else views[0]).decode())


def print_table(table: Table, format: OutputFormat) -> None:
    """Print a plain table in the format asked for."""
    match format:
        case OutputFormat.TEXT | OutputFormat.COMMIT:
            make_stdout().print(draw_text(table))
        case OutputFormat.MARKDOWN:
            print(draw_markdown(table))
        case OutputFormat.CSV:
            sys.stdout.write(table_csv(table))
        case OutputFormat.JSON:
            print(msgspec.json.encode(table_objects(table)).decode())


def print_last_selftest(selftest: Selftest | None) -> None:
    """Print what the last self-test found, or how to make one."""
    console = make_stdout()
    if selftest is None:
        console.print("No self-test yet: sockmeter selftest says what this machine can resolve.")
        return
    console.print(f"Self-test of {selftest.finished_at}, kernel {selftest.kernel}:")
    for sentence in selftest_sentences(selftest):
        console.print(f"  {sentence}")


def _join_csv(parts: Sequence[str]) -> str:
    """Join tables with the same header into one."""
    first, *others = parts
    return first + "".join(part.split("\n", 1)[1] for part in others)
