# SPDX-License-Identifier: MIT
"""Calls that did not cost what most of their arm do, as a value and as a table."""

from collections.abc import Sequence

import msgspec

from sockmeter.explain.distribution import Group, distribution
from sockmeter.model.counted import CountedArm
from sockmeter.report.functions_cells import mostly, signed
from sockmeter.report.tables import Cell, Table
from sockmeter.report.wording import ordinal, plural

_MOST = 4  # causes of an arm that a table shows


class Rest(msgspec.Struct, frozen=True, kw_only=True):
    """Calls of an arm that cost something else for one cause."""

    cause: str
    calls: int
    every: int | None  # calls from one to the next; None: irregular
    extra: float  # their mean minus the commonest cost, instructions
    weight: float  # what they add to the mean of all calls, instructions
    often: str  # how often, in words
    extra_words: str
    weight_words: str
    functions: str  # that made most of it


def rest_of(arm: CountedArm) -> list[Rest]:
    """Return what is behind an arm's mean, the weightiest first."""
    if not arm.shapes:
        return []
    found = distribution(arm.values, arm.shapes)
    return [_rest(group) for group in found.rest]


def rest_table(rest_by_name: Sequence[tuple[str, Sequence[Rest]]]) -> Table | None:
    """Return the table of several arms; arms that agree share their rows. None without a row."""
    groups: dict[tuple[Rest, ...], list[str]] = {}
    for name, rest in rest_by_name:
        if rest:
            groups.setdefault(tuple(rest), []).append(name)
    rows = [
        [Cell(name if at == 0 else ""), *_cells(each)]
        for rest, names in groups.items()
        for name in [", ".join(names)]
        for at, each in enumerate(rest[:_MOST])
    ]
    if not rows:
        return None
    hidden = sum(len(rest[_MOST:]) for rest in groups)
    return Table(
        title="Calls that cost something else"
        + (f" ({hidden} lesser causes: --format json)" if hidden else ""),
        columns=["call", "how often", "cost", "adds to\nthe mean", "because it", "mostly"],
        rows=rows,
        wordy=frozenset({0, 1, 4, 5}),
    )


def _rest(group: Group) -> Rest:
    return Rest(
        cause=group.cause,
        calls=group.calls,
        every=group.every,
        extra=float(group.extra),
        weight=float(group.weight),
        often=(
            plural(group.calls, "call") if group.every is None else f"every {ordinal(group.every)}"
        ),
        extra_words=signed(group.extra),
        weight_words=signed(group.weight),
        functions=mostly(group.functions, is_difference=True).text,
    )


def _cells(rest: Rest) -> list[Cell]:
    return [
        Cell(rest.often),
        Cell(rest.extra_words),
        Cell(rest.weight_words),
        Cell(rest.cause),
        Cell(rest.functions),
    ]
