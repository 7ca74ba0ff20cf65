# SPDX-License-Identifier: MIT
"""What counted calls did: by function, and by calling context.

Sums are exact: the instructions and iterations of all functions of a profile are those of its
calls, none left over; so are those of all nodes of its tree.
"""

import msgspec


class FunctionCost(msgspec.Struct, frozen=True, kw_only=True):
    """What one function did itself, over all calls of a profile."""

    entries: int  # times its first instruction ran
    instructions: int  # iterations of REP string instructions not included
    iterations: int  # of REP string instructions: elements copied, cleared or compared
    iteration_bytes: int
    kinds: dict[str, int]  # instructions by the letters of docs/exact.md; "." is the plain kind


class TreeNode(msgspec.Struct, frozen=True, kw_only=True):
    """A function in the context of its callers; the root is named `call`."""

    name: str
    entries: int
    instructions: int  # its own
    iterations: int  # its own
    iteration_bytes: int
    kinds: dict[str, int]  # its own instructions by letter
    children: list["TreeNode"]


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """What some calls of one arm did together."""

    calls: int
    functions: dict[str, FunctionCost]
    tree: TreeNode
