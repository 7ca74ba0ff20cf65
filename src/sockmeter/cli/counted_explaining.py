# SPDX-License-Identifier: MIT
"""What stands behind exact counts: functions, the tree of calls, mechanisms, a flame graph."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import msgspec

from sockmeter.cli.inlet import read_words
from sockmeter.cli.options import OutputFormat
from sockmeter.explain.catalogue import Catalogue, own_catalogue
from sockmeter.explain.flame import flame_frames, folded, folded_difference
from sockmeter.explain.functions import function_costs, function_differences
from sockmeter.explain.mechanisms import mechanism_costs, mechanism_differences
from sockmeter.explain.tree import call_tree, prune, tree_difference
from sockmeter.files.whole import prove_writable, write_whole
from sockmeter.judge.counted import void_reason
from sockmeter.model.counted import CountedArm, Shape
from sockmeter.model.errors import PlanError
from sockmeter.report.flame import flame_difference_svg, flame_svg
from sockmeter.report.functions import function_difference_table, function_table
from sockmeter.report.mechanisms import mechanism_difference_table, mechanism_table
from sockmeter.report.tables import Table
from sockmeter.report.tree import tree_difference_table, tree_table

_LEAST_SHARE = Fraction(1, 100)  # of what a tree moved that a node must have to be shown
_MEND_FLAME = "name another file with --flame"
_FORMATS = (OutputFormat.TEXT, OutputFormat.MARKDOWN, OutputFormat.JSON)


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """Which explanations were asked for."""

    functions: bool = False
    tree: bool = False
    mechanisms: bool = False
    rules: Path | None = None  # mechanisms of the user's own, before the project's
    flame: Path | None = None  # .svg, else folded stacks

    @property
    def has_tables(self) -> bool:
        """Whether anything is to be printed."""
        return self.functions or self.tree or self.mechanisms


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """The explanations of one arm."""

    label: str
    against: str | None  # None: the arm alone
    tables: dict[str, Table]  # by kind


class _Subject(msgspec.Struct, frozen=True, kw_only=True):
    """The commonest calls of an arm, and of the one that it is set against."""

    label: str
    after: Shape
    against: str | None
    before: Shape | None

    @property
    def title(self) -> str:
        """What the tables are of."""
        return f"{self.label} against {self.against}" if self.against else self.label

    @property
    def measured(self) -> Fraction:
        """What a table must sum to, by the guest's clock."""
        return Fraction((self.after.cost or 0) - ((self.before.cost or 0) if self.before else 0))


def check_wish(wish: Wish, format: OutputFormat) -> None:
    """Refuse what cannot be printed, and a file that cannot be written, before anything runs."""
    if wish.has_tables and format not in _FORMATS:
        raise PlanError(
            f"--format {format} has no room for functions, trees and mechanisms",
            mend="take text, markdown or json",
        )
    if wish.rules is not None:
        if not wish.mechanisms:
            raise PlanError("--rules sorts functions into mechanisms", mend="add --mechanisms")
        _catalogue(wish)
    if wish.flame is not None:
        prove_writable(wish.flame, replace=True, mend=_MEND_FLAME)


def explain_arms(
    arms: Sequence[CountedArm], against: Sequence[int | None], labels: Sequence[str], wish: Wish
) -> list[Explained]:
    """Return what was asked for of every arm that is set against another, or of a single one.

    Writes the flame graphs; of several arms, the further ones beside the file that was named.
    """
    subjects = list(_subjects(arms, against, labels))
    catalogue = _catalogue(wish) if wish.mechanisms else None
    if wish.flame is not None:
        for number, subject in enumerate(subjects):
            path = (
                wish.flame
                if number == 0
                else wish.flame.with_stem(f"{wish.flame.stem}-{number + 1}")
            )
            drawing = _flame(subject, is_svg=path.suffix == ".svg")
            write_whole(path, drawing, replace=True, mend=_MEND_FLAME)
    return [
        Explained(
            label=subject.label,
            against=subject.against,
            tables=dict(_tables(subject, wish, catalogue)),
        )
        for subject in subjects
    ]


def _subjects(
    arms: Sequence[CountedArm], against: Sequence[int | None], labels: Sequence[str]
) -> Iterator[_Subject]:
    for arm, reference, label in zip(arms, against, labels, strict=True):
        if not _is_sound(arm):
            continue
        if reference is None:
            if len(arms) == 1:
                yield _Subject(label=label, after=arm.shapes[0], against=None, before=None)
        elif _is_sound(arms[reference]):
            yield _Subject(
                label=label,
                after=arm.shapes[0],
                against=labels[reference],
                before=arms[reference].shapes[0],
            )


def _is_sound(arm: CountedArm) -> bool:
    return bool(arm.shapes) and arm.shapes[0].cost is not None and void_reason(arm) is None


def _tables(
    subject: _Subject, wish: Wish, catalogue: Catalogue | None
) -> Iterator[tuple[str, Table]]:
    measured, title = subject.measured, subject.title
    before = subject.before.profile if subject.before else None
    after = subject.after.profile
    if wish.functions:
        name = f"{title}: functions, a call"
        if before is None:
            yield "functions", function_table(function_costs(after), measured, name)
        else:
            rows = function_differences(before, after)
            yield "functions", function_difference_table(rows, measured, name)
    if wish.mechanisms and catalogue is not None:
        name = f"{title}: mechanisms, a call"
        if before is None:
            costs = mechanism_costs(after, catalogue)
            yield "mechanisms", mechanism_table(costs, measured, name)
        else:
            changes = mechanism_differences(before, after, catalogue)
            yield "mechanisms", mechanism_difference_table(changes, measured, name)
    if wish.tree:
        name = f"{title}: the tree of calls, a call"
        if before is None:
            tree = prune(call_tree(after), _LEAST_SHARE)
            yield "tree", tree_table(tree, measured, name)
        else:
            tree = prune(tree_difference(before, after), _LEAST_SHARE)
            yield "tree", tree_difference_table(tree, measured, name)


def _flame(subject: _Subject, *, is_svg: bool) -> str:
    after = subject.after.profile
    if subject.before is None:
        if is_svg:
            return flame_svg(flame_frames(call_tree(after)), subject.title)
        return folded(after).text
    before = subject.before.profile
    if is_svg:
        return flame_difference_svg(flame_frames(tree_difference(before, after)), subject.title)
    return folded_difference(before, after).text


def _catalogue(wish: Wish) -> Catalogue:
    if wish.rules is None:
        return own_catalogue()
    return own_catalogue().extended(read_words(wish.rules), str(wish.rules))
