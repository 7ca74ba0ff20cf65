# SPDX-License-Identifier: MIT
"""What counted sends cost with their notifications: as a value and as a table."""

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from sockmeter.judge.counted_sending import copy_in, counted_sends
from sockmeter.model.counted import CountedArm
from sockmeter.report.tables import Cell, Table
from sockmeter.report.wording import percent, signed_percent

_NOTHING = Cell("–")


class CountedAllIn(msgspec.Struct, frozen=True, kw_only=True):
    """One arm, instructions: the sends, and every look for a notification."""

    reading: float | None  # mean of a system call that brought notifications; None where none did
    looking: float  # all that looked, empty ones and polls too, for each call
    sends_per_notification: float | None
    carried: float | None  # share of the notifications that were inside the cost of calls
    per_call: float  # all in, as the next two
    per_message: float
    per_byte: float
    copy_row: int | None  # the arm that copies the same message; None for a copy itself
    fraction: float | None  # by what a byte costs more than there, of its cost there


def counted_all_in(arms: Sequence[CountedArm], index: int) -> CountedAllIn | None:
    """Return what is shown of an arm; None where it sent nothing."""
    sends = counted_sends(arms[index])
    if sends is None:
        return None
    copy_row = copy_in(arms, index)
    copy = None if copy_row is None else counted_sends(arms[copy_row])
    return CountedAllIn(
        reading=_float(sends.reading),
        looking=float(sends.looking),
        sends_per_notification=_float(sends.sends_per_notification),
        carried=_float(sends.carried),
        per_call=float(sends.per_call),
        per_message=float(sends.per_message),
        per_byte=float(sends.per_byte),
        copy_row=None if copy is None else copy_row,
        fraction=None if copy is None else float(sends.per_byte / copy.per_byte - 1),
    )


def has_notices(rows: Sequence[CountedAllIn | None]) -> bool:
    """Say whether any arm had notifications."""
    return any(row is not None and row.sends_per_notification is not None for row in rows)


def all_in_table(names: Sequence[str], rows: Sequence[CountedAllIn | None]) -> Table | None:
    """Return the table of all arms; None where none asked for notifications."""
    if not has_notices(rows):
        return None
    has_messages = any(row is not None and row.per_message != row.per_call for row in rows)
    has_carried = any(row is not None and row.carried for row in rows)
    return Table(
        title="All in: the sends and every look for a notification, exact means in instructions",
        columns=[
            *("call", "a reading", "looking\nper call", "sends a\nnotice"),
            *(["came with\ncalls"] if has_carried else []),
            *("a call\nall in", *(["a message\nall in"] if has_messages else [])),
            *("a byte\nall in", "a byte against\nits copy"),
        ],
        rows=[
            [Cell(name), *_cells(row, has_carried=has_carried, has_messages=has_messages)]
            for name, row in zip(names, rows, strict=True)
        ],
    )


def _cells(row: CountedAllIn | None, *, has_carried: bool, has_messages: bool) -> list[Cell]:
    if row is None:
        return [_NOTHING] * (6 + has_carried + has_messages)
    return [
        _number(row.reading),
        _number(row.looking) if row.sends_per_notification is not None else _NOTHING,
        _number(row.sends_per_notification),
        *([Cell(percent(row.carried)) if row.carried else _NOTHING] if has_carried else []),
        _number(row.per_call),
        *([_number(row.per_message)] if has_messages else []),
        Cell(f"{row.per_byte:.4f}"),
        _NOTHING if row.fraction is None else Cell(signed_percent(row.fraction)),
    ]


def _number(value: float | None) -> Cell:
    """Return a mean: whole as such, any other with one decimal."""
    if value is None:
        return _NOTHING
    return Cell(f"{value:,.0f}" if value == int(value) else f"{value:,.1f}")


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
