# SPDX-License-Identifier: MIT
"""Folded stacks for the usual viewers, and the frames of a flame graph of our own."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from sockmeter.explain.costs import Change
from sockmeter.explain.tree import CallNode, call_tree, tree_difference
from sockmeter.model.profiles import Profile


@dataclass(frozen=True, slots=True)
class Folded:
    """Stacks, root first, one a line."""

    text: str
    calls: int  # that the counts are of: as few as make every count whole


@dataclass(frozen=True, slots=True)
class Frame:
    """A bar of a flame graph. Lengths are instructions and iterations a call."""

    name: str
    role: str
    depth: int  # 0: the root
    left: Fraction
    width: Fraction
    own: Change
    inclusive: Change


def folded(profile: Profile) -> Folded:
    """Return the stacks of a profile, `a;b;c COUNT` a line, as flamegraph.pl and speedscope read.

    A count is the own cost of the last function, instructions and iterations, of `calls` calls.
    """
    stacks = {
        stack: change.after.clock for stack, change in _stacks(call_tree(profile)) if change.clock
    }
    calls = lcm(*(clock.denominator for clock in stacks.values()))
    lines = [f"{stack} {clock * calls}" for stack, clock in stacks.items()]
    return Folded("".join(f"{line}\n" for line in lines), calls)


def folded_difference(before: Profile, after: Profile) -> Folded:
    """Return the stacks of both, `a;b;c BEFORE AFTER` a line, the form of difffolded.pl."""
    stacks = {
        stack: (change.before.clock, change.after.clock)
        for stack, change in _stacks(tree_difference(before, after))
        if change.before.clock or change.after.clock
    }
    calls = lcm(*(clock.denominator for pair in stacks.values() for clock in pair))
    lines = [f"{stack} {pair[0] * calls} {pair[1] * calls}" for stack, pair in stacks.items()]
    return Folded("".join(f"{line}\n" for line in lines), calls)


def flame_frames(tree: CallNode) -> list[Frame]:
    """Return the bars of a tree, parents before their children, which stand on them side by side.

    A bar is as wide as what stands on it and the function's own cost; of a difference, the dearer
    of both sides, so that what only one side has is seen too.
    """
    return list(_frames(tree, 0, Fraction(0)))


def _stacks(node: CallNode, above: str = "") -> Iterator[tuple[str, Change]]:
    # Both formats give ; and the last space a meaning.
    stack = f"{above};{node.name}" if above else node.name
    stack = stack.replace(" ", "_")
    yield stack, node.own
    for child in node.children:
        yield from _stacks(child, stack)


def _frames(node: CallNode, depth: int, left: Fraction) -> Iterator[Frame]:
    yield Frame(node.name, node.role, depth, left, _width(node), node.own, node.inclusive)
    for child in node.children:
        yield from _frames(child, depth + 1, left)
        left += _width(child)


def _width(node: CallNode) -> Fraction:
    own = max(node.own.before.clock, node.own.after.clock)
    return sum((_width(child) for child in node.children), own)
