# SPDX-License-Identifier: MIT
"""The functions behind a difference of two profiles, or behind one profile."""

from dataclasses import dataclass, replace
from fractions import Fraction

from sockmeter.explain.costs import NOTHING, Change, PerCall, per_call, total
from sockmeter.explain.stems import is_part, stem
from sockmeter.model.profiles import Profile


@dataclass(frozen=True, slots=True)
class FunctionDifference:
    """What one function did itself for a call, in both profiles."""

    name: str  # its stem
    names: tuple[str, ...]  # as the symbol tables have it, sorted; several where they differ
    change: Change


def function_differences(before: Profile, after: Profile) -> list[FunctionDifference]:
    """Return every function of either profile, the largest difference first.

    Functions that only the compiler's suffix tells apart are one row. Instructions, iterations and
    bytes of the rows sum to those of the whole difference exactly. Entries are calls of the
    function: a part that was split off counts only where the function itself never ran.
    """
    sides = (_by_stem(before), _by_stem(after))
    rows = [
        FunctionDifference(
            name=name,
            names=tuple(sorted({each for side in sides for each in side.get(name, {})})),
            change=Change(*(_merged(side.get(name, {})) for side in sides)),
        )
        for name in sides[0] | sides[1]
    ]
    return sorted(rows, key=_rank)


def function_costs(profile: Profile) -> list[FunctionDifference]:
    """Return every function of one profile, the dearest first, as a difference to nothing."""
    return function_differences(NOTHING, profile)


def _rank(row: FunctionDifference) -> tuple[Fraction, Fraction, str]:
    return -abs(row.change.clock), -row.change.after.clock, row.name


def _by_stem(profile: Profile) -> dict[str, dict[str, PerCall]]:
    groups: dict[str, dict[str, PerCall]] = {}
    for name, cost in profile.functions.items():
        groups.setdefault(stem(name), {})[name] = per_call(cost, profile.calls)
    return groups


def _merged(costs: dict[str, PerCall]) -> PerCall:
    wholes = [cost.entries for name, cost in costs.items() if not is_part(name)]
    entries = wholes or [cost.entries for cost in costs.values()]
    return replace(total(costs.values()), entries=sum(entries, Fraction(0)))
