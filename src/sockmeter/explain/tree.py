# SPDX-License-Identifier: MIT
"""The tree of calls with inclusive costs, of one profile or of the difference of two."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from sockmeter.explain.alignment import Side, pairs, root
from sockmeter.explain.costs import NOTHING, Change
from sockmeter.explain.roles import role
from sockmeter.model.profiles import Profile


@dataclass(frozen=True, slots=True)
class CallNode:
    """A function below its callers, in both profiles."""

    name: str  # its stem; `a → b` where another took its place; "" for several small ones together
    role: str  # what it is for where its name does not say it
    own: Change
    inclusive: Change
    children: tuple["CallNode", ...]
    folded: int = 0  # nodes that this one stands for; 0: itself

    def moved(self) -> Fraction:
        """Return how much of the clock changed here and below, without regard to sign."""
        return abs(self.own.clock) + sum((child.moved() for child in self.children), Fraction(0))


def tree_difference(before: Profile, after: Profile) -> CallNode:
    """Return both trees laid over each other as alignment.py says; its root is named `call`.

    Children stand in the order in which they first ran. Own costs of all nodes sum to the whole
    difference exactly.
    """
    return _laid_over("call", root(before), root(after))


def call_tree(profile: Profile) -> CallNode:
    """Return the tree of one profile, as a difference to nothing."""
    return tree_difference(NOTHING, profile)


def prune(tree: CallNode, least_share: Fraction) -> CallNode:
    """Return `tree` without what moved less than `least_share` of all that moved.

    Small neighbours are folded into one node, so that every sum stays what it was.
    """
    return _pruned(tree, least_share * tree.moved())


def _laid_over(name: str, before: Side, after: Side) -> CallNode:
    children = tuple(_laid_over(one.name, one.before, one.after) for one in pairs(before, after))
    own = Change(before.own, after.own)
    return CallNode(
        name=name,
        role=role(name),
        own=own,
        inclusive=sum((child.inclusive for child in children), own),
        children=children,
    )


def _pruned(node: CallNode, least: Fraction) -> CallNode:
    small = [child for child in node.children if child.moved() < least]
    kept = tuple(_pruned(child, least) for child in node.children if child.moved() >= least)
    return replace(node, children=(*kept, _folded(small)) if small else kept)


def _folded(nodes: Sequence[CallNode]) -> CallNode:
    inclusive = sum((node.inclusive for node in nodes), Change())
    return CallNode(
        name="",
        role="",
        own=inclusive,
        inclusive=inclusive,
        children=(),
        folded=sum(_count(node) for node in nodes),
    )


def _count(node: CallNode) -> int:
    return 1 + sum(_count(child) for child in node.children)
