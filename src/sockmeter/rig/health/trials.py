# SPDX-License-Identifier: MIT
"""Which of a plan's words can be had on this machine: each is tried once, by the probe."""

from collections.abc import Mapping, Sequence

import msgspec

from sockmeter.model.arms import Arm
from sockmeter.model.segments import Refusal
from sockmeter.plan.calls import Call
from sockmeter.plan.trials import call_arm, turning_arms, value_arms
from sockmeter.rig.host import HostRig
from sockmeter.rig.probe import LocalProbe
from sockmeter.rig.turning import Journal, open_stage
from sockmeter.rig.turning.abilities import can_turn_machine


class Trial(msgspec.Struct, frozen=True):
    """An arm that was tried, and why it was refused; None: it was not."""

    arm: Arm
    refusal: Refusal | None


class Trials(msgspec.Struct, frozen=True, kw_only=True):
    """What was tried on this machine."""

    calls: Mapping[tuple[str, str], Trial]  # by scenario and call
    values: Mapping[tuple[str, str], Trial]  # by factor and value
    can_turn_machine: bool  # or only what a private network has for itself


def try_words(probe: LocalProbe, cpu: int, calls: Sequence[Call]) -> Trials:
    """Try the calls and what may vary around them, in a network of our own; ProbeError."""
    call_arms = {(call.scenario, call.name): call_arm(call) for call in calls}
    with open_stage([*call_arms.values()], Journal()) as stage:
        rig = HostRig(probe.inside(stage.namespaces), cpu=cpu, stage=stage)
        return Trials(
            calls=_try(rig, call_arms),
            values={**_try(rig, value_arms(calls)), **_try(rig, turning_arms(calls))},
            can_turn_machine=can_turn_machine(),
        )


def _try(rig: HostRig, arms: Mapping[tuple[str, str], Arm]) -> dict[tuple[str, str], Trial]:
    refusals = rig.try_arms([*arms.values()])
    return {
        key: Trial(arm, refusal) for (key, arm), refusal in zip(arms.items(), refusals, strict=True)
    }
