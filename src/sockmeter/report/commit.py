# SPDX-License-Identifier: MIT
"""The table that a kernel developer pastes into a commit message: plain ASCII, 72 columns."""

from collections.abc import Iterator

from sockmeter.judge.verdict import Word
from sockmeter.model.errors import JudgementError
from sockmeter.report.all_in import AllIn
from sockmeter.report.commit_lines import ASCII, align, wrap, wrap_command
from sockmeter.report.crossover import SizeRow, rows_in
from sockmeter.report.differences import Difference
from sockmeter.report.view import Row, View
from sockmeter.report.wording import clock_noun


def draw_commit(view: View) -> str:
    """Return the table, its basis, the machine and the command.

    Raises JudgementError, saying why, for a run that proves nothing.
    """
    if view.doubts:
        raise JudgementError(
            f"no table for a commit message: {'; '.join(view.doubts)}", mend="measure again"
        )
    lines = [
        *_calls(view),
        *_all_in(view),
        *wrap(f"{view.basis}; {_confidence(view)}"),
        *(line for setting in view.setting.splitlines() for line in wrap(setting)),
        "",
        *(line for command in view.command.splitlines() for line in wrap_command(command)),
    ]
    return "\n".join(line.rstrip() for line in lines).translate(ASCII) + "\n"


def _heads(view: View) -> list[str]:
    return ["call", str(view.unit), "change", "interval", "verdict"]


def _calls(view: View) -> Iterator[str]:
    """Yield what a call costs; nothing where message sizes have all the arms in their tables."""
    title = ", ".join(part for part in (view.scenario, view.shared) if part)
    if len(rows_in(view.crossovers)) == len(view.rows):
        yield from (*wrap(title), "")
        return
    rows = [_row(row) for row in view.rows if row.summary or row.refused]
    yield from wrap(f"{title}: {clock_noun(view.clock, view.unit)} per call (midmean)")
    yield from ("", *align([_heads(view), *rows]), "")


def _all_in(view: View) -> Iterator[str]:
    """Yield what a byte costs all in: of groups by message size, of the rest by arm."""
    costs = f"{clock_noun(view.clock, view.unit)} per byte, all in (median round)"
    for crossover in view.crossovers:
        heads = ["message", "copy", "zerocopy", "change", "interval", "verdict"]
        rows = [_size_row(row) for row in crossover.rows]
        yield from (*wrap(f"{crossover.group}: {costs}"), "", *align([heads, *rows]), "")
        yield from (*wrap(_sentence(crossover.words)), "")
    told = rows_in(view.crossovers)
    others = [row for place, row in enumerate(view.rows) if place not in told]
    byte_rows = [_byte_row(row, row.all_in) for row in others if row.all_in]
    if any(row.all_in.difference for row in others if row.all_in):
        yield from (*wrap(costs), "", *align([_heads(view), *byte_rows]), "")


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def _size_row(row: SizeRow) -> list[str]:
    costs = [f"{cost:.4f}" for cost in (row.copy_per_byte, row.zerocopy_per_byte)]
    return [f"{row.message_bytes:,} B", *costs, *_difference(row.difference, "")]


def _byte_row(row: Row, all_in: AllIn) -> list[str]:
    role = row.role if row.difference is None else ""
    return [row.label, f"{all_in.per_byte:.4f}", *_difference(all_in.difference, role)]


def _row(row: Row) -> list[str]:
    if row.summary is None:
        return [row.label, "-", "", "", "refused"]
    cost = row.summary.midmean if row.per_message is None else row.per_message
    label = row.label if row.per_message is None else f"{row.label}, per message"
    return [label, f"{cost:.0f}", *_difference(row.difference, row.role)]


def _difference(difference: Difference | None, role: str) -> list[str]:
    if difference is None or difference.estimate is None:
        return ["", "", role]
    low, high = _percent(difference.low), _percent(difference.high)
    return [_percent(difference.estimate), f"[{low}, {high}]", _short(difference.verdict)]


def _percent(fraction: float | None) -> str:
    return "inf" if fraction is None else f"{100 * fraction:+.1f}%"


def _short(word: Word) -> str:
    return "same" if word is Word.NO_DIFFERENCE else str(word)


def _confidence(view: View) -> str:
    shown = [row.difference for row in view.rows]
    shown += [row.all_in.difference for row in view.rows if row.all_in]
    differences = [difference for difference in shown if difference and difference.alpha]
    if not differences:
        return "nothing compared"
    alpha = min(difference.alpha or 1 for difference in differences)
    is_used = any(difference.verdict is Word.NO_DIFFERENCE for difference in differences)
    same = f'; "same" is within +-{100 * view.effect:g}%' if is_used else ""
    return f"{100 * (1 - alpha):.3g}% intervals{same}"
