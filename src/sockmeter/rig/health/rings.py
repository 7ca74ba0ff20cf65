# SPDX-License-Identifier: MIT
"""Which calls through an io_uring can be measured: each is tried once, by the probe."""

from sockmeter.model.segments import Refusal
from sockmeter.plan.factors import Value
from sockmeter.plan.trials import trial_arm
from sockmeter.rig.health.finding import Finding, Status
from sockmeter.rig.health.trials import try_arms
from sockmeter.rig.host import HostRig

SUBJECT = "io_uring calls"
PLAIN = "a plain ring"

# What is tried, by the words of a finding: the scenario, the call and its factors.
TRIED: dict[str, tuple[str, str, dict[str, Value]]] = {
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


def examine_rings(rig: HostRig) -> Finding:
    """Return what can be done through a ring here, and what cannot with the reason of each."""
    tried = try_arms(rig, [trial_arm(*each) for each in TRIED.values()])
    refused = {name: each for name, each in zip(TRIED, tried, strict=True) if each is not None}
    if PLAIN in refused:
        detail = f"none here: {refused[PLAIN].text}"
        return Finding(subject=SUBJECT, status=Status.CANNOT, detail=detail)
    there = ", ".join(name for name in TRIED if name not in refused)
    if not refused:
        return Finding(subject=SUBJECT, status=Status.OK, detail=f"all: {there}")
    return Finding(subject=SUBJECT, status=Status.OK, detail=f"{there}; {_lacking(refused)}")


def _lacking(refused: dict[str, Refusal]) -> str:
    return "not " + ", not ".join(f"{name} ({refusal.text})" for name, refusal in refused.items())
