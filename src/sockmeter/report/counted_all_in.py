# SPDX-License-Identifier: MIT
"""What counted sends cost with their notifications, as a table."""

from collections.abc import Sequence
from fractions import Fraction

from sockmeter.judge.counted_sending import CountedSends
from sockmeter.report.tables import Cell, Table
from sockmeter.report.wording import percent, signed_percent

_NOTHING = Cell("–")


def has_notices(rows: Sequence[CountedSends | None]) -> bool:
    """Say whether any arm had notifications."""
    return any(row is not None and row.sends_per_notification is not None for row in rows)


def all_in_table(names: Sequence[str], rows: Sequence[CountedSends | None]) -> Table | None:
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


def _cells(row: CountedSends | None, *, has_carried: bool, has_messages: bool) -> list[Cell]:
    if row is None:
        return [_NOTHING] * (6 + has_carried + has_messages)
    return [
        _number(row.reading),
        _number(row.looking) if row.sends_per_notification is not None else _NOTHING,
        _number(row.sends_per_notification),
        *([Cell(percent(float(row.carried))) if row.carried else _NOTHING] if has_carried else []),
        _number(row.per_call),
        *([_number(row.per_message)] if has_messages else []),
        Cell(f"{float(row.per_byte):.4f}"),
        _NOTHING if row.fraction is None else Cell(signed_percent(float(row.fraction))),
    ]


def _number(value: Fraction | None) -> Cell:
    """Return a mean: whole as such, any other with one decimal."""
    if value is None:
        return _NOTHING
    return Cell(f"{int(value):,}" if value.denominator == 1 else f"{float(value):,.1f}")
