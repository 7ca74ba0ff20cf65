# SPDX-License-Identifier: MIT
"""The tables of --tree: calls below their callers, with inclusive costs."""

from collections.abc import Iterator
from fractions import Fraction

from sockmeter.explain.tree import CallNode
from sockmeter.report.functions_cells import cost, difference, refuse_open, share
from sockmeter.report.tables import Cell, Table

_STEP = "·"  # one a level: leading spaces do not survive Markdown


def tree_table(tree: CallNode, measured: Fraction, title: str) -> Table:
    """Return the tree of one profile, from explain.tree.call_tree, pruned or not.

    `measured` is the cost of a call by the guest's clock; raises ValueError where the tree does
    not sum to it.
    """
    refuse_open(tree.inclusive.clock, measured)
    return Table(
        title=title,
        columns=["call", "entered", "own\ninstr.", "own\nbytes", "inclusive\nin all", "share"],
        rows=[
            [
                _name(node, depth),
                _entered(node, node.own.after.entries),
                cost(node.own.after.instructions),
                cost(node.own.after.iteration_bytes),
                cost(node.inclusive.clock),
                share(node.inclusive.clock, measured),
            ]
            for node, depth in _walk(tree)
        ],
    )


def tree_difference_table(tree: CallNode, measured: Fraction, title: str) -> Table:
    """Return the tree of a difference, from explain.tree.tree_difference, pruned or not.

    `measured` is the difference of the costs of a call by the guest's clock; raises ValueError
    where the tree does not sum to it.
    """
    refuse_open(tree.inclusive.clock, measured)
    return Table(
        title=title,
        columns=[
            "call",
            "inclusive\nbefore",
            "inclusive\nafter",
            "difference\nin all",
            "own\ninstr.",
            "own\nbytes",
        ],
        rows=[
            [
                _name(node, depth),
                cost(node.inclusive.before.clock),
                cost(node.inclusive.after.clock),
                difference(node.inclusive.clock),
                difference(node.own.instructions),
                difference(node.own.iteration_bytes),
            ]
            for node, depth in _walk(tree)
        ],
    )


def _walk(node: CallNode, depth: int = 0) -> Iterator[tuple[CallNode, int]]:
    yield node, depth
    for child in node.children:
        yield from _walk(child, depth + 1)


def _name(node: CallNode, depth: int) -> Cell:
    name = f"{node.folded:,} smaller" if node.folded else node.name
    # The probe's functions say themselves whose they are.
    role = f" ({node.role})" if node.role and f"[{node.role}]" not in name else ""
    indent = f"{_STEP * depth} " if depth else ""
    return Cell(f"{indent}{name}{role}", "dim" if node.folded else "")


def _entered(node: CallNode, entries: Fraction) -> Cell:
    return Cell("") if node.folded else cost(entries)
