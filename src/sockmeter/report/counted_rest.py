# SPDX-License-Identifier: MIT
"""Calls of an arm that did not cost what most do: how often, by how much, and which functions."""

from fractions import Fraction

import msgspec

from sockmeter.explain.functions import function_differences
from sockmeter.explain.tree import CallNode, tree_difference
from sockmeter.judge.counted import period_of
from sockmeter.model.counted import CountedArm, Shape
from sockmeter.model.profiles import Profile

# A call below which this share of the difference lies is its reason.
_MOST = Fraction(4, 5)
_NAMED = 2  # functions named where no single call is the reason


class Rest(msgspec.Struct, frozen=True, kw_only=True):
    """Calls that cost the same, but not what most calls of their arm cost."""

    cost: int | None  # instructions; None: several costs together
    calls: int
    period: int | None  # calls from one to the next; None: irregular
    difference: float  # to the commonest cost, instructions, mean
    reason: str  # functions


def rest_of(arm: CountedArm) -> list[Rest]:
    """Return all but the commonest calls of an arm, the most frequent first."""
    if not arm.shapes:
        return []
    common = arm.shapes[0]
    return [_rest(arm, common, shape) for shape in arm.shapes[1:]]


def _rest(arm: CountedArm, common: Shape, shape: Shape) -> Rest:
    tree = tree_difference(common.profile, shape.profile)
    return Rest(
        cost=shape.cost,
        calls=shape.calls,
        period=None if shape.cost is None else period_of(arm.values, shape.cost),
        difference=float(tree.inclusive.clock),
        reason=_reason(tree, common.profile, shape.profile),
    )


def _reason(tree: CallNode, common: Profile, other: Profile) -> str:
    came = _what_came(tree)
    if came is not None:
        return f"{came.name} {_signed(came.inclusive.clock)}"
    rows = [row for row in function_differences(common, other) if row.change.clock]
    named = [f"{row.name} {_signed(row.change.clock)}" for row in rows[:_NAMED]]
    return ", ".join([*named, "…"] if len(rows) > _NAMED else named)


def _what_came(tree: CallNode) -> CallNode | None:
    """Return the highest call that only one side makes and that holds most of the difference."""
    node, whole = tree, tree.inclusive.clock
    while node.children and whole:
        node = max(node.children, key=lambda child: abs(child.inclusive.clock))
        if node.inclusive.clock / whole < _MOST:
            return None
        if not node.inclusive.before.clock or not node.inclusive.after.clock:
            return node
    return None


def _signed(difference: Fraction) -> str:
    sign = "+" if difference > 0 else "−"
    return f"{sign}{abs(float(difference)):,.0f}"
