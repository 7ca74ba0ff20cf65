# SPDX-License-Identifier: MIT
"""What a call costs, and by how much that changed: exact rationals, never rounded here."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from sockmeter.model.profiles import FunctionCost, Profile, TreeNode

_ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class PerCall:
    """A cost divided by the socket calls of its profile."""

    entries: Fraction = _ZERO  # times that functions were entered
    instructions: Fraction = _ZERO
    iterations: Fraction = _ZERO  # of REP string instructions
    iteration_bytes: Fraction = _ZERO  # copied, cleared or compared by them

    @property
    def clock(self) -> Fraction:
        """What the guest's clock moved by: an instruction and an iteration count one each."""
        return self.instructions + self.iterations

    def __add__(self, other: "PerCall") -> "PerCall":
        return PerCall(
            self.entries + other.entries,
            self.instructions + other.instructions,
            self.iterations + other.iterations,
            self.iteration_bytes + other.iteration_bytes,
        )


@dataclass(frozen=True, slots=True)
class Change:
    """One cost in two profiles; the differences are after minus before."""

    before: PerCall = PerCall()
    after: PerCall = PerCall()

    @property
    def entries(self) -> Fraction:
        """Return by how many entries a call more."""
        return self.after.entries - self.before.entries

    @property
    def instructions(self) -> Fraction:
        """Return by how many instructions a call more."""
        return self.after.instructions - self.before.instructions

    @property
    def iteration_bytes(self) -> Fraction:
        """Return by how many bytes a call more, of those that REP string instructions moved."""
        return self.after.iteration_bytes - self.before.iteration_bytes

    @property
    def clock(self) -> Fraction:
        """Return by how much of the guest's clock a call more."""
        return self.after.clock - self.before.clock

    def __add__(self, other: "Change") -> "Change":
        return Change(self.before + other.before, self.after + other.after)


# What a profile is compared with when only its own numbers are asked for.
NOTHING = Profile(
    calls=1,
    functions={},
    tree=TreeNode(
        name="call",
        entries=0,
        instructions=0,
        iterations=0,
        iteration_bytes=0,
        kinds={},
        children=[],
    ),
)


def per_call(cost: FunctionCost | TreeNode, calls: int) -> PerCall:
    """Return a function's or a node's own cost, divided by `calls`."""
    return PerCall(
        Fraction(cost.entries, calls),
        Fraction(cost.instructions, calls),
        Fraction(cost.iterations, calls),
        Fraction(cost.iteration_bytes, calls),
    )


def total(costs: Iterable[PerCall]) -> PerCall:
    """Return the sum."""
    return sum(costs, PerCall())
