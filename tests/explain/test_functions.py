# SPDX-License-Identifier: MIT
"""The function table closes, and leads with what moved most."""

from fractions import Fraction

import pytest
from hypothesis import given, settings

from sockmeter.explain.costs import Change, PerCall
from sockmeter.explain.functions import FunctionDifference, function_costs, function_differences
from sockmeter.explain.stems import stem
from sockmeter.model.profiles import Profile
from tests.explain.make_profiles import make_node, make_profile, profiles, whole_change


def by_name(rows: list[FunctionDifference]) -> dict[str, Change]:
    return {row.name: row.change for row in rows}


@settings(deadline=None, max_examples=60)
@given(profiles(), profiles())
def test_the_rows_sum_to_the_whole_difference_exactly(before: Profile, after: Profile) -> None:
    """On both sides, in instructions, iterations and bytes; entries are merged, not summed."""
    added = sum((row.change for row in function_differences(before, after)), Change())
    expected = whole_change(before, after)
    for side in ("before", "after"):
        one, other = getattr(expected, side), getattr(added, side)
        assert one.instructions == other.instructions
        assert one.iterations == other.iterations
        assert one.iteration_bytes == other.iteration_bytes
    assert expected.clock == added.clock


@settings(deadline=None, max_examples=60)
@given(profiles(), profiles())
def test_the_other_way_round_is_the_negative(before: Profile, after: Profile) -> None:
    there = by_name(function_differences(before, after))
    back = by_name(function_differences(after, before))
    assert {name: -change.clock for name, change in there.items()} == {
        name: change.clock for name, change in back.items()
    }


@settings(deadline=None, max_examples=60)
@given(profiles(), profiles())
def test_the_largest_difference_comes_first(before: Profile, after: Profile) -> None:
    sizes = [abs(row.change.clock) for row in function_differences(before, after)]
    assert sorted(sizes, reverse=True) == sizes


def test_costs_are_per_call_and_stay_rational() -> None:
    """Seven instructions in three calls are 7/3, not 2.333."""
    profile = make_profile(make_node("f", kinds={".": 7}, entries=3), calls=3)
    assert [Fraction(7, 3)] == [row.change.after.instructions for row in function_costs(profile)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cmpxchg_double_slab.constprop.0.isra.0", "cmpxchg_double_slab"),
        ("iovec_from_user.part.0", "iovec_from_user"),
        ("skb_release_data.cold", "skb_release_data"),
        ("nft_do_chain.isra.0 [nf_tables]", "nft_do_chain [nf_tables]"),
        ("udp_sendmsg.llvm.1234567", "udp_sendmsg"),
        ("kmem_cache_alloc_node_noprof", "kmem_cache_alloc_node"),
        ("alloc_pages_noprof.constprop.0 [m]", "alloc_pages [m]"),
        ("__x64_sys_recvfrom", "__x64_sys_recvfrom"),
        ("hash.partial", "hash.partial"),
        ("[kernel 0xffffffff81000000]", "[kernel 0xffffffff81000000]"),
    ],
)
def test_a_stem_is_the_name_without_what_was_appended_to_it(name: str, expected: str) -> None:
    assert expected == stem(name)


def test_builds_that_split_a_function_differently_are_compared_as_one() -> None:
    """The same 40 instructions, once in a part of their own."""
    before = make_profile(
        make_node("kfree", make_node("kfree.part.0", kinds={".": 30}), kinds={".": 10})
    )
    after = make_profile(make_node("kfree.constprop.0", kinds={".": 40}))
    (row,) = function_differences(before, after)
    assert ("kfree", ("kfree", "kfree.constprop.0", "kfree.part.0")) == (row.name, row.names)
    assert row.change.before == row.change.after


def test_a_part_alone_is_counted_by_its_own_entries() -> None:
    """The function itself was inlined into its callers."""
    (row,) = function_costs(make_profile(make_node("iovec_from_user.part.0", entries=2)))
    assert 2 == row.change.after.entries


def test_an_iteration_moves_the_clock_and_is_no_instruction() -> None:
    copy = make_node("copy", kinds={"0": 1}, iterations=64, iteration_bytes=64)
    (row,) = function_costs(make_profile(copy))
    expected = PerCall(Fraction(1), Fraction(1), Fraction(64), Fraction(64))
    assert expected == row.change.after
    assert 65 == row.change.clock
