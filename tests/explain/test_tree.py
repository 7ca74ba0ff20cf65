# SPDX-License-Identifier: MIT
"""The tree closes, and calls that are the same call stand beside each other."""

from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sockmeter.explain.costs import Change
from sockmeter.explain.tree import CallNode, call_tree, prune, tree_difference
from sockmeter.model.profiles import Profile
from tests.explain.make_profiles import (
    make_node,
    make_profile,
    profiles,
    read_profile,
    whole_change,
)

SHARES = st.fractions(0, 1)


def walk(node: CallNode) -> Iterator[CallNode]:
    yield node
    for child in node.children:
        yield from walk(child)


def only(tree: CallNode, name: str) -> CallNode:
    """Return the one node of that name."""
    (found,) = (node for node in walk(tree) if node.name == name)
    return found


@settings(deadline=None, max_examples=60)
@given(profiles(), profiles(), SHARES)
def test_every_node_sums_what_is_below_it(before: Profile, after: Profile, share: Fraction) -> None:
    """Whole and pruned: inclusive is own and the children's; the root is the whole difference."""
    whole = tree_difference(before, after)
    for tree in (whole, prune(whole, share)):
        assert whole_change(before, after) == tree.inclusive
        for node in walk(tree):
            assert node.inclusive == sum((child.inclusive for child in node.children), node.own)


@settings(deadline=None, max_examples=60)
@given(profiles())
def test_a_tree_against_itself_has_no_difference_anywhere(profile: Profile) -> None:
    tree = tree_difference(profile, profile)
    assert 0 == tree.moved()
    assert all(node.own.before == node.own.after for node in walk(tree))


@settings(deadline=None, max_examples=60)
@given(profiles(), SHARES)
def test_nothing_below_the_share_is_left(profile: Profile, share: Fraction) -> None:
    tree = call_tree(profile)
    least = share * tree.moved()
    for node in walk(prune(tree, share)):
        assert node.folded or node.name == "call" or node.moved() >= least


def test_what_a_retpoline_calls_stands_below_its_caller() -> None:
    """Booted without retpolines, the hook is at the same place of the tree."""
    hook = make_node("apparmor_socket_recvmsg", kinds={".": 5})
    thunk = make_node("__x86_indirect_thunk_array", hook, kinds={".": 3})
    security = "security_socket_recvmsg"
    before = make_profile(make_node(security, thunk))
    after = make_profile(make_node(security, hook, kinds={".": 10, "C": 1}))
    tree = tree_difference(before, after)
    retpoline = only(tree, "__x86_indirect_thunk_array")
    assert ("retpoline", -3) == (retpoline.role, int(retpoline.own.clock))
    assert 0 == only(tree, "apparmor_socket_recvmsg").own.clock
    assert -2 == tree.inclusive.clock


def test_recvfrom_and_recvmsg_meet_in_sock_recvmsg() -> None:
    """Two wrappers more on one side; what both do is one subtree without any difference."""
    tree = tree_difference(read_profile("debian-6.1-recvfrom"), read_profile("debian-6.1-recvmsg"))
    shared = only(tree, "sock_recvmsg")
    assert shared.inclusive.before == shared.inclusive.after
    header = only(tree, "copy_msghdr_from_user")
    assert [0, 383] == [header.inclusive.before.clock, header.inclusive.after.clock]
    assert 496 == tree.inclusive.clock


def test_a_tail_call_on_one_side_only_is_the_same_call() -> None:
    """In 6.1 inet_recvmsg jumps to udp_recvmsg, in 6.12 it calls it."""
    tree = tree_difference(read_profile("debian-6.1-recvmsg"), read_profile("debian-6.12-recvmsg"))
    receive = only(tree, "udp_recvmsg")
    assert [1090, 1098] == [receive.inclusive.before.clock, receive.inclusive.after.clock]


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("__x86_indirect_thunk_array", "retpoline"),
        ("its_return_thunk", "return thunk"),
        ("entry_SYSCALL_64_after_hwframe", "system call entry"),
        ("asm_sysvec_apic_timer_interrupt", "interrupt"),
        ("__do_softirq", "soft interrupt"),
        ("udp_recvmsg", ""),
    ],
)
def test_thunks_and_entries_say_what_they_are(name: str, role: str) -> None:
    (child,) = call_tree(make_profile(make_node(name))).children
    assert role == child.role


def test_small_neighbours_are_one_node_that_counts_them() -> None:
    leaves = [make_node(f"leaf_{number}", kinds={".": 1}) for number in range(5)]
    tree = prune(
        call_tree(make_profile(make_node("f", *leaves, kinds={".": 95}))), Fraction(2, 100)
    )
    (f,) = tree.children
    (folded,) = f.children
    assert (5, "", 5) == (folded.folded, folded.name, int(folded.inclusive.clock))
    assert sum((node.own for node in walk(tree)), Change()) == tree.inclusive
