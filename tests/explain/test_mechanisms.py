# SPDX-License-Identifier: MIT
"""Every instruction belongs to exactly one mechanism, and the right one."""

from fractions import Fraction

import pytest
from hypothesis import given, settings

from sockmeter.explain.catalogue import OTHER, Catalogue, MechanismsError, own_catalogue
from sockmeter.explain.costs import Change
from sockmeter.explain.mechanisms import (
    MechanismDifference,
    mechanism_costs,
    mechanism_differences,
)
from sockmeter.model.profiles import Profile, TreeNode
from tests.explain.make_profiles import (
    make_node,
    make_profile,
    profiles,
    read_profile,
    whole_change,
)

OWN = own_catalogue()
REAL = [
    "debian-6.1-recvfrom",
    "debian-6.1-recvmsg",
    "debian-6.1-sendmsg",
    "debian-6.1-tcp-recv",
    "debian-6.12-recvmsg",
    "debian-6.12-send",
    "debian-6.12-smp-tcp-recv",
]


def by_id(rows: list[MechanismDifference]) -> dict[str, MechanismDifference]:
    return {row.mechanism.id: row for row in rows}


def numbers(row: MechanismDifference) -> list[Fraction]:
    """Return what the row counts, before and after."""
    assert row.number is not None
    return [row.number.before, row.number.after]


def clocks(*nodes: TreeNode, catalogue: Catalogue = OWN) -> dict[str, Fraction]:
    """Return what the tree of those nodes costs by mechanism."""
    rows = mechanism_costs(make_profile(*nodes), catalogue)
    return {row.mechanism.id: row.change.after.clock for row in rows}


@settings(deadline=None, max_examples=60)
@given(profiles(), profiles())
def test_the_rows_sum_to_the_whole_difference_exactly(before: Profile, after: Profile) -> None:
    """And each row to its functions."""
    rows = mechanism_differences(before, after, OWN)
    added = sum((row.change for row in rows), Change())
    expected = whole_change(before, after)
    for side in ("before", "after"):
        one, other = getattr(expected, side), getattr(added, side)
        assert [one.instructions, one.iterations, one.iteration_bytes] == [
            other.instructions,
            other.iterations,
            other.iteration_bytes,
        ]
    for row in rows:
        assert row.change == sum((one.change for one in row.functions), Change())


@pytest.mark.parametrize("name", REAL)
def test_next_to_nothing_of_a_real_call_is_other(name: str) -> None:
    """Under one percent in both kernels, receiving and sending, UDP and TCP."""
    profile = read_profile(name)
    rows = by_id(mechanism_costs(profile, OWN))
    whole = sum((row.change.after.clock for row in rows.values()), Fraction(0))
    other = rows[OTHER].change.after.clock if OTHER in rows else Fraction(0)
    assert 100 * other < whole


@pytest.mark.parametrize(("call", "saved", "checks"), [("recvfrom", 207, 2), ("recvmsg", 250, 3)])
def test_switching_the_check_off_is_explained_by_the_check(
    call: str, saved: int, checks: int
) -> None:
    """All but the return thunks of what is no longer called; nothing else moved."""
    rows = mechanism_differences(
        read_profile(f"debian-6.1-{call}"), read_profile(f"debian-6.1-{call}-unchecked"), OWN
    )
    moved = [row for row in rows if row.change.clock]
    assert ["hardened", "returns"] == [row.mechanism.id for row in moved]
    assert -saved == sum(row.change.clock for row in moved)
    assert [checks, checks] == numbers(moved[0])
    assert "__check_object_size" == moved[0].functions[0].name


def test_recvmsg_differs_from_recvfrom_by_the_header_and_iovec_import() -> None:
    """Importing and copying them leads; five user copies become eight, as the sources say."""
    rows = mechanism_differences(
        read_profile("debian-6.1-recvfrom"), read_profile("debian-6.1-recvmsg"), OWN
    )
    assert ["header", "header-copy"] == [row.mechanism.id for row in rows[:2]]
    found = by_id(rows)
    copies = [numbers(found[each]) for each in ("header-copy", "name-copy", "payload-copy")]
    assert [[0, 2], [3, 5], [1, 1]] == copies
    assert [2, 3] == numbers(found["hardened"])


def test_a_payload_copy_shows_its_bytes() -> None:
    """64 of them, by REP MOVSB, apart from instructions."""
    found = by_id(mechanism_costs(read_profile("debian-6.1-recvfrom"), OWN))
    assert 64 == found["payload-copy"].change.after.iteration_bytes
    assert 64 == found["payload-copy"].change.after.iterations


def test_locked_instructions_count_wherever_they_are() -> None:
    """In a spin lock, in a security hook, and in a function that nobody knows."""
    found = clocks(
        make_node("_raw_spin_lock", kinds={".": 5, "L": 1}),
        make_node("security_sock_rcv_skb", make_node("aa_sk_perm", kinds={".": 7, "L": 2})),
        make_node("nobody_knows", kinds={".": 1, "L": 3}),
    )
    assert {"locks": 5, "security": 17, "atomics": 6, "other": 1} == found


def test_an_indirect_branch_is_retpolined_or_plain() -> None:
    """What is called belongs to neither."""
    hook = make_node("apparmor_socket_recvmsg", kinds={".": 5})
    thunk = make_node("__x86_indirect_thunk_array", hook, kinds={".": 3})
    security = "security_socket_recvmsg"
    assert {"security": 15, "retpoline": 3} == clocks(make_node(security, thunk))
    plain = make_node(security, hook, kinds={".": 10, "C": 1})
    assert {"security": 15, "indirect": 1} == clocks(plain)


def test_the_same_function_belongs_where_its_caller_says() -> None:
    """A copy below the header's import, and one below the protocol."""
    copy = make_node("copy_user_enhanced_fast_string", kinds={".": 4, "a": 2})
    found = by_id(
        mechanism_costs(
            make_profile(
                make_node("copy_msghdr_from_user", make_node("_copy_from_user", copy)),
                make_node("udp_recvmsg", copy),
            ),
            OWN,
        )
    )
    assert [0, 1] == numbers(found["header-copy"])
    assert [0, 1] == numbers(found["payload-copy"])
    assert [16, 6, 10] == [
        found[each].change.after.clock for each in ("header-copy", "payload-copy", "header")
    ]


def test_new_memory_is_cleared_by_the_allocator_and_other_memory_is_not() -> None:
    memset = make_node("memset_erms", kinds={".": 5, "0": 1}, iterations=232, iteration_bytes=232)
    found = clocks(make_node("kmem_cache_alloc_node", memset), make_node("udp_sendmsg", memset))
    assert {"allocation": 10, "clearing-new": 238, "protocol": 10, "clearing": 238} == found


def test_what_an_interrupt_runs_is_no_work_of_the_call() -> None:
    tick = make_node("asm_sysvec_apic_timer_interrupt", make_node("kfree"))
    assert {"interrupt": 20} == clocks(tick)


def test_a_file_of_ones_own_goes_first() -> None:
    """With a mechanism of its own, for a function that another rule would have taken."""
    catalogue = OWN.extended(
        """
        [[mechanism]]
        id = "mine"
        title = "my new feature"
        unit = "looks"
        count_entries = ["udp_look*"]

        [[rule]]
        mechanism = "mine"
        functions = ["udp_look*"]
        within = ["udp_recvmsg"]
        """,
        "mine.toml",
    )
    look = make_node("udp_look_ahead", entries=2)
    found = by_id(
        mechanism_costs(
            make_profile(make_node("udp_recvmsg", look), make_node("udp_sendmsg", look)), catalogue
        )
    )
    assert [0, 2] == numbers(found["mine"])
    assert [10, 30] == [found[each].change.after.clock for each in ("mine", "protocol")]


def test_a_file_of_ones_own_may_rename() -> None:
    renamed = OWN.extended('[[mechanism]]\nid = "other"\ntitle = "unknown to me"\n', "mine.toml")
    (row,) = mechanism_costs(make_profile(make_node("nobody_knows")), renamed)
    assert "unknown to me" == row.mechanism.title


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[rule]", "mine.toml cannot be understood"),
        (f"x = {5000 * '1'}", "mine.toml cannot be understood"),
        (f"x = {5000 * '['}", "mine.toml cannot be understood"),
        ('[[rule]]\nmechanism = "locks"\nfuncs = ["f"]\n', "unknown field `funcs`"),
        ('[[rule]]\nmechanism = "nothing"\nkinds = "L"\n', "a mechanism nothing"),
        ('[[rule]]\nmechanism = "locks"\n', "rule 1 of mine.toml has no condition"),
        ('[[rule]]\nmechanism = "locks"\nkinds = "x"\n', "names a kind 'x'"),
        ('[[rule]]\nmechanism = "locks"\nkinds = "03"\n', "some widths of REP"),
        ('[[mechanism]]\nid = "a"\ntitle = "b"\nunit = "c"\n', "needs a unit and one of"),
        ('[[mechanism]]\nid = "a"\ntitle = "b"\ncount_kinds = "L"\n', "needs a unit and one of"),
        (
            '[[mechanism]]\nid = "a"\ntitle = "b"\nunit = "c"\ncount_kinds = "L"\nevery = 0\n',
            "counts every 0th",
        ),
        (2 * '[[mechanism]]\nid = "a"\ntitle = "b"\n', "has two mechanisms a"),
    ],
)
def test_a_file_that_means_nothing_is_refused_with_words(text: str, words: str) -> None:
    with pytest.raises(MechanismsError, match=words.replace("[", r"\[")):
        OWN.extended(text, "mine.toml")


def test_every_own_mechanism_can_be_reached() -> None:
    """By a rule, but for the one of what no rule fits."""
    reached = {rule.mechanism for rule in OWN.rules}
    assert set(OWN.mechanisms) == reached | {OTHER}
