# SPDX-License-Identifier: MIT
"""Folded stacks hold every instruction; bars stand on their callers and do not overlap."""

from fractions import Fraction

from hypothesis import given, settings

from sockmeter.explain.flame import flame_frames, folded, folded_difference
from sockmeter.explain.tree import call_tree, tree_difference
from sockmeter.model.profiles import Profile
from tests.explain.make_profiles import make_node, make_profile, profiles, read_profile, whole


@settings(deadline=None, max_examples=60)
@given(profiles())
def test_the_counts_of_the_stacks_sum_to_all_calls_of_them(profile: Profile) -> None:
    stacks = folded(profile)
    counts = [int(line.rsplit(" ", 1)[1]) for line in stacks.text.splitlines()]
    assert whole(profile).clock * stacks.calls == sum(counts)


@settings(deadline=None, max_examples=60)
@given(profiles(), profiles())
def test_both_columns_sum_to_their_side(before: Profile, after: Profile) -> None:
    stacks = folded_difference(before, after)
    rows = [line.rsplit(" ", 2)[1:] for line in stacks.text.splitlines()]
    for side, profile in enumerate((before, after)):
        assert whole(profile).clock * stacks.calls == sum(int(row[side]) for row in rows)


def test_a_stack_is_its_functions_from_the_root() -> None:
    """No space in a name, since the last one stands before the count."""
    profile = make_profile(make_node("op_recv [probe]", make_node("udp_recvmsg", kinds={".": 7})))
    assert "call;op_recv_[probe] 10\ncall;op_recv_[probe];udp_recvmsg 7\n" == folded(profile).text


def test_counts_are_whole_also_where_calls_differ() -> None:
    """Seven instructions in two calls: 7 of 2 calls, not 3.5 of one."""
    stacks = folded(make_profile(make_node("f", kinds={".": 7}), calls=2))
    assert ("call;f 7\n", 2) == (stacks.text, stacks.calls)


def test_a_difference_has_both_counts_of_a_stack() -> None:
    before = make_profile(make_node("f", kinds={".": 7}))
    after = make_profile(make_node("f", make_node("g", kinds={".": 1}), kinds={".": 5}))
    assert "call;f 7 5\ncall;f;g 0 1\n" == folded_difference(before, after).text


@settings(deadline=None, max_examples=60)
@given(profiles(), profiles())
def test_bars_stand_on_their_callers_side_by_side(before: Profile, after: Profile) -> None:
    """A bar lies within the last bar that is one level lower, right of its neighbour."""
    below: dict[int, tuple[Fraction, Fraction]] = {}
    ends: dict[int, Fraction] = {}
    for frame in flame_frames(tree_difference(before, after)):
        right = frame.left + frame.width
        if frame.depth:
            low, high = below[frame.depth - 1]
            assert low <= frame.left
            assert right <= high
            assert ends.get(frame.depth, Fraction(0)) <= frame.left
        below[frame.depth] = (frame.left, right)
        ends[frame.depth] = right


def test_the_root_of_one_profile_is_as_wide_as_a_call_costs() -> None:
    profile = read_profile("debian-6.1-recvmsg")
    assert 2363 == flame_frames(call_tree(profile))[0].width


def test_what_only_one_side_has_is_as_wide_as_there() -> None:
    """Three instructions gone and five new ones: eight wide, two more in all."""
    before = make_profile(make_node("gone", kinds={".": 3}))
    after = make_profile(make_node("new", kinds={".": 5}))
    root, *_ = flame_frames(tree_difference(before, after))
    assert [8, 2] == [root.width, root.inclusive.clock]
