# SPDX-License-Identifier: MIT
"""A run: what was planned, where it happened, and every finished round."""

from enum import StrEnum

import msgspec

from sockmeter.model.arms import Arm
from sockmeter.model.environment import Environment
from sockmeter.model.segments import Refusal, Segment
from sockmeter.model.units import Unit


class Look(msgspec.Struct, frozen=True):
    """A moment fixed beforehand at which a run may stop."""

    rounds: int  # kept rounds at which to look
    alpha: float  # two-sided error spent at this look, before the division by pairs


class Design(msgspec.Struct, frozen=True, kw_only=True):
    """What was fixed before the first round."""

    scenario: str
    arms: list[Arm]  # the first is the baseline; its A2 copy is not listed
    looks: list[Look]
    effect: float  # smallest difference that matters, as a fraction: 0.01 is 1 %
    seed: int  # of the order of arms within rounds
    calls: int  # per segment, the same for every arm
    warmup: int  # calls per segment, not measured
    queue: int  # messages per burst asked for
    clock: str  # as asked: auto, tsc, cycles, clock_gettime
    steal_limit: float  # fraction of a segment's time above which its round is dropped


class Clock(msgspec.Struct, frozen=True, kw_only=True):
    """The clock that a run was timed with, measured at its start."""

    name: str
    unit: Unit
    bracket: str  # instruction sequence of one read
    bracket_cost: float  # unit; an empty bracket in the loop's own form
    quantum: int  # unit; the step in which the clock moves
    clock_hz: float | None  # 1/s; None for core cycles


class Impediment(msgspec.Struct, frozen=True, kw_only=True):
    """Something the probe tried and was refused."""

    what: str
    errno: str
    text: str


class Instrument(msgspec.Struct, frozen=True, kw_only=True):
    """The probe as it found itself on this machine."""

    probe_version: str
    arch: str
    clock: Clock
    memory_locked: bool
    resident_bytes: int | None  # None where the probe has no /proc
    could_not: list[Impediment]


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """A segment of every arm, in random order, from one fresh process."""

    number: int  # from 1
    order: list[int]  # arm indices as they ran
    started_ns: int  # CLOCK_MONOTONIC of the machine, for drift plots only
    cap: int  # clock units; 0 in round 1, frozen afterwards
    segments: list[Segment]  # in the order they ran
    refusals: list[Refusal]
    dropped: str | None  # why the whole round does not count, by a rule that does not know the arms


class EndingKind(StrEnum):
    """Why a run ended."""

    SETTLED = "settled"  # every verdict was conclusive at a look
    SPENT = "spent"  # the schedule of looks
    INTERRUPTED = "interrupted"  # by its user
    FAILED = "failed"  # its detail says how


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended; a file without one was cut short and keeps its finished rounds."""

    kind: EndingKind
    detail: str  # one line
    finished_at: str  # ISO 8601, UTC
    load_1min: float | None


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One run, whole."""

    rig: str  # host, exact, imported
    started_at: str  # ISO 8601, UTC
    command: str  # that reproduces it
    sockmeter_version: str
    design: Design
    instrument: Instrument
    environment: Environment
    rounds: list[Round]
    ending: Ending | None
