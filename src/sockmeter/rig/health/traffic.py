# SPDX-License-Identifier: MIT
"""Findings about what whole scenarios need: an io_uring, and a descriptor for every channel."""

from sockmeter.rig.health.finding import Finding, Status
from sockmeter.rig.health.seen import Seen

# Channels of the largest server that is asked for; the probe raises its soft limit itself.
MANY_DESCRIPTORS = 10_100


def examine_io_uring(seen: Seen) -> Finding:
    """Say whether the calls through an io_uring can be measured."""
    subject, name = "io_uring", "sysctl.kernel.io_uring_disabled"
    disabled = seen.number(name)
    if disabled is None:
        detail = (
            f"{name} is not readable ({seen.why_missing(name)}); before Linux 6.6 there is none: "
            "a uring- call says whether it is allowed"
        )
        return Finding(subject=subject, status=Status.CANNOT, detail=detail)
    enable = f"{seen.sudo()}sysctl kernel.io_uring_disabled=0"
    if disabled >= 2:
        detail = "kernel.io_uring_disabled is 2: nobody may set one up, no uring- call is measured"
        return Finding(subject=subject, status=Status.CANNOT, detail=detail, mend=enable)
    if disabled == 1 and not seen.can("sys_admin"):
        detail = (
            "kernel.io_uring_disabled is 1: only CAP_SYS_ADMIN and the group of "
            "kernel.io_uring_group may set one up"
        )
        return Finding(subject=subject, status=Status.CANNOT, detail=detail, mend=enable)
    detail = "allowed by the kernel"
    if seen.text("process.seccomp") == "filter":
        detail = f"{detail}; a seccomp filter is on and may refuse it: a uring- call says so"
    return Finding(subject=subject, status=Status.OK, detail=detail)


def examine_descriptors(seen: Seen) -> Finding:
    """Say for how many channels there are descriptors."""
    subject = "descriptors"
    limit = seen.number("process.open_files_limit")
    if seen.text("process.open_files_limit") == "unlimited" or seen.can("sys_resource"):
        detail = "as many channels as asked for: the limit can be raised"
        return Finding(subject=subject, status=Status.OK, detail=detail)
    if limit is None:
        reason = seen.why_missing("process.open_files_limit")
        return Finding(subject=subject, status=Status.CANNOT, detail=f"not readable: {reason}")
    if limit >= MANY_DESCRIPTORS:
        detail = f"{limit:.0f}: enough for 10,000 channels"
        return Finding(subject=subject, status=Status.OK, detail=detail)
    return Finding(
        subject=subject,
        status=Status.CANNOT,
        detail=f"at most {limit:.0f} descriptors: 10,000 channels cannot be opened",
        mend=f"{seen.sudo()}prlimit --pid $$ --nofile={MANY_DESCRIPTORS}:{MANY_DESCRIPTORS}",
    )
