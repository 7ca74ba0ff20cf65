# SPDX-License-Identifier: MIT
"""A counted view as each format draws it."""

import csv
import io
from collections.abc import Iterator, Sequence
from fractions import Fraction

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from sockmeter.model.errors import JudgementError
from sockmeter.report.commit_lines import ASCII, align, wrap, wrap_command
from sockmeter.report.counted import Change, CountedRow, CountedView, signed
from sockmeter.report.counted_all_in import all_in_table, has_notices
from sockmeter.report.counted_rest import rest_table
from sockmeter.report.fitting import draw_text
from sockmeter.report.tables import Cell, Table, draw_markdown
from sockmeter.report.wording import percent, signed_percent

_NOTHING = Cell("–")
_ALL_IN = (
    *("reading_instructions", "looking_per_call_instructions", "sends_per_notification"),
    *("carried", "all_in_call_instructions", "all_in_message_instructions"),
    *("all_in_byte_instructions", "copy", "all_in_byte_against_copy"),
)
_SHORT = 16  # letters of a label that two columns have room for


def counted_tables(view: CountedView) -> list[Table]:
    """Return the arms, what reading notifications adds, and the calls that cost something else."""
    names = [_short(view, row) for row in view.rows]
    all_in = all_in_table(names, [row.all_in for row in view.rows])
    rest = rest_table([(name, row.rest) for name, row in zip(names, view.rows, strict=True)])
    return [_arms_table(view), *(table for table in (all_in, rest) if table)]


def draw_counted(view: CountedView) -> Group:
    """Return what a terminal shows."""
    tables: list[RenderableType] = [draw_text(table) for table in counted_tables(view)]
    return Group(*tables, *(Text(line) for line in (*view.sentences, view.setting)))


def draw_counted_markdown(view: CountedView) -> str:
    """Return the view for a pull request."""
    tables = "\n".join(draw_markdown(table) for table in counted_tables(view))
    notes = "\n".join(f"- {line}" for line in (*view.sentences, view.setting))
    return f"{tables}\n{notes}\n\n`{view.command}`\n"


def draw_counted_commit(view: CountedView) -> str:
    """Return the table for a commit message: plain ASCII, 72 columns.

    Raises JudgementError where an arm was refused, or its calls failed.
    """
    doubts = [
        f"{row.label}: {row.refused or row.void}" for row in view.rows if row.refused or row.void
    ]
    if doubts:
        raise JudgementError(f"no table for a commit message: {'; '.join(doubts)}")
    title = ", ".join(part for part in (view.scenario, view.shared) if part)
    per_message = ["a message"] if _has_batch(view) else []
    heads = ["call", "a call", *per_message, "change", "", "against"]
    lines = [
        *wrap(f"{title}: instructions, exact (most frequent cost)"),
        "",
        *align(
            [heads, *(_commit_row(view, row) for row in view.rows)], numbers=3 + len(per_message)
        ),
        "",
        *_commit_all_in(view),
        *wrap(f"{view.basis}; {_shares(view)}"),
        *wrap(view.setting),
        "",
        *(line for command in view.command.splitlines() for line in wrap_command(command)),
    ]
    return "\n".join(line.rstrip() for line in lines).translate(ASCII) + "\n"


def counted_objects(view: CountedView) -> dict[str, object]:
    """Return what JSON holds; exact means are floats there."""
    whole: dict[str, object] = msgspec.to_builtins(view, enc_hook=float)
    return whole


def counted_csv(view: CountedView) -> str:
    """Return one line an arm, every number with its unit in the header."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    costs = ("cost", "mean", "least", "most")
    has_all_in = has_notices([row.all_in for row in view.rows])
    writer.writerow(
        [
            *("scenario", "arm", "calls"),
            *(f"{name}_instructions" for name in costs),
            *("share", "messages", "rep_iterations", "rep_bytes", "idle_ns", "against"),
            *("change_instructions", "mean_change_instructions", "words"),
            *(_ALL_IN if has_all_in else ()),
        ]
    )
    for row in view.rows:
        change = row.change
        writer.writerow(
            [
                *(view.scenario, row.label, row.calls),
                *(getattr(row, name) for name in costs),
                *(row.share, row.messages, row.rep_iterations, row.rep_bytes, row.idle_ns),
                view.rows[change.against].label if change else None,
                change.change if change else None,
                change.mean_change if change else None,
                row.words,
                *(_all_in_fields(view, row) if has_all_in else ()),
            ]
        )
    return stream.getvalue()


def _all_in_fields(view: CountedView, row: CountedRow) -> Sequence[object]:
    all_in = row.all_in
    if all_in is None:
        return [None] * len(_ALL_IN)
    return [
        *map(_float, (all_in.reading, all_in.looking, all_in.sends_per_notification)),
        *map(_float, (all_in.carried, all_in.per_call, all_in.per_message, all_in.per_byte)),
        None if all_in.copy_row is None else view.rows[all_in.copy_row].label,
        _float(all_in.fraction),
    ]


def _float(exact: Fraction | None) -> float | None:
    return None if exact is None else float(exact)


def _is_numbered(view: CountedView) -> bool:
    """Two arms of short names need no numbers to tell which is set against which."""
    return len(view.rows) > 2 or any(len(row.label) > _SHORT for row in view.rows)


def _name(view: CountedView, row: CountedRow) -> str:
    return f"{view.rows.index(row) + 1} {row.label}" if _is_numbered(view) else row.label


def _short(view: CountedView, row: CountedRow) -> str:
    return str(view.rows.index(row) + 1) if _is_numbered(view) else row.label


def _against(view: CountedView, row: CountedRow) -> str:
    if row.change is None:
        return ""
    at = row.change.against
    return str(at + 1) if _is_numbered(view) else view.rows[at].label


def _arms_table(view: CountedView) -> Table:
    has_rep = any(row.rep_iterations for row in view.rows)
    rep = ["of that REP\niterations", "REP\nbytes"] if has_rep else []
    per_message = ["per\nmessage"] if _has_batch(view) else []
    between = [*per_message, *rep]
    behind = 4 + len(between)  # mean, range, against, call by call, verdict
    return Table(
        title=" · ".join(
            part for part in (view.scenario, view.shared, view.basis, "exact counts") if part
        ),
        columns=[
            *("call", "calls", "cost\ninstructions", "of the\ncalls", *between, "mean", "range"),
            *("against", "call by call", "verdict"),
        ],
        rows=[_arm_cells(view, row, has_rep) for row in view.rows],
        wordy=frozenset({0, behind + 2, behind + 4}),
        gives_way=(1, *range(behind - len(rep), behind), behind + 1, behind, behind + 3),
    )


def _has_batch(view: CountedView) -> bool:
    return any(row.per_message is not None for row in view.rows)


def _arm_cells(view: CountedView, row: CountedRow, has_rep: bool) -> list[Cell]:
    if row.cost is None or row.share is None or row.mean is None:
        nothing = [_NOTHING] * (7 + _has_batch(view) + 2 * has_rep)
        return [Cell(_name(view, row)), *nothing, Cell(row.words, "yellow")]
    rep = [Cell(_count(row.rep_iterations)), Cell(_count(row.rep_bytes))] if has_rep else []
    batch = [Cell(_per_message(row))] if _has_batch(view) else []
    costs = f"{row.least} … {row.most}" if row.least != row.most else "–"
    return [
        Cell(_name(view, row)),
        Cell(f"{row.calls:,}"),
        Cell(str(row.cost)),
        Cell(percent(row.share, digits=3)),
        *batch,
        *rep,
        Cell(f"{row.mean:.1f}"),
        Cell(costs),
        Cell(_against(view, row) or "–"),
        Cell(_paired(row)),
        Cell(row.words, _style(row)),
    ]


def _per_message(row: CountedRow) -> str:
    return "–" if row.per_message is None else f"{row.per_message:,.1f}"


def _paired(row: CountedRow) -> str:
    change = row.change
    if change is None or change.paired_change is None or change.paired_share is None:
        return "–"
    return f"{signed(change.paired_change)} in {percent(change.paired_share, digits=3)}"


def _style(row: CountedRow) -> str:
    if row.void is not None:
        return "yellow"
    if row.change is None or row.change.fraction == 0:
        return ""
    return "red" if row.change.fraction > 0 else "green"


def _commit_row(view: CountedView, row: CountedRow) -> list[str]:
    change = row.change
    costs = [str(row.cost), *([_message_cost(row)] if _has_batch(view) else [])]
    if change is None:
        return [_name(view, row), *costs, "", "", row.words]
    share = signed_percent(change.fraction) if change.fraction else ""
    words = "identical" if change.is_identical else signed(change.change)
    if view.rows[change.against].messages != row.messages:
        words = f"{signed(_message_change(change, view, row), digits=1)} a message"
    return [_name(view, row), *costs, words, share, _against(view, row)]


def _message_cost(row: CountedRow) -> str:
    """Return the commonest cost of a message; a call that moves one is a message."""
    return str(row.cost) if row.per_message is None else f"{row.per_message:.1f}"


def _message_change(change: Change, view: CountedView, row: CountedRow) -> float:
    return change.after / row.messages - change.before / view.rows[change.against].messages


def _commit_all_in(view: CountedView) -> Iterator[str]:
    """Yield what a send costs with its notifications; nothing where none asked for any."""
    if not has_notices([row.all_in for row in view.rows]):
        return
    heads = ["all in, means", "reading", "a call", "a byte", "against the copy"]
    yield from align([heads, *(_all_in_row(view, row) for row in view.rows)])
    yield ""


def _all_in_row(view: CountedView, row: CountedRow) -> list[str]:
    all_in = row.all_in
    if all_in is None:
        return [_name(view, row), "", "", "", ""]
    reading = "" if all_in.reading is None else f"{float(all_in.reading):,.0f}"
    against = "" if all_in.fraction is None else signed_percent(float(all_in.fraction))
    costs = [f"{float(all_in.per_call):,.1f}", f"{float(all_in.per_byte):.4f}"]
    return [_name(view, row), reading, *costs, against]


def _shares(view: CountedView) -> str:
    shares = sorted(row.share for row in view.rows if row.share is not None)
    span = percent(shares[0], digits=3)
    if shares[0] == 1:
        return "every call of an arm costs the same"
    if shares[-1] != shares[0]:
        span += f" to {percent(shares[-1], digits=3)}"
    return f"the cost that {span} of an arm's calls have"


def _count(number: float | None) -> str:
    return "–" if number is None else f"{number:,.0f}"
