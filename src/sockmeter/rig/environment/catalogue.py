# SPDX-License-Identifier: MIT
"""Every fact that an environment can hold, in groups, in the order in which they are shown."""

from sockmeter.rig.environment import cgroup, config, cpu, kernel, network, process, system
from sockmeter.rig.environment.row import OpenRow, Row

CATALOGUE: dict[str, tuple[Row | OpenRow, ...]] = {
    "The kernel": kernel.KERNEL,
    "Vulnerabilities and their mitigation": kernel.VULNERABILITY,
    "The kernel's configuration": config.CONFIG,
    "The CPU": (*cpu.IDENTITY, *cpu.TOPOLOGY),
    "Frequency and idle states": (*cpu.FREQUENCY, *cpu.IDLE),
    "Clock and memory": (*cpu.CLOCK, *cpu.MEMORY),
    "Hypervisor and container": (*system.HYPERVISOR, *system.CONTAINER, *cgroup.LIMITS),
    "Sysctls": network.SYSCTLS,
    "The network device": network.DEVICE_FACTS,
    "Packet filters": network.FILTERS,
    "This process": process.PROCESS,
    "Load and tracing at the start": (*system.LOAD, *system.TRACERS),
}
