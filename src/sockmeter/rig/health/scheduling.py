# SPDX-License-Identifier: MIT
"""Findings about what this process may claim: priority, memory, CPUs, time."""

from sockmeter.model.runs import Impediment, Instrument
from sockmeter.rig.environment.cpu import parse_cpu_list
from sockmeter.rig.health.finding import Finding, Status
from sockmeter.rig.health.seen import Seen

PROBE_RESIDENT_BYTES = 16 << 20  # the most that the probe keeps resident
UNLIMITED = "unlimited"


def examine_priority(seen: Seen, instrument: Instrument | None) -> Finding:
    """Say whether the probe runs, or could run, at real-time priority."""
    refusal = _impediment(instrument, "fifo_priority")
    effect = "other tasks interrupt calls, which lengthens the tail"
    if seen.number("container.realtime_runtime") == 0:
        return Finding(
            subject="priority",
            status=Status.DISTURBS,
            detail=f"the cgroup has 0 µs of real-time runtime, so SCHED_FIFO is refused: {effect}",
            mend=f"{seen.sudo()}sysctl kernel.sched_rt_runtime_us=-1",
        )
    if refusal is None and (instrument is not None or has_realtime(seen)):
        return Finding(subject="priority", status=Status.OK, detail="SCHED_FIFO is allowed")
    why = refusal.errno if refusal else f"limit {_shown(seen, 'process.realtime_limit')}"
    detail = f"SCHED_FIFO is not allowed ({why}): {effect}"
    if seen.is_container():
        detail = f"{detail}; the container needs --cap-add SYS_NICE when it is started"
        return Finding(subject="priority", status=Status.DISTURBS, detail=detail)
    return Finding(
        subject="priority",
        status=Status.DISTURBS,
        detail=detail,
        mend=f"{seen.sudo()}prlimit --pid $$ --rtprio=50:50",
    )


def has_realtime(seen: Seen) -> bool:
    """Say whether this process may ask for SCHED_FIFO."""
    limit = seen.number("process.realtime_limit")
    unlimited = seen.text("process.realtime_limit") == UNLIMITED
    return seen.can("sys_nice") or unlimited or bool(limit)


def examine_throttling(seen: Seen) -> Finding:
    """Say what real-time throttling does to a FIFO thread that never sleeps."""
    subject = "real-time throttling"
    runtime = seen.number("sysctl.kernel.sched_rt_runtime_us")
    period = seen.number("sysctl.kernel.sched_rt_period_us")
    if runtime is None or period is None:
        reason = seen.why_missing("sysctl.kernel.sched_rt_runtime_us")
        return Finding(subject=subject, status=Status.CANNOT, detail=f"not readable: {reason}")
    if runtime < 0 or runtime >= period:
        return Finding(
            subject=subject, status=Status.OK, detail="off: a FIFO thread is not stopped"
        )
    if not has_realtime(seen):
        detail = "on, but without SCHED_FIFO it does not apply"
        return Finding(subject=subject, status=Status.OK, detail=detail)
    detail = (
        f"a FIFO thread that does not sleep may stand still for {(period - runtime) / 1000:g} ms "
        f"of every {period / 1000:g} ms; the probe rests a ninth of its work, which keeps it clear"
    )
    return Finding(subject=subject, status=Status.OK, detail=detail)


def examine_memory_lock(seen: Seen, instrument: Instrument | None) -> Finding:
    """Say whether the probe's memory is, or could be, locked."""
    subject = "memory lock"
    limit = seen.number("process.memlock_limit")
    unlimited = seen.text("process.memlock_limit") == UNLIMITED or seen.can("ipc_lock")
    could = unlimited or (limit or 0) >= PROBE_RESIDENT_BYTES
    if instrument.memory_locked if instrument is not None else could:
        return Finding(subject=subject, status=Status.OK, detail="the probe's memory can be locked")
    detail = (
        f"the probe's memory cannot be locked (limit {_shown(seen, 'process.memlock_limit')} bytes)"
        ": a page fault may fall into a call"
    )
    if seen.is_container():
        detail = f"{detail}; the container needs --ulimit memlock=-1 when it is started"
        return Finding(subject=subject, status=Status.DISTURBS, detail=detail)
    return Finding(
        subject=subject,
        status=Status.DISTURBS,
        detail=detail,
        mend=f"{seen.sudo()}prlimit --pid $$ --memlock=unlimited:unlimited",
    )


def examine_limits(seen: Seen) -> Finding:
    """Say what a container or cgroup takes away: time, or the measured CPU."""
    subject = "container limits"
    cpu = seen.number("cpu.measured")
    allowed = seen.text("process.allowed_cpus")
    if cpu is not None and allowed is not None and int(cpu) not in parse_cpu_list(allowed):
        detail = f"CPU {cpu:g} is not among those allowed here ({allowed}): pinning fails"
        return Finding(
            subject=subject, status=Status.CANNOT, detail=f"{detail}; choose one of these"
        )
    quota = seen.number("container.cpu_quota")
    if quota is not None:
        detail = (
            f"a quota of {quota:g} CPUs: a process over it stands still until its period ends; it "
            "is raised where the container or the unit is defined"
        )
        return Finding(subject=subject, status=Status.DISTURBS, detail=detail)
    if seen.text("container.cpu_quota") is None:
        reason = seen.why_missing("container.cpu_quota")
        return Finding(subject=subject, status=Status.CANNOT, detail=f"quota unknown: {reason}")
    return Finding(subject=subject, status=Status.OK, detail="no quota on CPU time")


def _impediment(instrument: Instrument | None, what: str) -> Impediment | None:
    could_not = instrument.could_not if instrument is not None else []
    return next((impediment for impediment in could_not if impediment.what == what), None)


def _shown(seen: Seen, name: str) -> str:
    number = seen.number(name)
    return f"{number:.0f}" if number is not None else seen.text(name) or "unknown"
