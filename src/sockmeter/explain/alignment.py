# SPDX-License-Identifier: MIT
"""Which calls of two trees are the same call, also where the functions around them differ.

recvfrom and recvmsg meet in sock_recvmsg, by ways of different names and lengths; so do two
kernels of which one has a wrapper more. What only one side has is left alone on its side.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from msgspec import structs

from sockmeter.explain.costs import PerCall, per_call, total
from sockmeter.explain.roles import RETPOLINE, RETURN, role
from sockmeter.explain.stems import stem
from sockmeter.model.profiles import Profile, TreeNode


@dataclass(frozen=True, slots=True)
class Side:
    """All calls of one function below one caller, in one profile."""

    name: str  # its stem
    own: PerCall
    children: dict[str, "Side"]  # by stem, in the order in which they first ran
    clock_by_stem: dict[str, Fraction]  # own costs here and below
    clock: Fraction  # here and below


@dataclass(frozen=True, slots=True)
class Pair:
    """What is taken for one call; at least one of the two is more than nothing."""

    name: str
    before: Side
    after: Side


NOWHERE = Side("", PerCall(), {}, {}, Fraction(0))


def root(profile: Profile) -> Side:
    """Return the whole tree of a profile as one side.

    What a retpoline calls stands beside it, below the function that called through it.
    """
    return _gathered("", [profile.tree], profile.calls)


def pairs(before: Side, after: Side) -> list[Pair]:
    """Return the children of two nodes that were taken for one call, paired.

    First by name. Then a function that only one side has, and that mostly holds what the other
    side calls directly, is taken for a wrapper around it. What is left is paired where both hold
    mostly the same. A call that one side makes from inside a pair, and the other from beside it,
    as tail calls do, is put inside. Every child of either side is in exactly one pair.
    """
    left, right = dict(before.children), dict(after.children)
    places = {name: at for side in (left, right) for at, name in enumerate(side)}
    found = {
        name: Pair(name, left.pop(name), right.pop(name)) for name in list(left) if name in right
    }
    for name, inside in _wrappers(right, left):
        found[name] = Pair(name, inside, right.pop(name))
    for name, inside in _wrappers(left, right):
        found[name] = Pair(name, left.pop(name), inside)
    for one, other in _lookalikes(left, right):
        found[other] = Pair(f"{one} → {other}", left.pop(one), right.pop(other))
    for name, pair in found.items():
        found[name] = Pair(
            pair.name,
            _with_children(pair.before, _taken(left, pair.before, pair.after)),
            _with_children(pair.after, _taken(right, pair.after, pair.before)),
        )
    found |= {name: Pair(name, side, NOWHERE) for name, side in left.items()}
    found |= {name: Pair(name, NOWHERE, side) for name, side in right.items()}
    return [found[name] for name in sorted(found, key=lambda name: places[name])]


def _gathered(name: str, nodes: Sequence[TreeNode], calls: int) -> Side:
    own = total(per_call(node, calls) for node in nodes)
    groups: dict[str, list[TreeNode]] = {}
    for child in _callees(nodes):
        groups.setdefault(stem(child.name), []).append(child)
    children = {each: _gathered(each, group, calls) for each, group in groups.items()}
    return _side(name, own, children)


def _side(name: str, own: PerCall, children: dict[str, Side]) -> Side:
    clock_by_stem = {name: own.clock} if own.clock else {}
    for child in children.values():
        for each, clock in child.clock_by_stem.items():
            clock_by_stem[each] = clock_by_stem.get(each, Fraction(0)) + clock
    clock = sum((child.clock for child in children.values()), own.clock)
    return Side(name, own, children, clock_by_stem, clock)


def _callees(nodes: Iterable[TreeNode]) -> list[TreeNode]:
    found = []
    for node in nodes:
        for child in node.children:
            if role(child.name) == RETPOLINE:
                found += [structs.replace(child, children=[]), *_callees([child])]
            else:
                found.append(child)
    return found


def _wrappers(outer: dict[str, Side], inner: dict[str, Side]) -> list[tuple[str, Side]]:
    """Take out of `inner` what functions of `outer` wrap; return both."""
    found = []
    for name, wrapper in outer.items():
        held = {
            each: side
            for each, side in inner.items()
            if each in wrapper.clock_by_stem and role(each) != RETURN
        }
        if 2 * sum(side.clock for side in held.values()) > wrapper.clock:
            found.append((name, _side("", PerCall(), held)))
            for each in held:
                del inner[each]
    return found


def _lookalikes(left: dict[str, Side], right: dict[str, Side]) -> list[tuple[str, str]]:
    """Return names of both sides that hold mostly the same, the surest first, each name once."""
    ranked = sorted(
        (-_shared(one, other), name, other_name)
        for name, one in left.items()
        for other_name, other in right.items()
        if 2 * _shared(one, other) > min(one.clock, other.clock)
    )
    found: dict[str, str] = {}
    for _, name, other_name in ranked:
        if name not in found and other_name not in found.values():
            found[name] = other_name
    return list(found.items())


def _shared(one: Side, other: Side) -> Fraction:
    return sum(
        (
            min(clock, other.clock_by_stem[name])
            for name, clock in one.clock_by_stem.items()
            if name in other.clock_by_stem and role(name) != RETURN
        ),
        Fraction(0),
    )


def _taken(beside: dict[str, Side], here: Side, there: Side) -> dict[str, Side]:
    """Take out of `beside` what the other side calls inside the pair, and this one does not."""
    names = [
        name
        for name in beside
        if name in there.children and name not in here.children and role(name) != RETURN
    ]
    return {name: beside.pop(name) for name in names}


def _with_children(side: Side, more: dict[str, Side]) -> Side:
    return _side(side.name, side.own, {**side.children, **more}) if more else side
