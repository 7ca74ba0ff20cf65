# SPDX-License-Identifier: MIT
"""Facts about this process: what it may do, what filters its system calls."""

from collections.abc import Callable

from sockmeter.model.environment import FactValue
from sockmeter.rig.environment.row import Row
from sockmeter.rig.environment.site import Site, UnreadableError

SECCOMP_MODES = {"0": "off", "1": "strict", "2": "filter"}

# Bits of <linux/capability.h> that decide what can be measured here.
CAPABILITIES = {
    12: "net_admin", 14: "ipc_lock", 17: "sys_rawio", 19: "sys_ptrace", 21: "sys_admin",
    23: "sys_nice", 24: "sys_resource", 38: "perfmon", 39: "bpf",
}  # fmt: skip


def _status(name: str) -> Callable[[Site], str]:
    def read(site: Site) -> str:
        if name not in site.status:
            raise UnreadableError(f"no {name} in /proc/self/status")
        return site.status[name]

    return read


def _capabilities(site: Site) -> FactValue:
    effective = int(_status("CapEff")(site), 16)
    return [name for bit, name in CAPABILITIES.items() if effective >> bit & 1]


SOFT, HARD = 0, 1


def _limit(name: str, kind: int = SOFT) -> Callable[[Site], FactValue]:
    def read(site: Site) -> FactValue:
        if name not in site.limits:
            raise UnreadableError(f"no {name!r} in /proc/self/limits")
        value = site.limits[name][kind]
        return value if value == "unlimited" else int(value)

    return read


PROCESS = (
    Row(
        "process.seccomp",
        "/proc/self/status",
        "a filter is a BPF program run before every system call",
        lambda site: SECCOMP_MODES.get(_status("Seccomp")(site), "unknown"),
    ),
    Row(
        "process.seccomp_filters",
        "/proc/self/status",
        "how many such programs, one after the other",
        lambda site: int(_status("Seccomp_filters")(site)),
        "filters",
    ),
    Row(
        "process.traced",
        "/proc/self/status",
        "a debugger stops the process at every system call",
        lambda site: _status("TracerPid")(site) != "0",
    ),
    Row(
        "process.speculative_store_bypass",
        "/proc/self/status",
        "with it disabled for a process (seccomp does so on some kernels) loads wait for stores",
        _status("Speculation_Store_Bypass"),
    ),
    Row(
        "process.indirect_branches",
        "/proc/self/status",
        "with speculation disabled for a process its indirect branches are not predicted",
        _status("SpeculationIndirectBranch"),
    ),
    Row(
        "process.capabilities",
        "/proc/self/status",
        "what this user may do: priority, locked memory, counters",
        _capabilities,
    ),
    Row(
        "process.allowed_cpus",
        "/proc/self/status",
        "the CPUs that a run can be pinned to",
        _status("Cpus_allowed_list"),
    ),
    Row(
        "process.realtime_limit",
        "/proc/self/limits",
        "highest real-time priority without CAP_SYS_NICE; 0: none",
        _limit("Max realtime priority"),
    ),
    Row(
        "process.open_files_limit",
        "/proc/self/limits",
        "hard limit: sockets that can be opened without CAP_SYS_RESOURCE",
        _limit("Max open files", HARD),
        "files",
    ),
    Row(
        "process.memlock_limit",
        "/proc/self/limits",
        "memory that can be locked without CAP_IPC_LOCK",
        _limit("Max locked memory"),
        "bytes",
    ),
)
