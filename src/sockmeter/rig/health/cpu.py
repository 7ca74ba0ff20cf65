# SPDX-License-Identifier: MIT
"""Findings about the measured CPU: who else runs on it, and how fast it runs."""

from sockmeter.rig.environment.cpu import parse_cpu_list
from sockmeter.rig.environment.machine import Machine
from sockmeter.rig.health.finding import NOT_TRIED, Finding, Status
from sockmeter.rig.health.seen import Seen

CPU = "/sys/devices/system/cpu"
GRUB = "/etc/default/grub"
SLOW_WAKE_US = 10  # a core that wakes in less hides in the noise of a wake-up


def examine_isolation(seen: Seen, machine: Machine) -> Finding:
    """Say whether the scheduler and the timer tick leave the measured CPU alone."""
    subject = "cpu isolation"
    cpu = seen.number("cpu.measured")
    if cpu is None:
        detail = "the run is not pinned: the scheduler may move it, which drops the round"
        return Finding(subject=subject, status=Status.DISTURBS, detail=detail)
    if int(cpu) in _cpus(seen.text("cpu.isolated")):
        detail = f"CPU {cpu:g} is isolated"
        return Finding(subject=subject, status=Status.OK, detail=detail)
    tick = seen.number("config.HZ")
    rate = f" and the {tick:g} Hz tick" if tick else ""
    detail = f"CPU {cpu:g} is not isolated: other tasks{rate} fall into calls"
    if seen.number("cpu.online_count") == 1:
        return Finding(
            subject=subject, status=Status.DISTURBS, detail=f"{detail}; there is no other CPU"
        )
    parameters = f"isolcpus={cpu:g} nohz_full={cpu:g}"
    if not _has_grub(machine):
        detail = f"{detail}; the boot parameters {parameters} prevent it, and there is no {GRUB}"
        return Finding(subject=subject, status=Status.DISTURBS, detail=detail)
    edit = f"""sed -i 's/^GRUB_CMDLINE_LINUX="/&{parameters} /' {GRUB}"""
    return Finding(
        subject=subject,
        status=Status.DISTURBS,
        detail=f"{detail} (takes effect at the next boot)",
        mend=f"{seen.sudo()}{edit} && {seen.sudo()}update-grub",
    )


def examine_smt(seen: Seen) -> Finding:
    """Say whether another thread shares the measured core."""
    subject = "smt"
    drift = "levels drift by up to a fifth when the other thread is busy"
    if seen.is_guest() and seen.text("cpu.smt_control") in (None, "notsupported", "notimplemented"):
        detail = f"the hypervisor does not show who shares the core: {drift}, and steal stays 0"
        return Finding(subject=subject, status=Status.CANNOT, detail=detail)
    siblings = seen.text("cpu.siblings")
    if siblings is None:
        detail = f"siblings unknown: {seen.why_missing('cpu.siblings')}"
        return Finding(subject=subject, status=Status.CANNOT, detail=detail)
    others = [cpu for cpu in _cpus(siblings) if cpu != seen.number("cpu.measured")]
    if not others:
        return Finding(subject=subject, status=Status.OK, detail="no other thread shares the core")
    shown = ", ".join(f"CPU {cpu}" for cpu in others)
    return Finding(
        subject=subject,
        status=Status.DISTURBS,
        detail=f"{shown} shares the core: {drift} ({NOT_TRIED})",
        mend="; ".join(seen.write("0", f"{CPU}/cpu{cpu}/online") for cpu in others),
    )


def examine_governor(seen: Seen) -> Finding:
    """Say whether the frequency follows the load."""
    subject = "governor"
    governor = seen.text("frequency.governor")
    if governor is None:
        who = "the hypervisor's host sets it" if seen.is_guest() else "no frequency driver"
        reason = seen.why_missing("frequency.governor")
        detail = f"the frequency cannot be seen ({who}; {reason}): it may change during a run"
        return Finding(subject=subject, status=Status.CANNOT, detail=detail)
    if governor == "performance":
        detail = f"performance, which does not follow the load ({NOT_TRIED})"
        return Finding(subject=subject, status=Status.OK, detail=detail)
    return Finding(
        subject=subject,
        status=Status.DISTURBS,
        detail=f"{governor} may change the frequency during a run: a tick holds more or fewer "
        f"cycles ({NOT_TRIED})",
        mend=seen.write("performance", f"{CPU}/cpu*/cpufreq/scaling_governor"),
    )


def examine_boost(seen: Seen) -> Finding:
    """Say whether the CPU may run above its nominal frequency."""
    subject = "boost"
    boost, no_turbo = seen.truth("frequency.boost"), seen.truth("frequency.no_turbo")
    if boost is None and no_turbo is None:
        who = "the hypervisor's host sets it" if seen.is_guest() else "no driver that has it"
        detail = f"cannot be seen ({who}; {seen.why_missing('frequency.boost')})"
        return Finding(subject=subject, status=Status.CANNOT, detail=detail)
    if boost is False or no_turbo is True:
        return Finding(subject=subject, status=Status.OK, detail=f"off ({NOT_TRIED})")
    switch = (
        seen.write("1", f"{CPU}/intel_pstate/no_turbo")
        if no_turbo is not None
        else seen.write("0", f"{CPU}/cpufreq/boost")
    )
    return Finding(
        subject=subject,
        status=Status.DISTURBS,
        detail=f"on: speed depends on temperature and on what other cores do ({NOT_TRIED})",
        mend=switch,
    )


def examine_idle(seen: Seen) -> Finding:
    """Say what a call that follows a wait pays for waking the core."""
    subject = "idle states"
    exit_us = seen.number("idle.deepest_exit")
    if exit_us is None:
        reason = seen.why_missing("idle.deepest_exit")
        return Finding(subject=subject, status=Status.CANNOT, detail=f"cannot be seen ({reason})")
    deepest = (seen.words("idle.states") or ["none"])[-1]
    detail = f"deepest is {deepest}, which takes {exit_us:g} µs to leave"
    if exit_us <= SLOW_WAKE_US:
        return Finding(subject=subject, status=Status.OK, detail=detail)
    cpu = seen.number("cpu.measured")
    where = f"cpu{cpu:g}" if cpu is not None else "cpu*"
    return Finding(
        subject=subject,
        status=Status.DISTURBS,
        detail=f"{detail}: paid by calls that follow a wait, not by those of a burst ({NOT_TRIED})",
        mend=seen.write("1", f"{CPU}/{where}/cpuidle/state[1-9]/disable"),
    )


def _cpus(text: str | None) -> list[int]:
    return parse_cpu_list(text or "")


def _has_grub(machine: Machine) -> bool:
    try:
        machine.read_bytes(GRUB)
    except OSError:
        return False
    return True
