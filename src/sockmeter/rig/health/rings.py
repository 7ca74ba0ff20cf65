# SPDX-License-Identifier: MIT
"""Which calls through an io_uring can be measured: each is tried once, by the probe."""

import msgspec

from sockmeter.model.arms import Arm
from sockmeter.model.segments import Refusal
from sockmeter.plan.arms import expand_arms
from sockmeter.plan.designs import Request, make_design
from sockmeter.rig.health.finding import Finding, Status
from sockmeter.rig.probe import Probe
from sockmeter.rig.wire import decode_output, encode_plan

SUBJECT = "io_uring calls"
PLAIN = "a plain ring"

# What is tried, by the words of a finding: the scenario, the call and its factors.
TRIED: dict[str, tuple[str, str, dict[str, str | int]]] = {
    PLAIN: ("recv", "uring-recv", {"ring": "plain"}),
    "single-issuer": ("recv", "uring-recv", {"ring": "single-issuer"}),
    "defer-taskrun": ("recv", "uring-recv", {"ring": "defer-taskrun"}),
    "sqpoll": ("recv", "uring-recv", {"ring": "sqpoll"}),
    "registered files": ("recv", "uring-recv", {"registered": "files"}),
    "multishot": ("recv", "uring-recv-multishot", {"batch": 2}),
    "bundles": ("recv", "uring-recv-bundle", {"family": "tcp4", "batch": 2}),
    "SEND_ZC": ("send", "uring-send-zc", {}),
    "SENDMSG_ZC": ("send", "uring-sendmsg-zc", {}),
    "registered payload": ("send", "uring-send-zc", {"registered": "buffers"}),
}


def examine_rings(probe: Probe, cpu: int) -> Finding:
    """Return what can be done through a ring here, and what cannot with the reason of each."""
    arms = [_arm(*tried) for tried in TRIED.values()]
    once = make_design(Request(scenario="recv", call=["uring-recv"], calls=1))
    plan = encode_plan(
        msgspec.structs.replace(once, arms=arms, warmup=0), range(len(arms)), cap=0, cpu=cpu
    )
    refusals = {refusal.arm: refusal for refusal in decode_output(probe.run(plan)).refusals}
    refused = {name: refusals[at] for at, name in enumerate(TRIED) if at in refusals}
    if PLAIN in refused:
        detail = f"none here: {refused[PLAIN].text}"
        return Finding(subject=SUBJECT, status=Status.CANNOT, detail=detail)
    there = ", ".join(name for name in TRIED if name not in refused)
    if not refused:
        return Finding(subject=SUBJECT, status=Status.OK, detail=f"all: {there}")
    return Finding(subject=SUBJECT, status=Status.OK, detail=f"{there}; {_lacking(refused)}")


def _arm(scenario: str, call: str, factors: dict[str, str | int]) -> Arm:
    (arm,) = expand_arms(scenario, [call], {name: [value] for name, value in factors.items()})
    return arm


def _lacking(refused: dict[str, Refusal]) -> str:
    return "not " + ", not ".join(f"{name} ({refusal.text})" for name, refusal in refused.items())
