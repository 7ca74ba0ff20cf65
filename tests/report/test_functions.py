# SPDX-License-Identifier: MIT
"""The function tables of real profiles, in every format, and that an open sum is refused."""

from collections.abc import Callable
from fractions import Fraction

import msgspec
import pytest

from sockmeter.explain.functions import function_costs, function_differences
from sockmeter.report.fitting import draw_text
from sockmeter.report.functions import function_difference_table, function_table
from sockmeter.report.functions_cells import number, signed
from sockmeter.report.tables import Table, draw_markdown, table_csv, table_objects
from tests.explain.make_profiles import make_node, make_profile, read_profile
from tests.report.test_renderings import render

Golden = Callable[[str, str], None]


def make_unchecked_table() -> Table:
    """Return what hardened_usercopy=off changes in a recvmsg."""
    rows = function_differences(
        read_profile("debian-6.1-recvmsg"), read_profile("debian-6.1-recvmsg-unchecked")
    )
    return function_difference_table(rows, Fraction(-250), "recvmsg: hardened_usercopy on → off")


def test_a_difference_by_function(golden: Golden) -> None:
    """The check and what it calls lead; the sum is that of the clock."""
    golden("explain-functions-difference.txt", render(draw_text(make_unchecked_table())))


def test_a_difference_by_function_in_other_formats(golden: Golden) -> None:
    table = make_unchecked_table()
    golden("explain-functions-difference.md", draw_markdown(table))
    golden("explain-functions-difference.csv", table_csv(table))
    drawn = msgspec.json.format(msgspec.json.encode(table_objects(table))).decode()
    golden("explain-functions-difference.json", drawn + "\n")


def test_two_kernels_by_function(golden: Golden) -> None:
    rows = function_differences(
        read_profile("debian-6.1-recvmsg"), read_profile("debian-6.12-recvmsg")
    )
    table = function_difference_table(rows, Fraction(-137), "recvmsg: 6.1 → 6.12", most=12)
    golden("explain-functions-kernels.txt", render(draw_text(table)))


def test_one_profile_by_function(golden: Golden) -> None:
    table = function_table(
        function_costs(read_profile("debian-6.1-recvmsg")), Fraction(2363), "recvmsg", most=15
    )
    golden("explain-functions.txt", render(draw_text(table)))


def test_rows_that_do_not_sum_to_the_clock_are_refused() -> None:
    """A table that does not close is not shown."""
    rows = function_costs(make_profile(make_node("f")))
    with pytest.raises(ValueError, match="the rows sum to 10 and 11 was measured"):
        function_table(rows, Fraction(11), "f")
    with pytest.raises(ValueError, match="the rows sum to 10 and 11 was measured"):
        function_difference_table(rows, Fraction(11), "f")


def test_rows_that_are_not_named_are_still_summed() -> None:
    nodes = [make_node(f"f{at}", kinds={".": at}) for at in range(1, 11)]
    table = function_table(function_costs(make_profile(*nodes)), Fraction(55), "f", most=3)
    rows = [(row[0].text, row[4].text) for row in table.rows]
    assert [("f10", "10"), ("f9", "9"), ("f8", "8")] == rows[:3]
    assert [("7 more functions", "28"), ("sum = the guest's clock", "55")] == rows[3:]


@pytest.mark.parametrize(
    ("amount", "plain", "with_sign"),
    [
        (Fraction(0), "0", "0"),
        (Fraction(2480), "2,480", "+2,480"),
        (Fraction(-3), "−3", "−3"),
        (Fraction(7, 3), "2.33", "+2.33"),
        (Fraction(-1, 2), "−0.50", "−0.50"),
    ],
)
def test_a_number_is_whole_or_has_two_decimals(
    amount: Fraction, plain: str, with_sign: str
) -> None:
    assert (plain, with_sign) == (number(amount), signed(amount))


def test_a_function_that_only_moved_bytes_has_a_difference() -> None:
    """One instruction either way, 64 bytes more: in all it is 64 dearer."""
    short = make_profile(make_node("copy", kinds={"0": 1}, iterations=8, iteration_bytes=8))
    long = make_profile(make_node("copy", kinds={"0": 1}, iterations=72, iteration_bytes=72))
    rows = function_differences(short, long)
    table = function_difference_table(rows, Fraction(64), "copy")
    assert ["1", "1", "8", "72", "0", "+64"] == [cell.text for cell in table.rows[0][3:]]
