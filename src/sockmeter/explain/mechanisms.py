# SPDX-License-Identifier: MIT
"""A difference by mechanism: every instruction belongs to exactly one, and the sum closes."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

from sockmeter.explain.catalogue import OTHER, Catalogue, Mechanism
from sockmeter.explain.costs import NOTHING, Change, PerCall, total
from sockmeter.explain.functions import FunctionDifference
from sockmeter.explain.stems import stem
from sockmeter.model.profiles import Profile, TreeNode

_REP = frozenset("0123")
_PLAIN = "."


@dataclass(frozen=True, slots=True)
class Number:
    """How many there were of what a mechanism counts, a call."""

    unit: str
    before: Fraction
    after: Fraction


@dataclass(frozen=True, slots=True)
class MechanismDifference:
    """What one mechanism costs a call, in both profiles."""

    mechanism: Mechanism
    change: Change
    number: Number | None  # None where the mechanism counts nothing
    functions: tuple[FunctionDifference, ...]  # the parts of functions that are in it


def mechanism_differences(
    before: Profile, after: Profile, catalogue: Catalogue
) -> list[MechanismDifference]:
    """Return every mechanism that either profile has, the largest difference first.

    Instructions, iterations and bytes of the rows sum to those of the whole difference exactly.
    """
    left, right = _classify(before, catalogue), _classify(after, catalogue)
    rows = [
        _row(catalogue.mechanisms[each], left.get(each, _Share()), right.get(each, _Share()))
        for each in left | right
    ]
    return sorted(rows, key=_rank)


def mechanism_costs(profile: Profile, catalogue: Catalogue) -> list[MechanismDifference]:
    """Return every mechanism of one profile, the dearest first, as a difference to nothing."""
    return mechanism_differences(NOTHING, profile, catalogue)


@dataclass(slots=True)
class _Share:
    """What belongs to one mechanism, a call."""

    by_stem: dict[str, PerCall] = field(default_factory=dict)
    number: Fraction = Fraction(0)


def _row(mechanism: Mechanism, before: _Share, after: _Share) -> MechanismDifference:
    functions = [
        FunctionDifference(
            name,
            (name,),
            Change(before.by_stem.get(name, PerCall()), after.by_stem.get(name, PerCall())),
        )
        for name in before.by_stem | after.by_stem
    ]
    functions.sort(key=lambda one: (-abs(one.change.clock), -one.change.after.clock, one.name))
    return MechanismDifference(
        mechanism=mechanism,
        change=Change(total(before.by_stem.values()), total(after.by_stem.values())),
        number=Number(mechanism.unit, before.number, after.number) if mechanism.unit else None,
        functions=tuple(functions),
    )


def _rank(row: MechanismDifference) -> tuple[Fraction, Fraction, str]:
    return -abs(row.change.clock), -row.change.after.clock, row.mechanism.id


def _classify(profile: Profile, catalogue: Catalogue) -> dict[str, _Share]:
    classifier = _Classifier(profile.calls, catalogue)
    classifier.take(profile.tree, frozenset())
    return classifier.shares


class _Classifier:
    def __init__(self, calls: int, catalogue: Catalogue) -> None:
        self.shares: dict[str, _Share] = {}
        self._calls = calls
        self._catalogue = catalogue
        self._opened = cache(self._opened_by)

    def take(self, node: TreeNode, open_rules: frozenset[int]) -> None:
        """Add the node and all below it; `open_rules` are those whose `within` holds here."""
        name = stem(node.name)
        here = open_rules | self._opened(name)
        for mechanism, kinds in self._split(name, here, {_PLAIN, *node.kinds}).items():
            self._add(mechanism, name, node, kinds)
        for child in node.children:
            self.take(child, here)

    def _opened_by(self, name: str) -> frozenset[int]:
        return frozenset(
            at
            for at, rule in enumerate(self._catalogue.rules)
            if rule.within is None or rule.within.fullmatch(name)
        )

    def _split(self, name: str, here: frozenset[int], kinds: Iterable[str]) -> dict[str, set[str]]:
        """Return which of the kinds of an instruction belong to which mechanism."""
        left = set(kinds)
        if left & _REP:
            left |= _REP
        found: dict[str, set[str]] = {}
        for at in sorted(here):
            rule = self._catalogue.rules[at]
            if rule.functions is not None and not rule.functions.fullmatch(name):
                continue
            taken = left & rule.kinds if rule.kinds else set(left)
            if taken:
                found.setdefault(rule.mechanism, set()).update(taken)
                left -= taken
        if left:
            found.setdefault(OTHER, set()).update(left)
        return found

    def _add(self, mechanism: str, name: str, node: TreeNode, kinds: set[str]) -> None:
        """Add the part of the node that has those kinds; it is entered by its plain part."""
        has_iterations = bool(kinds & _REP)
        entries = node.entries if _PLAIN in kinds else 0
        cost = PerCall(
            Fraction(entries, self._calls),
            Fraction(sum(node.kinds.get(kind, 0) for kind in kinds), self._calls),
            Fraction(node.iterations if has_iterations else 0, self._calls),
            Fraction(node.iteration_bytes if has_iterations else 0, self._calls),
        )
        if cost == PerCall():
            return
        share = self.shares.setdefault(mechanism, _Share())
        share.by_stem[name] = share.by_stem.get(name, PerCall()) + cost
        share.number += self._number(mechanism, name, node, kinds, cost.entries)

    def _number(
        self, mechanism: str, name: str, node: TreeNode, kinds: set[str], entries: Fraction
    ) -> Fraction:
        counted = self._catalogue.mechanisms[mechanism]
        if counted.count_kinds:
            found = sum(node.kinds.get(kind, 0) for kind in kinds & set(counted.count_kinds))
            return Fraction(found, self._calls * counted.every)
        pattern = self._catalogue.entries.get(mechanism)
        return entries if pattern is not None and pattern.fullmatch(name) else Fraction(0)
