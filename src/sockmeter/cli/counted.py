# SPDX-License-Identifier: MIT
"""Prints a counted run; `count`, `show` and `compare` do."""

import sys
from collections.abc import Sequence

import msgspec

from sockmeter.cli.console import make_stdout
from sockmeter.cli.counted_explaining import Explained, Wish, check_wish, explain_arms
from sockmeter.cli.options import OutputFormat
from sockmeter.cli.outlet import result_outlet
from sockmeter.model.counted import CountedRun
from sockmeter.report.counted import CountedView, make_counted_view, references
from sockmeter.report.counted_tables import (
    counted_csv,
    counted_objects,
    draw_counted,
    draw_counted_commit,
    draw_counted_markdown,
)
from sockmeter.report.fitting import draw_text
from sockmeter.report.labels import arm_labels
from sockmeter.report.tables import draw_markdown, table_objects


def print_counted(
    run: CountedRun,
    format: OutputFormat,
    wish: Wish,
    *,
    against: Sequence[int | None] | None = None,
    labels: Sequence[str] | None = None,
) -> None:
    """Print a counted run, and what stands behind its counts.

    Without `against`, each arm is set against the one that differs from it in one factor.
    """
    check_wish(wish, format)
    against = references(run.arms) if against is None else against
    labels = arm_labels([each.arm for each in run.arms]) if labels is None else labels
    view = make_counted_view(run, against, labels)
    _print(view, explain_arms(run.arms, against, labels, wish), format, wish)


@result_outlet()
def _print(
    view: CountedView, explained: Sequence[Explained], format: OutputFormat, wish: Wish
) -> None:
    match format:
        case OutputFormat.TEXT:
            _print_text(view, explained)
        case OutputFormat.MARKDOWN:
            tables = [table for each in explained for table in each.tables.values()]
            print("\n".join([draw_counted_markdown(view), *map(draw_markdown, tables)]), end="")
        case OutputFormat.CSV:
            sys.stdout.write(counted_csv(view))
        case OutputFormat.COMMIT:
            sys.stdout.write(draw_counted_commit(view))
        case OutputFormat.JSON:
            print(msgspec.json.encode(_objects(view, explained, wish)).decode())


def _print_text(view: CountedView, explained: Sequence[Explained]) -> None:
    console = make_stdout()
    console.print(draw_counted(view))
    for each in explained:
        for table in each.tables.values():
            console.print("", draw_text(table))


def _objects(view: CountedView, explained: Sequence[Explained], wish: Wish) -> dict[str, object]:
    whole = counted_objects(view)
    if wish.has_tables:
        whole["explanations"] = [
            {
                "label": each.label,
                "against": each.against,
                **{kind: table_objects(table) for kind, table in each.tables.items()},
            }
            for each in explained
        ]
    return whole
