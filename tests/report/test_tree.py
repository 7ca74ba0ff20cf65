# SPDX-License-Identifier: MIT
"""The tree tables of real profiles."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from sockmeter.explain.tree import call_tree, prune, tree_difference
from sockmeter.report.fitting import draw_text
from sockmeter.report.tables import draw_markdown
from sockmeter.report.tree import tree_difference_table, tree_table
from tests.explain.make_profiles import make_node, make_profile, read_profile
from tests.report.test_renderings import render

Golden = Callable[[str, str], None]


def test_one_tree(golden: Golden) -> None:
    tree = prune(call_tree(read_profile("debian-6.1-recvmsg")), Fraction(2, 100))
    golden("explain-tree.txt", render(draw_text(tree_table(tree, Fraction(2363), "recvmsg"))))


def test_the_difference_of_two_trees(golden: Golden) -> None:
    """recvfrom and recvmsg share what they have in common; the header's import stands out."""
    tree = prune(
        tree_difference(read_profile("debian-6.1-recvfrom"), read_profile("debian-6.1-recvmsg")),
        Fraction(2, 100),
    )
    table = tree_difference_table(tree, Fraction(496), "recvfrom → recvmsg")
    golden("explain-tree-difference.txt", render(draw_text(table)))
    golden("explain-tree-difference.md", draw_markdown(table))


def test_a_tree_that_does_not_sum_to_the_clock_is_refused() -> None:
    tree = call_tree(make_profile(make_node("f")))
    for draw in (tree_table, tree_difference_table):
        with pytest.raises(ValueError, match="the rows sum to 10 and 9 was measured"):
            draw(tree, Fraction(9), "f")


def test_a_retpoline_is_named_as_such() -> None:
    hook = make_node("apparmor_socket_recvmsg")
    thunk = make_node("__x86_indirect_thunk_array", hook)
    tree = call_tree(make_profile(make_node("security_socket_recvmsg", thunk)))
    table = tree_table(tree, Fraction(30), "recv")
    assert [
        "call",
        "· security_socket_recvmsg",
        "·· __x86_indirect_thunk_array (retpoline)",
        "·· apparmor_socket_recvmsg",
    ] == [row[0].text for row in table.rows]
