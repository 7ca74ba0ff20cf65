# SPDX-License-Identifier: MIT
"""From cells to functions: what each did, how often it was entered, and who called it.

Sums are exact: the instructions and REP iterations of all functions of a profile are the calls'
instructions, none left over.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sockmeter.guest.symbols import SymbolTable
from sockmeter.guest.tally import Block, Context, Shape, TallyReport

_REP_KINDS = "0123"  # 2**n bytes an iteration


@dataclass(slots=True)
class FunctionCost:
    """What one function did itself, in all calls of the profile."""

    entries: int = 0  # times its first instruction ran
    instructions: int = 0  # REP iterations not included
    iterations: int = 0  # of REP string instructions: copied, cleared or compared elements
    iteration_bytes: int = 0
    kinds: Counter[str] = field(default_factory=Counter)  # instructions by letter of tally/insn.h


@dataclass(slots=True)
class TreeNode:
    """A function in the context of its callers."""

    name: str
    instructions: int = 0  # its own
    iterations: int = 0
    iteration_bytes: int = 0
    entries: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    children: dict[str, "TreeNode"] = field(default_factory=dict)

    def inclusive(self) -> int:
        """Return the instructions and iterations of the function and all it called."""
        return (
            self.instructions
            + self.iterations
            + sum(child.inclusive() for child in self.children.values())
        )


@dataclass(slots=True)
class Profile:
    """What some calls did, by function and by calling context."""

    calls: int
    functions: dict[str, FunctionCost]
    tree: TreeNode  # its own instructions are those outside any known function

    def total(self) -> int:
        """Return the instructions and iterations of all calls together."""
        return sum(cost.instructions + cost.iterations for cost in self.functions.values())


@dataclass(frozen=True, slots=True)
class _Step:
    """One instruction of a block, with the function it belongs to."""

    function: str
    is_entry: bool  # the function's first instruction
    kind: str


def make_profile(report: TallyReport, shapes: Iterable[Shape], symbols: SymbolTable) -> Profile:
    """Return the profile of the calls of `shapes` together."""
    chosen = list(shapes)
    profile = Profile(sum(shape.calls for shape in chosen), {}, TreeNode("call"))
    names = _Names(report, symbols)
    for shape in chosen:
        for cell in shape.cells:
            steps = names.steps(cell.block)[: cell.done]
            for at, step in enumerate(steps):
                is_iteration = cell.is_iteration and at == 0
                _add(profile, names.path(cell.context), step, cell.runs, is_iteration)
    return profile


def _add(
    profile: Profile, path: tuple[str, ...], step: _Step, runs: int, is_iteration: bool
) -> None:
    cost = profile.functions.setdefault(step.function, FunctionCost())
    node = profile.tree
    for name in path if path and path[-1] == step.function else (*path, step.function):
        node = node.children.setdefault(name, TreeNode(name))
    if is_iteration:
        cost.iterations += runs
        node.iterations += runs
        if step.kind in _REP_KINDS:
            cost.iteration_bytes += runs << int(step.kind)
            node.iteration_bytes += runs << int(step.kind)
        return
    cost.instructions += runs
    cost.kinds[step.kind] += runs
    node.instructions += runs
    node.kinds[step.kind] += runs
    if step.is_entry:
        cost.entries += runs
        node.entries += runs


class _Names:
    """Names of blocks and contexts, each worked out once."""

    def __init__(self, report: TallyReport, symbols: SymbolTable) -> None:
        self._report = report
        self._symbols = symbols
        self._steps: dict[int, list[_Step]] = {}
        self._paths: dict[int, tuple[str, ...]] = {}

    def steps(self, block: int) -> list[_Step]:
        """Return the instructions of the block of that index."""
        if block not in self._steps:
            self._steps[block] = list(self._walk(self._report.blocks[block]))
        return self._steps[block]

    def path(self, context: int) -> tuple[str, ...]:
        """Return the functions from the root to that context."""
        if context not in self._paths:
            self._paths[context] = self._make_path(self._report.contexts[context])
        return self._paths[context]

    def _make_path(self, context: Context) -> tuple[str, ...]:
        if context.parent is None:
            return ()
        above = self.path(context.parent)
        name, is_entry = self._name(context.entry)
        # A call into the middle of the function itself is a retpoline's, not a recursion.
        return above if above and above[-1] == name and not is_entry else (*above, name)

    def _walk(self, block: Block) -> Iterator[_Step]:
        address = block.address
        for size, kind in zip(block.sizes, block.kinds, strict=True):
            name, is_entry = self._name(address)
            yield _Step(name, is_entry, kind)
            address += size

    def _name(self, address: int) -> tuple[str, bool]:
        symbol = self._symbols.find(address)
        if symbol is None:
            return f"[{'kernel' if address >> 63 else 'user'} {address & ~0xFFF:#x}]", False
        name = f"{symbol.name} [{symbol.module}]" if symbol.module else symbol.name
        return name, address == symbol.address
