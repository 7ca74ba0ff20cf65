# SPDX-License-Identifier: MIT
"""What a byte costs all in: an arm as it is shown, and the table of arms."""

from collections.abc import Sequence

import msgspec

from sockmeter.judge.gains import Gains
from sockmeter.report.differences import STYLES, Difference, difference_words, make_difference
from sockmeter.report.tables import Cell, Table


class AllIn(msgspec.Struct, frozen=True, kw_only=True):
    """One arm that sent: the sends, and every look for a notification."""

    per_byte: float  # in the view's unit, of the median round: one that was stalled does not show
    baseline_row: int | None  # the row that the difference is against; None without a difference
    is_own_copy: bool  # that row copies the same message; else it is the first
    difference: Difference | None  # None for the first, and where what it is against did not send


def make_all_in(gains: Gains | None, row: int) -> AllIn | None:
    """Return what is shown of an arm; None where it did not send, or nothing is judged all in."""
    if gains is None or row not in gains.per_byte:
        return None
    gain = gains.arms.get(row)
    return AllIn(
        per_byte=gains.per_byte[row],
        baseline_row=None if gain is None else gain.against,
        is_own_copy=gain is not None and gain.is_own_copy,
        difference=None if gain is None else make_difference(gain.verdict),
    )


def all_in_table(rows: Sequence[tuple[str, AllIn]], unit: str) -> Table | None:
    """Return the table of arms by their labels; None where none of them is judged."""
    if all(all_in.difference is None for _, all_in in rows):
        return None
    return Table(
        title="A byte all in, median round",
        columns=["call", f"a byte\n{unit}", _against(rows), "verdict"],
        rows=[
            [Cell(label), Cell(f"{all_in.per_byte:.4f}"), *_cells(all_in)] for label, all_in in rows
        ],
        wordy=frozenset({0, 3}),
    )


def _against(rows: Sequence[tuple[str, AllIn]]) -> str:
    have_copies = {all_in.is_own_copy for _, all_in in rows if all_in.difference is not None}
    if have_copies == {True}:
        return "against\nits copy"
    if have_copies == {False}:
        return "against\nthe first"
    return "against its copy,\nelse the first"


def _cells(all_in: AllIn) -> list[Cell]:
    difference = all_in.difference
    if difference is None:
        return [Cell("–"), Cell("–")]
    words = difference_words(difference) or "–"
    return [Cell(words), Cell(difference.words, STYLES[difference.verdict])]
