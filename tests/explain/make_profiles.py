# SPDX-License-Identifier: MIT
"""Profiles for tests: built from a tree, so that functions and contexts agree, and real ones."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
from hypothesis import strategies as st

from sockmeter.explain.costs import Change, PerCall, per_call, total
from sockmeter.model.profiles import FunctionCost, Profile, TreeNode

PROFILES = Path(__file__).parents[1] / "data" / "profiles"


def make_node(
    name: str,
    *children: TreeNode,
    entries: int = 1,
    kinds: dict[str, int] | None = None,
    iterations: int = 0,
    iteration_bytes: int = 0,
) -> TreeNode:
    """Return a node whose instructions are those of its kinds, ten plain ones if not given."""
    kinds = {".": 10} if kinds is None else kinds
    return TreeNode(
        name=name,
        entries=entries,
        instructions=sum(kinds.values()),
        iterations=iterations,
        iteration_bytes=iteration_bytes,
        kinds=kinds,
        children=list(children),
    )


def make_profile(*children: TreeNode, calls: int = 1) -> Profile:
    """Return the profile of a tree with those nodes below its root."""
    root = make_node("call", *children, entries=0, kinds={})
    functions: dict[str, FunctionCost] = {}
    for node in walk(root):
        if node is not root:
            functions[node.name] = _added(functions.get(node.name), node)
    return Profile(calls=calls, functions=functions, tree=root)


def walk(node: TreeNode) -> Iterator[TreeNode]:
    """Yield the node and all below it."""
    yield node
    for child in node.children:
        yield from walk(child)


def read_profile(name: str) -> Profile:
    """Return the modal calls of a real kernel: KERNEL-CALL, as tests/data/profiles has them."""
    return msgspec.json.decode((PROFILES / f"{name}.json").read_bytes(), type=Profile)


def _added(cost: FunctionCost | None, node: TreeNode) -> FunctionCost:
    known = cost or FunctionCost(
        entries=0, instructions=0, iterations=0, iteration_bytes=0, kinds={}
    )
    return FunctionCost(
        entries=known.entries + node.entries,
        instructions=known.instructions + node.instructions,
        iterations=known.iterations + node.iterations,
        iteration_bytes=known.iteration_bytes + node.iteration_bytes,
        kinds=dict(Counter(known.kinds) + Counter(node.kinds)),
    )


NAMES = st.sampled_from(
    [
        "udp_recvmsg",
        "__sys_recvfrom",
        "kfree",
        "kfree.part.0",
        "iovec_from_user.part.0",
        "iovec_from_user",
        "sock_recvmsg.cold",
        "__check_object_size",
        "__x86_indirect_thunk_array",
        "its_return_thunk",
        "copy_user_enhanced_fast_string",
        "security_socket_recvmsg",
        "nft_do_chain.isra.0 [nf_tables]",
        "nobody_knows",
    ]
)
KINDS = st.dictionaries(st.sampled_from(".L03cCJra"), st.integers(1, 40), max_size=4)


@st.composite
def nodes(draw: st.DrawFn, depth: int = 3) -> TreeNode:
    """Return any tree of at most that depth, with distinct names below one node."""
    children = draw(
        st.lists(nodes(depth - 1), max_size=3, unique_by=lambda node: node.name)
        if depth > 1
        else st.just([])
    )
    kinds = draw(KINDS)
    iterations = draw(st.integers(0, 99)) if set(kinds) & set("0123") else 0
    return make_node(
        draw(NAMES),
        *children,
        entries=draw(st.integers(0, 5)),
        kinds=kinds,
        iterations=iterations,
        iteration_bytes=8 * iterations,
    )


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    """Return any profile."""
    children = draw(st.lists(nodes(), max_size=4, unique_by=lambda node: node.name))
    return make_profile(*children, calls=draw(st.integers(1, 30)))


def whole(profile: Profile) -> PerCall:
    """Return what a call of the profile costs in all; its entries are those of all functions."""
    return total(per_call(cost, profile.calls) for cost in profile.functions.values())


def whole_change(before: Profile, after: Profile) -> Change:
    """Return the whole difference of a call, that every table must sum to."""
    return Change(whole(before), whole(after))
