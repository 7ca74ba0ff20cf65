# SPDX-License-Identifier: MIT
"""An arm whose calls do not all cost the same: the commonest cost leads, the rest is explained."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sockmeter.explain.causes import cause, clocks
from sockmeter.explain.costs import NOTHING
from sockmeter.explain.functions import FunctionDifference, function_differences
from sockmeter.model.counted import Shape
from sockmeter.model.profiles import FunctionCost, Profile

_LEAST_PERIODS = 2  # of a sequence that is said to repeat
_LONGEST_PERIOD = 4096  # calls that is looked for
_AGREEING = 0.9  # of the calls that are not modal: a timer tick may fall anywhere
_FEWEST = 3  # calls that have a rhythm


@dataclass(frozen=True, slots=True)
class Group:
    """Calls that cost other than the commonest for one cause."""

    cause: str  # in words, for a sentence like "1 in 32 calls …"; "" for the modal calls
    calls: int
    share: Fraction  # of all calls
    extra: Fraction  # their mean minus the modal cost
    costs: tuple[int, int] | None  # the least and the greatest; None where some were not kept
    every: int | None  # calls from one to the next, where that is always the same
    functions: tuple[FunctionDifference, ...]  # that differ from the modal calls, the most first

    @property
    def weight(self) -> Fraction:
        """What the group adds to the mean of all calls."""
        return self.extra * self.share


@dataclass(frozen=True, slots=True)
class Distribution:
    """All calls of an arm. The mean is the modal cost and the weights of the rest, exactly."""

    calls: int
    cost: int  # the modal one, instructions and iterations
    modal: Group
    mean: Fraction
    rest: tuple[Group, ...]  # what adds most to the mean, or takes most from it, first
    period: int | None  # calls after which the whole sequence repeats


def distribution(values: Sequence[tuple[int, int]], shapes: Sequence[Shape]) -> Distribution:
    """Return the distribution of an arm.

    `values` are (cost, calls in a row that took it), in order; `shapes` the same calls by cost.
    Of two costs that are as common the smaller is modal. Raises ValueError where values and shapes
    are not the same calls, or none has a cost.
    """
    calls = sum(shape.calls for shape in shapes)
    sequence = np.repeat([cost for cost, _ in values], [times for _, times in values])
    _refuse_foreign(sequence, shapes)
    modal = max((shape for shape in shapes if shape.cost is not None), key=_commonness)
    usual = clocks(modal.profile)
    by_cause: dict[str, list[Shape]] = {}
    for shape in shapes:
        if shape is not modal:
            by_cause.setdefault(cause(usual, clocks(shape.profile)), []).append(shape)
    known = [shape.cost for shape in shapes if shape.cost is not None]

    def make(words: str, group: Sequence[Shape]) -> Group:
        costs = [shape.cost for shape in group]
        places = np.isin(sequence, [cost for cost in costs if cost is not None])
        if None in costs:
            places |= ~np.isin(sequence, known)
        return _group(words, group, modal, calls, np.flatnonzero(places))

    rest = [make(words, group) for words, group in by_cause.items()]
    assert modal.cost is not None
    return Distribution(
        calls=calls,
        cost=modal.cost,
        modal=make("", [modal]),
        mean=sum((group.weight for group in rest), Fraction(modal.cost)),
        rest=tuple(sorted(rest, key=lambda group: (-abs(group.weight), group.cause))),
        period=_period(sequence, modal.cost),
    )


def _refuse_foreign(sequence: npt.NDArray[np.int64], shapes: Sequence[Shape]) -> None:
    costs, counts = np.unique(sequence, return_counts=True)
    seen = dict(zip(costs.tolist(), counts.tolist(), strict=True))
    for shape in shapes:
        if shape.cost is not None and seen.pop(shape.cost, 0) != shape.calls:
            raise ValueError(f"the {shape.calls} calls of {shape.cost} are not those in order")
    if sum(seen.values()) != sum(shape.calls for shape in shapes if shape.cost is None):
        raise ValueError("calls in order have no shape")


def _commonness(shape: Shape) -> tuple[int, int]:
    assert shape.cost is not None
    return shape.calls, -shape.cost


def _group(
    words: str,
    shapes: Sequence[Shape],
    modal: Shape,
    calls: int,
    positions: npt.NDArray[np.int64],
) -> Group:
    together = _together([shape.profile for shape in shapes])
    rows = function_differences(modal.profile, together)
    costs = [shape.cost for shape in shapes if shape.cost is not None]
    return Group(
        cause=words,
        calls=together.calls,
        share=Fraction(together.calls, calls),
        extra=sum((row.change.clock for row in rows), Fraction(0)),
        costs=(min(costs), max(costs)) if len(costs) == len(shapes) else None,
        every=_rhythm(positions),
        functions=tuple(row for row in rows if row.change.clock),
    )


def _together(profiles: Sequence[Profile]) -> Profile:
    """Return the functions of several profiles added; tree and kinds are left out."""
    functions: dict[str, FunctionCost] = {}
    for profile in profiles:
        for name, cost in profile.functions.items():
            known = functions.get(name)
            functions[name] = cost if known is None else _added(known, cost)
    return Profile(
        calls=sum(profile.calls for profile in profiles), functions=functions, tree=NOTHING.tree
    )


def _added(one: FunctionCost, other: FunctionCost) -> FunctionCost:
    return FunctionCost(
        entries=one.entries + other.entries,
        instructions=one.instructions + other.instructions,
        iterations=one.iterations + other.iterations,
        iteration_bytes=one.iteration_bytes + other.iteration_bytes,
        kinds={},
    )


def _rhythm(positions: npt.NDArray[np.int64]) -> int | None:
    if len(positions) < _FEWEST:
        return None
    gaps = np.diff(positions)
    return int(gaps[0]) if gaps.min() == gaps.max() and gaps[0] > 1 else None


def _period(sequence: npt.NDArray[np.int64], modal: int) -> int | None:
    """Return the shortest distance at which nearly all calls that are not modal recur."""
    others = np.flatnonzero(sequence != modal)
    longest = min(len(sequence) // _LEAST_PERIODS, _LONGEST_PERIOD)
    for period in range(2, longest + 1):
        earlier = others[others + period < len(sequence)]
        if len(earlier) < _FEWEST:
            return None
        agreeing = np.count_nonzero(sequence[earlier + period] == sequence[earlier])
        if agreeing >= _AGREEING * len(earlier):
            return period
    return None
