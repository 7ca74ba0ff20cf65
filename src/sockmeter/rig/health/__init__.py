# SPDX-License-Identifier: MIT
"""What this machine can and cannot measure, what disturbs it, and the command that mends each."""

import msgspec

from sockmeter.model.environment import Environment
from sockmeter.model.runs import Instrument
from sockmeter.rig.environment.machine import Machine
from sockmeter.rig.health import cpu, families, neighbours, scheduling, timing, tracing, traffic
from sockmeter.rig.health.finding import Finding, Status
from sockmeter.rig.health.seen import Seen

__all__ = ["Finding", "Status", "examine"]

# A container sees these settings and cannot change them.
MACHINE_WIDE = ("/sys/", "sysctl kernel.", "update-grub")


def examine(
    machine: Machine, environment: Environment, instrument: Instrument | None
) -> list[Finding]:
    """Return every finding, in a fixed order; with `instrument`, as the probe found itself.

    Takes as long as the machine has processes: each one's open files are looked at, a millisecond
    for every few hundred. Changes nothing.
    """
    seen = Seen(environment)
    findings = [
        timing.examine_clock(seen, instrument),
        timing.examine_pmu(seen, machine),
        scheduling.examine_priority(seen, instrument),
        scheduling.examine_throttling(seen),
        scheduling.examine_memory_lock(seen, instrument),
        scheduling.examine_limits(seen),
        cpu.examine_isolation(seen, machine),
        cpu.examine_smt(seen),
        cpu.examine_governor(seen),
        cpu.examine_boost(seen),
        cpu.examine_idle(seen),
        neighbours.examine_load(seen),
        neighbours.examine_steal(seen),
        tracing.examine_tracing(seen, machine),
        neighbours.examine_seccomp(seen),
        neighbours.examine_debug_options(seen),
        neighbours.examine_filters(seen),
        traffic.examine_io_uring(seen),
        traffic.examine_descriptors(seen),
        *families.examine_families(seen, machine),
    ]
    return [_outside(finding) for finding in findings] if seen.is_container() else findings


def _outside(finding: Finding) -> Finding:
    """Return the finding with its command marked as one for the host of the container."""
    if finding.mend is None or not any(part in finding.mend for part in MACHINE_WIDE):
        return finding
    return msgspec.structs.replace(finding, mend=f"{finding.mend}  # on the container's host")
