# SPDX-License-Identifier: MIT
"""Calls of one arm that do not all cost the same: a table, and a sentence for each cause."""

from fractions import Fraction

from sockmeter.explain.distribution import Distribution, Group
from sockmeter.report.functions_cells import difference, mostly, number, signed
from sockmeter.report.tables import Cell, Table

MOST = 8  # causes that are named


def distribution_table(distribution: Distribution, title: str, *, most: int = MOST) -> Table:
    """Return the modal cost, what differs from it and why, and the mean that follows."""
    shown, left = distribution.rest[:most], distribution.rest[most:]
    columns = ["calls", "how many", "how often", "cost", "adds to\nthe mean", "mostly"]
    rows = [
        [
            Cell("the commonest cost"),
            Cell(f"{distribution.modal.calls:,}"),
            Cell(_often(distribution.modal)),
            Cell(f"{distribution.cost:,}", "bold"),
            Cell(""),
            Cell(""),
        ]
    ]
    for group in shown:
        rows.append(
            [
                Cell(group.cause),
                Cell(f"{group.calls:,}"),
                Cell(_often(group)),
                difference(group.extra),
                difference(group.weight),
                mostly(group.functions, is_difference=True),
            ]
        )
    if left:
        rows.append(
            [
                Cell(f"{len(left):,} more causes", "dim"),
                Cell(f"{sum(group.calls for group in left):,}"),
                Cell(""),
                Cell(""),
                difference(sum((group.weight for group in left), Fraction(0))),
                Cell(""),
            ]
        )
    rows.append(
        [
            Cell("mean", "bold"),
            Cell(f"{distribution.calls:,}"),
            Cell(_period(distribution)),
            Cell(number(distribution.mean), "bold"),
            difference(distribution.mean - distribution.cost),
            Cell(""),
        ]
    )
    return Table(title=title, columns=columns, rows=rows, wordy=frozenset({0, 2, len(columns) - 1}))


def distribution_sentences(distribution: Distribution, *, most: int = 3) -> list[str]:
    """Return what adds most to the mean, as `1 in 32 calls refills the slab: +2,480`."""
    return [
        f"{_often(group)} calls {group.cause}: {signed(group.extra)}"
        if group.every is None
        else f"{_often(group)} call {group.cause}: {signed(group.extra)}"
        for group in distribution.rest[:most]
    ]


def _often(group: Group) -> str:
    if group.every is not None:
        return f"every {ordinal(group.every)}"
    if group.share == 1:
        return "all"
    one_in = 1 / group.share
    return f"1 in {number(one_in) if one_in.denominator == 1 else f'{float(one_in):,.1f}'}"


def ordinal(position: int) -> str:
    """Return 2nd, 3rd, 11th, 32nd."""
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(position % 10, "th")
    return f"{position:,}{'th' if position % 100 in (11, 12, 13) else suffix}"


def _period(distribution: Distribution) -> str:
    if distribution.period is None:
        return ""
    return f"repeats after {distribution.period:,}"
