# SPDX-License-Identifier: MIT
"""Findings about tracing that somebody else switched on: it slows every process."""

from sockmeter.rig.environment.machine import Machine
from sockmeter.rig.environment.site import Site
from sockmeter.rig.environment.system import TRACING, find_syscall_events
from sockmeter.rig.health.finding import DOCTOR_AS_ROOT, Finding, Status
from sockmeter.rig.health.seen import Seen

PERF_EVENT = "anon_inode:[perf_event]"


def examine_tracing(seen: Seen, machine: Machine) -> Finding:
    """Look for system call tracepoints, hooked functions and holders of perf events.

    The flag that sends calls over the slow entry (SYSCALL_WORK_SYSCALL_TRACEPOINT) cannot be read;
    tracefs shows what ftrace switched on, and open perf events show who may hold the rest.
    """
    subject = "tracepoints"
    slow = "every call of every process may take a fifth longer"
    events = seen.number("tracing.syscall_events")
    if events:
        switches = " ".join(find_syscall_events(Site(machine, "lo", -1)))
        return Finding(
            subject=subject,
            status=Status.DISTURBS,
            detail=f"system call events are on in tracefs (groups: {events:g}): {slow}",
            mend=seen.write("0", switches),
        )
    holders, hidden = _perf_event_holders(machine)
    if holders:
        pids = ",".join(str(pid) for pid in holders)
        detail = (
            f"perf events are open in other processes ({pids}): if one is a system call's, {slow}; "
            "the command names them (perf, bpftrace or a monitor)"
        )
        mend = f"ps -o pid,user,args -p {pids}"
        return Finding(subject=subject, status=Status.DISTURBS, detail=detail, mend=mend)
    functions = seen.number("tracing.functions")
    if functions:
        detail = f"{functions:g} kernel functions are hooked: their callers pay for it"
        mend = f"{seen.sudo()}cat /sys/kernel/tracing/enabled_functions"
        return Finding(subject=subject, status=Status.DISTURBS, detail=detail, mend=mend)
    if seen.text("config.FTRACE_SYSCALLS") == "n":
        detail = "the kernel has no system call tracepoints"
        return Finding(subject=subject, status=Status.OK, detail=detail)
    if events is None or hidden:
        return _unseen(seen, hidden)
    detail = "no system call events, no hooked functions, no foreign perf events"
    return Finding(subject=subject, status=Status.OK, detail=detail)


def _unseen(seen: Seen, hidden: int) -> Finding:
    """Return what to do where a part of the tracing could not be looked at."""
    parts = [f"processes that hide their files: {hidden}"] if hidden else []
    if seen.number("tracing.syscall_events") is None:
        parts.append(f"tracefs: {seen.why_missing('tracing.syscall_events')}")
    mount = f"mount -t tracefs tracefs {TRACING}"
    return Finding(
        subject="tracepoints",
        status=Status.CANNOT,
        detail=f"none found, but not all could be seen ({'; '.join(parts)})",
        mend=mount if seen.can("sys_admin") else DOCTOR_AS_ROOT,
    )


def _perf_event_holders(machine: Machine) -> tuple[list[int], int]:
    """Return the processes that hold a perf event, and how many could not be looked into."""
    holders: list[int] = []
    hidden = 0
    for name in machine.list_directory("/proc"):
        if not name.isdecimal():
            continue
        try:
            descriptors = machine.list_directory(f"/proc/{name}/fd")
        except PermissionError:
            hidden += 1
            continue
        except OSError:
            continue  # ended meanwhile
        if any(_is_perf_event(machine, f"/proc/{name}/fd/{fd}") for fd in descriptors):
            holders.append(int(name))
    return holders, hidden


def _is_perf_event(machine: Machine, path: str) -> bool:
    try:
        return machine.read_link(path) == PERF_EVENT
    except OSError:
        return False  # closed meanwhile
