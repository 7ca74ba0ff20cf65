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
from sockmeter.model.profiles import FunctionCost, Profile, TreeNode

_REP_KINDS = "0123"  # 2**n bytes an iteration


def make_profile(report: TallyReport, shapes: Iterable[Shape], symbols: SymbolTable) -> Profile:
    """Return the profile of the calls of `shapes` together."""
    chosen = list(shapes)
    root = _Node("call")
    functions: dict[str, _Cost] = {}
    names = _Names(report, symbols)
    for shape in chosen:
        for cell in shape.cells:
            for at, step in enumerate(names.steps(cell.block)[: cell.done]):
                is_iteration = cell.is_iteration and at == 0
                node = root.below(names.path(cell.context), step.function)
                for cost in (functions.setdefault(step.function, _Cost()), node.cost):
                    cost.add(step, cell.runs, is_iteration=is_iteration)
    return Profile(
        calls=sum(shape.calls for shape in chosen),
        functions={name: cost.as_function() for name, cost in functions.items()},
        tree=root.as_tree(),
    )


def total_of(profile: Profile) -> int:
    """Return the instructions and iterations of all calls of the profile together."""
    return sum(cost.instructions + cost.iterations for cost in profile.functions.values())


@dataclass(frozen=True, slots=True)
class _Step:
    """One instruction of a block, with the function it belongs to."""

    function: str
    is_entry: bool  # the function's first instruction
    kind: str


@dataclass(slots=True)
class _Cost:
    """The sums of one function or one node while they grow."""

    entries: int = 0
    instructions: int = 0
    iterations: int = 0
    iteration_bytes: int = 0
    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, step: _Step, runs: int, *, is_iteration: bool) -> None:
        if is_iteration:
            self.iterations += runs
            if step.kind in _REP_KINDS:
                self.iteration_bytes += runs << int(step.kind)
            return
        self.instructions += runs
        self.kinds[step.kind] += runs
        if step.is_entry:
            self.entries += runs

    def as_function(self) -> FunctionCost:
        return FunctionCost(
            entries=self.entries,
            instructions=self.instructions,
            iterations=self.iterations,
            iteration_bytes=self.iteration_bytes,
            kinds=dict(sorted(self.kinds.items())),
        )


@dataclass(slots=True)
class _Node:
    name: str
    cost: _Cost = field(default_factory=_Cost)
    children: dict[str, "_Node"] = field(default_factory=dict)

    def below(self, path: tuple[str, ...], function: str) -> "_Node":
        """Return the node of `function`, which runs in the context `path`."""
        node = self
        for name in path if path and path[-1] == function else (*path, function):
            node = node.children.setdefault(name, _Node(name))
        return node

    def as_tree(self) -> TreeNode:
        cost = self.cost
        return TreeNode(
            name=self.name,
            entries=cost.entries,
            instructions=cost.instructions,
            iterations=cost.iterations,
            iteration_bytes=cost.iteration_bytes,
            kinds=dict(sorted(cost.kinds.items())),
            children=[child.as_tree() for child in self.children.values()],
        )


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
