# SPDX-License-Identifier: MIT
"""The table that a kernel developer pastes into a commit message: plain ASCII, 72 columns."""

import math
from collections.abc import Iterator

from sockmeter.judge.verdict import Word
from sockmeter.model.errors import JudgementError
from sockmeter.report.all_in import AllIn
from sockmeter.report.bursts import BurstCost
from sockmeter.report.commit_lines import ASCII, align, wrap, wrap_command
from sockmeter.report.crossover import SizeRow, rows_in
from sockmeter.report.differences import Difference
from sockmeter.report.view import Row, View
from sockmeter.report.wording import clock_noun, signed_percent


def draw_commit(view: View) -> str:
    """Return the table, its basis, the machine and the command.

    Raises JudgementError, saying why, for a run that proves nothing.
    """
    if view.doubts:
        raise JudgementError(
            f"no table for a commit message: {'; '.join(view.doubts)}",
            mend="measure again" if _is_chance(view) else None,
        )
    lines = [
        *_calls(view),
        *_bursts(view),
        *_all_in(view),
        *_notes(view),
        *wrap(f"{view.basis}; {_confidence(view)}"),
        *(line for setting in view.setting.splitlines() for line in wrap(setting)),
        "",
        *(line for command in view.command.splitlines() for line in wrap_command(command)),
    ]
    return "\n".join(line.rstrip() for line in lines).translate(ASCII) + "\n"


def _is_chance(view: View) -> bool:
    """Say whether another run may have no such doubt: not where the kernel refuses or voids."""
    return view.rows[0].refused is None and not any(row.void for row in view.rows)


def _heads(view: View) -> list[str]:
    return ["call", str(view.unit), "change", "interval", "verdict"]


def _calls(view: View) -> Iterator[str]:
    """Yield what a call costs; nothing where message sizes have all the arms in their tables."""
    title = ", ".join(part for part in (view.scenario, view.shared) if part)
    if len(rows_in(view.crossovers)) == len(view.rows):
        yield from (*wrap(title), "")
        return
    rows = [_row(row) for row in view.rows if row.summary or row.refused]
    yield from wrap(f"{title}: {clock_noun(view.clock, view.unit)} {_per_what(view)} (midmean)")
    yield from ("", *align([_heads(view), *rows]), "")


def _per_what(view: View) -> str:
    """Return what the costs are of: rows of a call that moves several are of a message."""
    batches = [row.per_message is not None for row in view.rows if row.summary]
    if not any(batches):
        return "per call"
    return "per message" if all(batches) else "per call, of batches per message"


def _bursts(view: View) -> Iterator[str]:
    """Yield what a message costs as part of a burst, where bursts can be compared."""
    if not any(burst.alpha for burst in view.bursts if burst):
        return
    rows = [
        _burst_row(row, burst) for row, burst in zip(view.rows, view.bursts, strict=True) if burst
    ]
    yield from wrap(f"{clock_noun(view.clock, view.unit)} per message of a burst (mean)")
    yield from ("", *align([["bursts", *_heads(view)[1:-1]], *rows]), "")


def _burst_row(row: Row, burst: BurstCost) -> list[str]:
    cost = f"{burst.per_message:.0f}"
    if burst.alpha is None:
        return [row.label, cost, "", ""]
    return [row.label, cost, *_change(burst.estimate, burst.low, burst.high)]


def _notes(view: View) -> Iterator[str]:
    """Yield why rows have no verdict, and how far the others may be believed."""
    labels_of: dict[str, list[str]] = {}
    for row in view.rows:
        words = _why_nothing(row)
        if words is not None:
            labels_of.setdefault(words, []).append(row.label)
    notes = [f"{', '.join(labels)}: {words}" for words, labels in labels_of.items()]
    notes += view.reservations
    for note in notes:
        yield from wrap(note)
    if notes:
        yield ""


def _why_nothing(row: Row) -> str | None:
    if row.refused is not None:
        return f"refused: {row.refused}"
    difference = row.difference
    is_undecided = difference is not None and difference.verdict is Word.UNDECIDED
    return difference.words if difference is not None and is_undecided else None


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
    return [row.label, f"{cost:.0f}", *_difference(row.difference, row.role)]


def _difference(difference: Difference | None, role: str) -> list[str]:
    if difference is None:
        return ["", "", role]
    if difference.estimate is None:
        return ["", "", _short(difference.verdict)]
    return [
        *_change(difference.estimate, difference.low, difference.high),
        _short(difference.verdict),
    ]


def _change(*fractions: float | None) -> list[str]:
    estimate, low, high = (
        signed_percent(math.inf if fraction is None else fraction) for fraction in fractions
    )
    return [estimate, f"[{low.removesuffix(' %')}, {high.removesuffix(' %')}]"]


def _short(word: Word) -> str:
    return "same" if word is Word.NO_DIFFERENCE else str(word)


def _confidence(view: View) -> str:
    shown = [row.difference for row in view.rows]
    shown += [row.all_in.difference for row in view.rows if row.all_in]
    differences = [difference for difference in shown if difference]
    bursts = [burst for burst in view.bursts if burst]
    alphas = [*(each.alpha for each in differences), *(each.alpha for each in bursts)]
    errors = [alpha for alpha in alphas if alpha]
    if not errors:
        return "nothing compared"
    is_used = any(difference.verdict is Word.NO_DIFFERENCE for difference in differences)
    same = f'; "same" is within +-{100 * view.effect:g}%' if is_used else ""
    levels = "levels are of all calls, changes the median of pairs"
    return f"{levels}; {100 * (1 - min(errors)):.3g}% intervals{same}"
