# SPDX-License-Identifier: MIT
"""The only place that writes a result: stdout is the result, stderr everything else."""

import sys
from collections.abc import Mapping, Sequence

import msgspec
from rich.console import Console

from sockmeter.cli.console import make_stdout
from sockmeter.cli.options import OutputFormat
from sockmeter.cli.outlet import result_outlet
from sockmeter.model.errors import PlanError, SockmeterError
from sockmeter.model.selftests import Selftest
from sockmeter.report.commit import draw_commit
from sockmeter.report.csv_rows import draw_csv
from sockmeter.report.fitting import draw_text
from sockmeter.report.selftest import selftest_sentences
from sockmeter.report.tables import Table, draw_markdown, table_csv, table_objects
from sockmeter.report.text import draw_view, draw_view_markdown
from sockmeter.report.view import View

stderr = Console(stderr=True)


def print_error(error: SockmeterError) -> None:
    """Print an expected failure as one line on stderr."""
    print(f"sockmeter: {error}", file=sys.stderr)


@result_outlet()
def print_views(views: Sequence[View], format: OutputFormat, *, is_list: bool = False) -> None:
    """Print the results of runs in the format asked for; nothing where there is none."""
    if not views:
        return
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
            print(msgspec.json.encode(views if is_list else views[0]).decode())


@result_outlet()
def print_tables(tables: Mapping[str, Table], format: OutputFormat) -> None:
    """Print plain tables in the format asked for; JSON is one object of lists, by their keys."""
    match format:
        case OutputFormat.TEXT:
            for table in tables.values():
                make_stdout().print(draw_text(table))
        case OutputFormat.MARKDOWN:
            print("\n".join(draw_markdown(table) for table in tables.values()))
        case OutputFormat.CSV:
            print("\n".join(table_csv(table) for table in tables.values()), end="")
        case OutputFormat.JSON:
            objects = {key: table_objects(table) for key, table in tables.items()}
            print(msgspec.json.encode(objects).decode())
        case OutputFormat.COMMIT:
            refuse_commit(format)


def refuse_commit(format: OutputFormat) -> None:
    """Raise PlanError for the one format that plain tables have not."""
    if format is OutputFormat.COMMIT:
        raise PlanError("--format commit: there is no verdict here", mend="take text or json")


@result_outlet()
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


def print_restored(sentences: Sequence[str]) -> None:
    """Say on stderr what a killed run had left turned."""
    for sentence in sentences:
        print(f"sockmeter: {sentence}", file=sys.stderr)
