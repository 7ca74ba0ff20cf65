# SPDX-License-Identifier: MIT
"""Findings about what else works on the machine, and what is done to every call."""

import re

from sockmeter.rig.health.finding import DOCTOR_AS_ROOT, Finding, Status
from sockmeter.rig.health.seen import Seen

BUSY_PER_CPU = 0.25  # load average per CPU from which bursts are cut often
STEAL_SEEN = 0.001  # fraction of the busy time

# Options whose cost falls on every lock, allocation or copy. DEBUG_VM, DEBUG_LIST and UBSAN, which
# distributions ship, are recorded but not called a disturbance.
DEBUG_OPTIONS = (
    "KASAN", "KCSAN", "KMSAN", "KCOV", "GCOV_KERNEL", "PROVE_LOCKING", "LOCKDEP", "LOCK_STAT",
    "DEBUG_LOCK_ALLOC", "DEBUG_SPINLOCK", "DEBUG_MUTEXES", "DEBUG_ATOMIC_SLEEP", "DEBUG_OBJECTS",
    "DEBUG_NET", "SLUB_DEBUG_ON", "NET_DEV_REFCNT_TRACKER", "NET_NS_REFCNT_TRACKER",
)  # fmt: skip
DEBUG_PARAMETERS = ("slub_debug", "slab_debug", "debug_pagealloc", "page_poison")


def examine_load(seen: Seen) -> Finding:
    """Say how many tasks compete for the CPUs."""
    load, cpus = seen.number("load.average"), seen.number("cpu.online_count") or 1
    if load is None:
        reason = seen.why_missing("load.average")
        return Finding(subject="load", status=Status.CANNOT, detail=f"not readable: {reason}")
    detail = f"{load:g} tasks ran or waited over the last minute on {cpus:g} CPUs"
    if load <= BUSY_PER_CPU * cpus:
        return Finding(subject="load", status=Status.OK, detail=detail)
    return Finding(
        subject="load",
        status=Status.DISTURBS,
        detail=f"{detail}: they cut into bursts and cool the caches; the command names them",
        mend="ps -eo pid,psr,pcpu,comm --sort=-pcpu | head",
    )


def examine_steal(seen: Seen) -> Finding:
    """Say how much of the busy time the hypervisor took."""
    steal = seen.number("load.steal")
    if steal is None:
        reason = seen.why_missing("load.steal")
        return Finding(subject="steal", status=Status.CANNOT, detail=f"not readable: {reason}")
    detail = f"the hypervisor took {steal:.2%} of the busy time since boot"
    if steal <= STEAL_SEEN:
        return Finding(subject="steal", status=Status.OK, detail=detail)
    detail = f"{detail}: rounds that it hits are dropped; there is nothing to mend inside a guest"
    return Finding(subject="steal", status=Status.DISTURBS, detail=detail)


def examine_seccomp(seen: Seen) -> Finding:
    """Say whether a filter runs before every call of this process, or a debugger stops it."""
    if seen.truth("process.traced"):
        detail = "a debugger holds this process: every call stops twice, at 100 times its cost"
        return Finding(subject="seccomp", status=Status.DISTURBS, detail=detail)
    mode = seen.text("process.seccomp")
    if mode is None:
        reason = seen.why_missing("process.seccomp")
        return Finding(subject="seccomp", status=Status.CANNOT, detail=f"not readable: {reason}")
    if mode == "off":
        return Finding(subject="seccomp", status=Status.OK, detail="no filter on system calls")
    filters = seen.number("process.seccomp_filters")
    shown = f"seccomp filters ({filters:g}) run" if filters else "a seccomp filter runs"
    detail = (
        f"{shown} before every system call and every call pays for it; a process cannot shed "
        "them: start it outside the container, or with --security-opt seccomp=unconfined"
    )
    return Finding(subject="seccomp", status=Status.DISTURBS, detail=detail)


def examine_debug_options(seen: Seen) -> Finding:
    """Say whether the kernel carries debugging that makes its numbers another kernel's."""
    subject = "kernel debug options"
    parameters = re.findall(r"[^\s=]+", seen.text("kernel.command_line") or "")
    given = [name for name in DEBUG_PARAMETERS if name in parameters]
    built = [name for name in DEBUG_OPTIONS if seen.text(f"config.{name}") == "y"]
    if given or built:
        detail = (
            f"{', '.join([*built, *given])}: costs are those of a debug kernel and do not carry "
            "over to a production one; boot a kernel without them"
        )
        return Finding(subject=subject, status=Status.DISTURBS, detail=detail)
    if seen.text("kernel.config_source") is None:
        detail = f"unknown: {seen.why_missing('kernel.config_source')}"
        return Finding(subject=subject, status=Status.CANNOT, detail=detail)
    return Finding(subject=subject, status=Status.OK, detail="none that make calls slower")


def examine_filters(seen: Seen) -> Finding:
    """Say whether datagrams pass packet filter rules."""
    subject = "packet filter"
    hooks = seen.words("netfilter.nftables_hooks")
    tables = seen.words("netfilter.iptables")
    connections = seen.number("netfilter.connections")
    found = [f"nftables chains: {len(hooks)}"] if hooks else []
    found += [f"iptables tables: {len(tables)}"] if tables else []
    found += [f"tracked connections: {connections:g}"] if connections else []
    if found:
        detail = (
            f"on the path lie {', '.join(found)}; a datagram's cost includes them; remove them "
            "only if the question is the bare path"
        )
        return Finding(subject=subject, status=Status.DISTURBS, detail=detail)
    if hooks is None or tables is None:
        unseen = "netfilter.nftables_hooks" if hooks is None else "netfilter.iptables"
        return Finding(
            subject=subject,
            status=Status.CANNOT,
            detail=f"rules cannot be seen: {seen.why_missing(unseen)}",
            mend=None if seen.can("net_admin") else DOCTOR_AS_ROOT,
        )
    return Finding(subject=subject, status=Status.OK, detail="no rules on the path")
