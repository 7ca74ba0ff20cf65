# SPDX-License-Identifier: MIT
"""Findings about what time is measured with: the clock and the PMU."""

import errno

from sockmeter.model.runs import Instrument
from sockmeter.rig.environment.machine import Machine
from sockmeter.rig.health.finding import NOT_TRIED, Finding, Status
from sockmeter.rig.health.seen import Seen

CLOCKSOURCE = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
RDPMC = "/sys/bus/event_source/devices/cpu/rdpmc"
STEADY = ("constant_tsc", "nonstop_tsc")


def examine_clock(seen: Seen, instrument: Instrument | None) -> Finding:
    """Judge the clock: as the probe measured it, otherwise by the CPU's flags."""
    if instrument is not None:
        return _measured_clock(instrument)
    if seen.text("kernel.architecture") == "aarch64":
        return _clock(Status.OK, "the generic timer cntvct_el0 can be read from user space")
    flags = seen.words("clock.tsc_flags")
    if flags is None:
        return _clock(Status.CANNOT, f"the TSC's flags: {seen.why_missing('clock.tsc_flags')}")
    lacking = [flag for flag in STEADY if flag not in flags]
    if lacking:
        detail = f"no {' and no '.join(lacking)}: a tick is no fixed time, so costs drift"
        return _clock(Status.DISTURBS, detail)
    source = seen.text("clock.source")
    if source != "tsc" and "tsc" in (seen.words("clock.available") or []):
        detail = f"the clock source is {source}: clock_gettime costs a system call or a slow read"
        return _clock(Status.DISTURBS, detail, seen.write("tsc", CLOCKSOURCE))
    return _clock(Status.OK, f"a steady TSC; the kernel's clock source is {source}")


def _measured_clock(instrument: Instrument) -> Finding:
    clock = instrument.clock
    seen = (
        f"{clock.name} moves in steps of {clock.quantum} {clock.unit}; "
        f"an empty bracket costs {clock.bracket_cost:g} {clock.unit}"
    )
    refused = [impediment for impediment in instrument.could_not if impediment.what == "tsc"]
    if clock.name == "clock_gettime":
        why = f" (tsc: {refused[0].text})" if refused else ""
        return _clock(Status.DISTURBS, f"{seen}{why}: small differences drown in the reading")
    return _clock(Status.OK, seen)


def _clock(status: Status, detail: str, mend: str | None = None) -> Finding:
    return Finding(subject="clock", status=status, detail=detail, mend=mend)


def examine_pmu(seen: Seen, machine: Machine) -> Finding:
    """Try to open a cycle counter, and say what the refusal means."""
    try:
        readable = machine.count_cycles()
    except OSError as refusal:
        return _refused_pmu(seen, refusal)
    if readable:
        return _pmu(Status.OK, f"core cycles can be counted and read from user space ({NOT_TRIED})")
    detail = (
        "a cycle counter opens, but user space may not read it: every read would be a system call "
        f"({NOT_TRIED})"
    )
    return _pmu(Status.CANNOT, detail, seen.write("1", RDPMC))


def _refused_pmu(seen: Seen, refusal: OSError) -> Finding:
    code = errno.errorcode.get(refusal.errno or 0, str(refusal))
    refused = f"perf_event_open(cycles) gives {code}"
    ticks = "calls are timed in ticks of the clock, not in core cycles"
    if code not in ("EACCES", "EPERM"):
        why = {
            "ENOENT": "there is no PMU here",
            "ENOSYS": "the kernel has no perf events, or a filter hides them",
        }.get(code, "the PMU does not count cycles")
        return _pmu(Status.CANNOT, f"{refused}: {why}; {ticks}")
    if seen.text("process.seccomp") == "filter":
        detail = (
            f"{refused}: a seccomp filter or a missing capability; {ticks}; a container needs "
            "--security-opt seccomp=unconfined --cap-add PERFMON when it is started"
        )
        return _pmu(Status.CANNOT, detail)
    paranoid = seen.number("sysctl.kernel.perf_event_paranoid")
    level = "unknown" if paranoid is None else f"{paranoid:g}"
    detail = f"{refused}: kernel.perf_event_paranoid is {level}, 1 is needed; {ticks}"
    return _pmu(Status.CANNOT, detail, f"{seen.sudo()}sysctl kernel.perf_event_paranoid=1")


def _pmu(status: Status, detail: str, mend: str | None = None) -> Finding:
    return Finding(subject="pmu", status=status, detail=detail, mend=mend)
