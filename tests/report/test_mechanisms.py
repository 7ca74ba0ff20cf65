# SPDX-License-Identifier: MIT
"""The mechanism tables of real profiles."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from sockmeter.explain.catalogue import own_catalogue
from sockmeter.explain.mechanisms import mechanism_costs, mechanism_differences
from sockmeter.report.fitting import draw_text
from sockmeter.report.mechanisms import mechanism_difference_table, mechanism_table
from sockmeter.report.tables import draw_markdown
from tests.explain.make_profiles import make_node, make_profile, read_profile
from tests.report.test_renderings import render

Golden = Callable[[str, str], None]

OWN = own_catalogue()


def test_recvfrom_against_recvmsg(golden: Golden) -> None:
    """The import leads, then what it copies; nine rows have no difference."""
    rows = mechanism_differences(
        read_profile("debian-6.1-recvfrom"), read_profile("debian-6.1-recvmsg"), OWN
    )
    table = mechanism_difference_table(rows, Fraction(496), "recvfrom → recvmsg")
    golden("explain-mechanisms-difference.txt", render(draw_text(table), width=160))
    golden("explain-mechanisms-difference.md", draw_markdown(table))


@pytest.mark.parametrize(
    ("name", "cost"),
    [
        ("debian-6.1-recvmsg", 2363),
        ("debian-6.1-sendmsg", 7167),
        ("debian-6.12-smp-tcp-recv", 2010),
    ],
)
def test_a_call_by_mechanism(golden: Golden, name: str, cost: int) -> None:
    rows = mechanism_costs(read_profile(name), OWN)
    table = mechanism_table(rows, Fraction(cost), name)
    golden(f"explain-mechanisms-{name}.txt", render(draw_text(table), width=160))


def test_rows_that_do_not_sum_to_the_clock_are_refused() -> None:
    rows = mechanism_costs(make_profile(make_node("kfree")), OWN)
    for draw in (mechanism_table, mechanism_difference_table):
        with pytest.raises(ValueError, match="the rows sum to 10 and 12 was measured"):
            draw(rows, Fraction(12), "f")


def test_a_mechanism_whose_parts_cancel_is_shown() -> None:
    """One function for another of the same cost is a difference."""
    rows = mechanism_differences(
        make_profile(make_node("kfree")), make_profile(make_node("kmem_cache_free")), OWN
    )
    table = mechanism_difference_table(rows, Fraction(0), "free")
    assert "kmem_cache_free +10, kfree −10" == table.rows[0][-1].text
