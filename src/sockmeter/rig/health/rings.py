# SPDX-License-Identifier: MIT
"""Which calls through an io_uring can be measured: each is tried once, by the probe."""

from sockmeter.model.arms import Arm
from sockmeter.model.segments import Refusal
from sockmeter.plan.calls import CALLS, find_call
from sockmeter.plan.factors import RINGS
from sockmeter.plan.trials import call_arm, value_arms
from sockmeter.rig.health.finding import Finding, Status
from sockmeter.rig.host import HostRig

SUBJECT = "io_uring calls"
PLAIN = "a plain ring"

# What a ring may do besides, by the words of a finding: the scenario and the call that do it.
KINDS = {
    "multishot": ("recv", "uring-recv-multishot"),
    "bundles": ("recv", "uring-recv-bundle"),
    "SEND_ZC": ("send", "uring-send-zc"),
    "SENDMSG_ZC": ("send", "uring-sendmsg-zc"),
}


def ring_arms() -> dict[str, Arm]:
    """Return what is tried, by the words of a finding."""
    values = value_arms(CALLS)
    return {
        PLAIN: values["ring", "plain"],
        **{kind: values["ring", kind] for kind in RINGS if kind != "plain"},
        "registered files": values["registered", "files"],
        **{words: call_arm(find_call(*call)) for words, call in KINDS.items()},
        "registered payload": values["registered", "buffers"],
    }


def examine_rings(rig: HostRig) -> Finding:
    """Return what can be done through a ring here, and what cannot with the reason of each."""
    arms = ring_arms()
    tried = rig.try_arms([*arms.values()])
    refused = {name: each for name, each in zip(arms, tried, strict=True) if each is not None}
    if PLAIN in refused:
        detail = f"none here: {refused[PLAIN].text}"
        return Finding(subject=SUBJECT, status=Status.CANNOT, detail=detail)
    there = ", ".join(name for name in arms if name not in refused)
    if not refused:
        return Finding(subject=SUBJECT, status=Status.OK, detail=f"all: {there}")
    return Finding(subject=SUBJECT, status=Status.OK, detail=f"{there}; {_lacking(refused)}")


def _lacking(refused: dict[str, Refusal]) -> str:
    return "not " + ", not ".join(f"{name} ({refusal.text})" for name, refusal in refused.items())
