# SPDX-License-Identifier: MIT
"""Exact numbers a call as texts, and the row that says that a table closes."""

from collections.abc import Iterable
from fractions import Fraction

from sockmeter.explain.costs import Change, PerCall
from sockmeter.explain.functions import FunctionDifference
from sockmeter.report.tables import Cell

SIDE_COLUMNS = ["instr.\nbefore", "instr.\nafter", "bytes\nbefore", "bytes\nafter"]


def number(amount: Fraction) -> str:
    """Return a whole number as such, any other with two decimals."""
    if amount.denominator == 1:
        return f"{amount.numerator:,}".replace("-", "−")
    text = f"{abs(float(amount)):,.2f}"
    return f"−{text}" if amount < 0 else text


def signed(amount: Fraction) -> str:
    """Return a difference with its sign; none at all is 0."""
    return f"+{number(amount)}" if amount > 0 else number(amount)


def cost(amount: Fraction) -> Cell:
    """Return a cost a call; nothing is a dash."""
    return Cell(number(amount) if amount else "–")


def difference(amount: Fraction) -> Cell:
    """Return a difference a call, red where it is dearer and green where it is cheaper."""
    return Cell(signed(amount), "red" if amount > 0 else "green" if amount < 0 else "")


def share(part: Fraction, whole: Fraction) -> Cell:
    """Return which part of the whole it is."""
    return Cell(f"{float(part / whole):.1%}" if whole else "–")


def cost_cells(each: PerCall) -> list[Cell]:
    """Return instructions, bytes, and all."""
    return [cost(each.instructions), cost(each.iteration_bytes), cost(each.clock)]


def side_cells(each: Change) -> list[Cell]:
    """Return both sides' instructions and bytes, under SIDE_COLUMNS."""
    return [
        cost(each.before.instructions),
        cost(each.after.instructions),
        cost(each.before.iteration_bytes),
        cost(each.after.iteration_bytes),
    ]


def mostly(functions: Iterable[FunctionDifference], *, is_difference: bool, most: int = 3) -> Cell:
    """Return the functions that made most of a row, with what each of them made."""
    words = [
        f"{one.name} {signed(one.change.clock) if is_difference else number(one.change.clock)}"
        for one in functions
        if one.change.clock
    ]
    more = len(words) - most
    return Cell(", ".join(words[:most]) + (f", {more} more" if more > 0 else ""))


def refuse_open(added: Fraction, measured: Fraction) -> None:
    """Raise ValueError where the rows of a table do not sum to what was measured."""
    if added != measured:
        raise ValueError(f"the rows sum to {added} and {measured} was measured")
