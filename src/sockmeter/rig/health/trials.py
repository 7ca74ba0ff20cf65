# SPDX-License-Identifier: MIT
"""Makes a single call of each of many arms: which of them this machine refuses, and why."""

from collections.abc import Sequence

import msgspec

from sockmeter.model.arms import Arm
from sockmeter.model.errors import ProbeError
from sockmeter.model.segments import Refusal
from sockmeter.plan.designs import Request, make_design
from sockmeter.rig.host import HostRig

TOO_LATE = "pace"  # the step of a refusal (docs/wire.md)


def try_arms(rig: HostRig, arms: Sequence[Arm]) -> list[Refusal | None]:
    """Return for each arm why it is refused, None where it is not.

    One that only came too late for its schedule is not refused: such a machine is busy. Raises
    ProbeError where the probe did not do its work.
    """
    if not arms:
        return []
    once = make_design(Request(scenario="recv", call=["null"], calls=1))
    design = rig.name_sinks(msgspec.structs.replace(once, arms=[*arms], warmup=0))
    outcome = rig.run_round(design, range(len(arms)), cap=0)
    if len(outcome.segments) + len(outcome.refusals) < len(arms):
        raise ProbeError(f"what this machine can do was not told: {outcome.dropped}")
    refusals = {each.arm: each for each in outcome.refusals if each.step != TOO_LATE}
    return [refusals.get(at) for at in range(len(arms))]
