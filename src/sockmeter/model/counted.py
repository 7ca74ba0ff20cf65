# SPDX-License-Identifier: MIT
"""A counted run: what each call cost in instructions, exactly, and which functions they were.

Costs are the guest's clock: an instruction counts one, and so does each iteration of a REP string
instruction; profiles tell the two apart. The count of every call was proved against the clock.
"""

import msgspec

from sockmeter.model.arms import Arm
from sockmeter.model.environment import Environment
from sockmeter.model.profiles import Profile
from sockmeter.model.segments import Refusal, Segment


class CountedKernel(msgspec.Struct, frozen=True, kw_only=True):
    """One kernel that was booted."""

    name: str  # as it was asked for
    release: str
    version: str  # that the image states
    sha256: str  # of the image
    source: str  # package and version, or "file"


class Boot(msgspec.Struct, frozen=True, kw_only=True):
    """Where arms ran: one boot of one kernel."""

    kernel: int  # index into the run's kernels
    parameters: list[str]  # asked for, of the kernel's command line
    sysctls: dict[str, str]
    mtu_bytes: int | None = None  # of the sinks' devices; None: their own
    offloads: dict[str, bool] = {}  # of the sinks' devices, as they were switched
    cpu_model: str
    smp: int  # CPUs that it had
    command_line: str  # whole
    remarks: list[str]  # in what it is not what was asked for


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """The calls of an arm that cost the same, and what they did together."""

    cost: int | None  # of each, instructions; None: all calls beyond the first 1,024 costs
    calls: int
    profile: Profile


class CountedArm(msgspec.Struct, frozen=True, kw_only=True):
    """One arm: counted, or refused."""

    arm: Arm
    boot: int  # index into the run's boots
    segment: Segment | None  # None where refused
    refusal: Refusal | None
    values: list[tuple[int, int]]  # (cost, calls in a row that took it), instructions, in order
    idle_ns: int  # by how much the clock jumped while the guest slept in calls; in no cost
    shapes: list[Shape]  # most calls first


class CountedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A whole run of the exact rig. Without `started_at` and `environment` it is reproducible."""

    started_at: str  # ISO 8601, UTC
    environment: Environment  # of the machine that emulated; no cost depends on it
    command: str  # that reproduces it
    sockmeter_version: str
    emulator: str  # QEMU as it names itself
    probe_sha256: str
    scenario: str
    calls: int  # asked for, per arm
    warmup: int
    queue: int  # messages
    kernels: list[CountedKernel]
    boots: list[Boot]
    arms: list[CountedArm]  # the first is the baseline
    proved_calls: int  # whose sum over functions equals the difference of the clock: all
