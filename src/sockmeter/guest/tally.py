# SPDX-License-Identifier: MIT
"""The counting plugin's report: the one module that knows its format (docs/exact.md)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sockmeter.guest.errors import BadTallyError

_HEADER = "sockmeter-tally 1"
_HALT = "h"


@dataclass(frozen=True, slots=True)
class Block:
    """A straight run of guest instructions."""

    address: int
    sizes: tuple[int, ...]  # of each instruction, bytes
    kinds: str  # of each instruction, a letter of tally/insn.h


@dataclass(frozen=True, slots=True)
class Context:
    """A calling context: a call target reached through its parent."""

    parent: int | None  # index of the context that called; None for a CPU's root
    entry: int  # address of what was called; 0 for a root


@dataclass(frozen=True, slots=True)
class Cell:
    """The first `done` instructions of a block, run in a context."""

    context: int
    block: int
    done: int
    is_iteration: bool  # its first instruction only goes on with a REP
    runs: int  # in all calls of the shape


@dataclass(frozen=True, slots=True)
class Shape:
    """The calls of a segment that cost the same."""

    instructions: int | None  # a call, REP iterations included; None for calls of many costs
    calls: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class CountedSegment:
    """What the windows of one segment held."""

    values: tuple[int, ...]  # instructions of each call, in order
    shapes: tuple[Shape, ...]


@dataclass(slots=True)
class TallyReport:
    """Everything that one boot's windows held."""

    blocks: dict[int, Block] = field(default_factory=dict)
    contexts: dict[int, Context] = field(default_factory=dict)
    segments: list[CountedSegment] = field(default_factory=list)

    def halts(self, shape: Shape) -> bool:
        """Whether a CPU went idle in calls of that shape."""
        return any(_HALT in self.blocks[cell.block].kinds[: cell.done] for cell in shape.cells)


def parse_tally(text: str) -> TallyReport:
    """Return the report in `text`; BadTallyError where it is foreign, damaged or cut short."""
    lines = text.splitlines()
    if not lines or lines[0] != _HEADER:
        raise BadTallyError(f"the counting plugin's report does not begin with {_HEADER!r}")
    reader = _Reader()
    for number, line in enumerate(lines[1:], start=2):
        try:
            reader.take(line.split(" "))
        except (ValueError, KeyError) as error:
            raise BadTallyError(
                f"line {number} of the counting plugin's report is not understood: {line!r}"
            ) from error
    if reader.is_open or not text.endswith("\n"):
        raise BadTallyError("the counting plugin's report is cut short")
    return reader.report


def idle_instructions(report: TallyReport, segment: CountedSegment, measured: Sequence[int]) -> int:
    """Return by how much the guest's clock ran while its CPUs slept, after the sum was proved.

    `measured` are the differences of the guest's clock, one a call. Each must equal what was
    counted in its window; only where a CPU halted may the clock be ahead, since it then jumps to
    the next timer. Raises BadTallyError for the first call that does not close.
    """
    if len(measured) != len(segment.values):
        raise BadTallyError(
            f"{len(measured)} calls were measured and {len(segment.values)} were counted"
        )
    may_idle = {shape.instructions for shape in segment.shapes if report.halts(shape)}
    idle = 0
    for at, (clock, counted) in enumerate(zip(measured, segment.values, strict=True)):
        ahead = clock - counted
        is_halted = counted in may_idle or (None in may_idle)
        if ahead and (ahead < 0 or not is_halted):
            raise BadTallyError(
                f"the count does not close: call {at} took {clock} of the guest's clock "
                f"and {counted} instructions were counted in it"
            )
        idle += ahead
    return idle


class _Reader:
    def __init__(self) -> None:
        self.report = TallyReport()
        self._number: int | None = None  # of the segment being read
        self._values: list[int] = []
        self._shapes: list[Shape] = []
        self._head: tuple[int | None, int] | None = None
        self._cells: list[Cell] = []

    @property
    def is_open(self) -> bool:
        return self._number is not None

    def take(self, words: list[str]) -> None:
        match words:
            case ["block", index, address, sizes, kinds]:
                self._take_block(int(index), int(address, 16), sizes, kinds)
            case ["node", index, parent, entry]:
                above = int(parent)
                self.report.contexts[int(index)] = Context(
                    above if above >= 0 else None, int(entry, 16)
                )
            case ["segment", number] if self._number is None:
                self._number = int(number)
            case ["value", instructions, calls] if self.is_open:
                self._values += [int(instructions)] * int(calls)
            case ["shape", instructions, calls] if self.is_open:
                self._end_shape()
                self._head = int(instructions), int(calls)
            case ["rest", _, calls] if self.is_open:
                self._end_shape()
                self._head = None, int(calls)
            case ["cell", context, block, done, is_iteration, runs] if self._head:
                self._take_cell(int(context), int(block), int(done), is_iteration, int(runs))
            case ["end", number] if self._number == int(number):
                self._end_segment()
            case _:
                raise ValueError("no such line, or not here")

    def _take_block(self, index: int, address: int, sizes: str, kinds: str) -> None:
        if len(sizes) != len(kinds) or not sizes:
            raise ValueError("a block without its instructions")
        self.report.blocks[index] = Block(address, tuple(int(size, 16) for size in sizes), kinds)

    def _take_cell(self, context: int, block: int, done: int, flag: str, runs: int) -> None:
        if context not in self.report.contexts:
            raise ValueError("a cell of no known context")
        if not 1 <= done <= len(self.report.blocks[block].sizes) or flag not in ("0", "1"):
            raise ValueError("a cell that is no part of its block")
        self._cells.append(Cell(context, block, done, flag == "1", runs))

    def _end_shape(self) -> None:
        if self._head is not None:
            self._shapes.append(Shape(*self._head, tuple(self._cells)))
        self._head = None
        self._cells = []

    def _end_segment(self) -> None:
        self._end_shape()
        self.report.segments.append(CountedSegment(tuple(self._values), tuple(self._shapes)))
        self._number = None
        self._values = []
        self._shapes = []
