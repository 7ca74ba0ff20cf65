# SPDX-License-Identifier: MIT
"""Readers of a profile's tree."""

from sockmeter.model.profiles import TreeNode


def inclusive(node: TreeNode) -> int:
    """Return the instructions and iterations of the function and all it called."""
    return node.instructions + node.iterations + sum(map(inclusive, node.children))


def children(node: TreeNode) -> dict[str, TreeNode]:
    """Return the children by name."""
    return {child.name: child for child in node.children}
