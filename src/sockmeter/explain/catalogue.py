# SPDX-License-Identifier: MIT
"""The file that says which mechanism an instruction belongs to: read, checked, extended.

docs/explain.md describes the format. The project's own file is mechanisms.toml beside this one.
"""

import re
from importlib import resources

import msgspec

from sockmeter.explain.patterns import compile_patterns
from sockmeter.model.errors import PlanError

OTHER = "other"  # of whatever no rule fits
_LETTERS = frozenset(".L0123cCjJrsSinahRbem")  # docs/exact.md, "Kinds"
_REP = frozenset("0123")
_OWN = "mechanisms.toml"


class MechanismsError(PlanError):
    """A file of mechanisms cannot be understood, or contradicts itself."""


class Mechanism(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that a network developer argues about."""

    id: str
    title: str
    about: str = ""  # what it holds and what it does not
    unit: str = ""  # of its number, in the plural; "" where it has none
    # The number is either the instructions of these kinds in it, divided by `every`, or how often
    # these functions were entered.
    count_kinds: str = ""
    every: int = 1
    count_entries: list[str] = []


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All conditions that are given must hold."""

    mechanism: str  # its id
    functions: list[str] = []  # the function is one of these
    within: list[str] = []  # the function, or one that it was called from, is one of these
    kinds: str = ""  # the instruction's letter is one of these


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    mechanism: list[Mechanism] = []
    rule: list[Rule] = []


class CompiledRule:
    """A rule, ready for names."""

    def __init__(self, rule: Rule) -> None:
        self.mechanism = rule.mechanism
        self.functions = _compiled(rule.functions)
        self.within = _compiled(rule.within)
        self.kinds = frozenset(rule.kinds)


class Catalogue:
    """Mechanisms and the rules in their order: the first that fits counts."""

    def __init__(self, mechanisms: dict[str, Mechanism], rules: list[Rule]) -> None:
        self.mechanisms = mechanisms
        self._rules = rules
        self.rules = [CompiledRule(rule) for rule in rules]
        self.entries = {
            one.id: compile_patterns(one.count_entries)
            for one in mechanisms.values()
            if one.count_entries
        }

    def extended(self, text: str, name: str) -> "Catalogue":
        """Return a catalogue in which what the TOML `text` says goes before everything here.

        Its rules are asked first; a mechanism of an id that is known takes the old one's place.
        Raises MechanismsError, which calls the text `name`.
        """
        file = _read(text, name)
        given = [one.id for one in file.mechanism]
        twice = next((one for one in given if given.count(one) > 1), None)
        if twice is not None:
            raise MechanismsError(f"{name} has two mechanisms {twice}")
        mechanisms = {**self.mechanisms, **{one.id: one for one in file.mechanism}}
        for mechanism in file.mechanism:
            _check_mechanism(mechanism, name)
        for number, rule in enumerate(file.rule, start=1):
            _check_rule(rule, mechanisms, f"rule {number} of {name}")
        return Catalogue(mechanisms, [*file.rule, *self._rules])


def own_catalogue() -> Catalogue:
    """Return the project's own mechanisms."""
    text = resources.files(__package__).joinpath(_OWN).read_text(encoding="utf-8")
    return Catalogue({}, []).extended(text, _OWN)


def _read(text: str, name: str) -> _File:
    try:
        return msgspec.toml.decode(text, type=_File)
    # Besides TOML that is none: a number too long for int, tables too deep.
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise MechanismsError(
            f"{name} cannot be understood: {error}", mend="docs/explain.md has the format"
        ) from error


def _check_mechanism(mechanism: Mechanism, name: str) -> None:
    what = f"mechanism {mechanism.id} of {name}"
    ways = bool(mechanism.count_kinds) + bool(mechanism.count_entries)
    if ways != bool(mechanism.unit):
        raise MechanismsError(
            f"{what} needs a unit and one of count_kinds and count_entries, or none of the three"
        )
    if mechanism.every < 1:
        raise MechanismsError(f"{what} counts every {mechanism.every}th instruction")
    _check_kinds(mechanism.count_kinds, what)


def _check_rule(rule: Rule, mechanisms: dict[str, Mechanism], what: str) -> None:
    if rule.mechanism not in mechanisms:
        raise MechanismsError(
            f"{what} names a mechanism {rule.mechanism}, which there is none",
            mend=f"there are {', '.join(mechanisms)}",
        )
    if not (rule.functions or rule.within or rule.kinds):
        raise MechanismsError(f"{what} has no condition", mend="give functions, within or kinds")
    _check_kinds(rule.kinds, what)
    # The iterations of a function are counted together for all widths.
    if set(rule.kinds) & _REP and not set(rule.kinds) >= _REP:
        raise MechanismsError(f"{what} names some widths of REP", mend='name them all: "0123"')


def _check_kinds(kinds: str, what: str) -> None:
    unknown = set(kinds) - _LETTERS
    if unknown:
        raise MechanismsError(
            f"{what} names a kind {min(unknown)!r}", mend="docs/exact.md lists the letters"
        )


def _compiled(patterns: list[str]) -> re.Pattern[str] | None:
    return compile_patterns(patterns) if patterns else None
