# SPDX-License-Identifier: MIT
"""Findings about the socket families: those that open here, and one for each that does not."""

import errno

from sockmeter.rig.environment.machine import Machine
from sockmeter.rig.health.finding import Finding, Status
from sockmeter.rig.health.seen import Seen

FAMILIES = ("udp4", "udp6", "tcp4", "tcp6", "unix-stream", "unix-dgram")


def examine_families(seen: Seen, machine: Machine) -> list[Finding]:
    """Open a socket of every family of the probe."""
    opened: list[str] = []
    refused: list[Finding] = []
    for family in FAMILIES:
        try:
            machine.open_family(family)
        except OSError as refusal:
            refused.append(_refused(seen, family, refusal))
        else:
            opened.append(family)
    if not opened:
        return refused
    detail = f"{', '.join(opened)} open"
    return [Finding(subject="families", status=Status.OK, detail=detail), *refused]


def _refused(seen: Seen, family: str, refusal: OSError) -> Finding:
    code = errno.errorcode.get(refusal.errno or 0, "")
    no_address = code == "EADDRNOTAVAIL" and family.endswith("6")
    enable = f"{seen.sudo()}sysctl net.ipv6.conf.all.disable_ipv6=0 net.ipv6.conf.lo.disable_ipv6=0"
    link_up = f"{seen.sudo()}ip link set lo up"
    mend = enable if no_address else link_up if code == "EADDRNOTAVAIL" else None
    return Finding(
        subject=family,
        status=Status.CANNOT,
        detail=f"{family} does not open ({code or refusal}): its calls cannot be measured here",
        mend=mend,
    )
