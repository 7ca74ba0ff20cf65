# SPDX-License-Identifier: MIT
"""What is asked of a private network to turn a setting of an arm, and to put it back."""

from sockmeter.plan.factors import OFFLOAD, SYSCTL
from sockmeter.rig.sinks.protocol import Request, SetDropping, SetFeature, SetMtu, SetSysctl

Value = int | str | bool
DROPPING = "dropping"  # at the ingress of the sink's device; no factor of its own


def turning(device: str, name: str, value: Value) -> Request:
    """Return the request that turns a setting; `device` is that of the arm's sink."""
    if name.startswith(SYSCTL):
        return SetSysctl(name.removeprefix(SYSCTL), str(value))
    if name.startswith(OFFLOAD):
        return SetFeature(device, name.removeprefix(OFFLOAD), value == "on")
    if name == DROPPING:
        return SetDropping(device, value is True)
    return SetMtu(device, int(value))


def undoing(request: Request, old: str) -> Request:
    """Return the request that puts back what `request` turned; `old` is its answer."""
    match request:
        case SetSysctl():
            return SetSysctl(request.name, " ".join(old.split()))
        case SetMtu():
            return SetMtu(request.device, int(old))
        case SetFeature():
            return SetFeature(request.device, request.feature, old == "on")
        case SetDropping():
            return SetDropping(request.device, old == "on")
        case _:
            raise ValueError(f"{request} turns nothing")
