# SPDX-License-Identifier: MIT
"""A machine made of texts: the fake behind the `Machine` seam."""

import errno
import os
from collections.abc import Mapping

from sockmeter.rig.environment.machine import Uname

Content = str | bytes | OSError

STATUS = """Name:\tpython3
TracerPid:\t0
CapEff:\t{capabilities:016x}
Seccomp:\t{seccomp}
Seccomp_filters:\t{filters}
Speculation_Store_Bypass:\tthread vulnerable
SpeculationIndirectBranch:\tconditional enabled
Cpus_allowed_list:\t{allowed}
"""
LIMITS = """Limit                     Soft Limit           Hard Limit           Units
Max open files            1024                 1048576              files
Max locked memory         {memlock:<20} {memlock:<20} bytes
Max realtime priority     {rtprio:<20} {rtprio:<20}
"""
CPUINFO = """processor\t: 0
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 85
model name\t: Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz
stepping\t: 4
microcode\t: 0x2006e05
flags\t\t: fpu tsc rdtscp constant_tsc nonstop_tsc erms smap pti{more}

processor\t: 1
vendor_id\t: GenuineIntel
model name\t: Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz
microcode\t: 0x2006e06
flags\t\t: fpu tsc rdtscp constant_tsc nonstop_tsc erms smap pti{more}
"""
ROOT = (1 << 41) - 1
CPU = "/sys/devices/system/cpu"
TRACING = "/sys/kernel/tracing"


class FakeMachine:
    """A machine whose files, links and answers are given; what is not given is not there."""

    def __init__(
        self,
        files: Mapping[str, Content],
        *,
        links: Mapping[str, str],
        features: Mapping[str, bool],
        hooks: list[str] | OSError,
        cycles: bool | OSError,
        refused_families: Mapping[str, int],
        nodename: str,
        architecture: str,
    ) -> None:
        self._files = dict(files)
        self._links = dict(links)
        self._features = dict(features)
        self._hooks = hooks
        self._cycles = cycles
        self._refused_families = dict(refused_families)
        self._uname = Uname(nodename, "6.1.0-32-amd64", "#1 SMP PREEMPT_DYNAMIC", architecture)

    def read_bytes(self, path: str) -> bytes:
        """Return the given content, or raise the given error."""
        content = self._files.get(path)
        if content is None:
            raise _refusal(errno.ENOENT, path)
        if isinstance(content, OSError):
            raise content
        return content.encode() if isinstance(content, str) else content

    def list_directory(self, path: str) -> list[str]:
        """Return the names that lead to given files and links."""
        prefix = path.rstrip("/") + "/"
        if isinstance(refusal := self._files.get(path), OSError):
            raise refusal
        below = [known for known in (*self._files, *self._links) if known.startswith(prefix)]
        if not below:
            raise _refusal(errno.ENOENT, path)
        return sorted({known.removeprefix(prefix).split("/")[0] for known in below} - {""})

    def paths(self) -> list[str]:
        """Return the paths of the given files."""
        return list(self._files)

    def read_link(self, path: str) -> str:
        """Return what the given link says."""
        if path not in self._links:
            raise _refusal(errno.ENOENT, path)
        return self._links[path]

    def uname(self) -> Uname:
        """Return the given names."""
        return self._uname

    def device_features(self, device: str) -> dict[str, bool]:
        """Return the given features, of whatever device."""
        return dict(self._features)

    def nftables_hooks(self) -> list[str]:
        """Return the given hooks, or raise the given error."""
        if isinstance(self._hooks, OSError):
            raise self._hooks
        return list(self._hooks)

    def count_cycles(self) -> bool:
        """Return the given answer, or raise the given error."""
        if isinstance(self._cycles, OSError):
            raise self._cycles
        return self._cycles

    def open_family(self, family: str) -> None:
        """Refuse the given families."""
        if family in self._refused_families:
            raise _refusal(self._refused_families[family], family)


def make_machine(
    files: Mapping[str, Content | None] | None = None,
    *,
    links: Mapping[str, str] | None = None,
    features: Mapping[str, bool] | None = None,
    hooks: list[str] | OSError | None = None,
    cycles: bool | OSError = True,
    refused_families: Mapping[str, int] | None = None,
    nodename: str = "fake",
    architecture: str = "x86_64",
    flags: str = "",
    capabilities: int = ROOT,
    seccomp: int = 0,
    allowed: str = "0-3",
    memlock: str = "8388608",
    rtprio: str = "0",
) -> FakeMachine:
    """Return a quiet bare-metal machine of four CPUs and root, with the given files on top.

    A file given as None is not there.
    """
    quiet: dict[str, Content | None] = {
        "/proc/self/status": STATUS.format(
            capabilities=capabilities, seccomp=seccomp, filters=seccomp // 2, allowed=allowed
        ),
        "/proc/self/limits": LIMITS.format(memlock=memlock, rtprio=rtprio),
        "/proc/self/cgroup": "0::/user.slice/session.scope\n",
        "/proc/cpuinfo": CPUINFO.format(more=flags and f" {flags}"),
        "/proc/cmdline": "root=/dev/sda1 ro quiet\n",
        "/proc/version": "Linux version 6.1.0-32-amd64 (someone@builder) "
        "(gcc-12 (Debian 12.2.0-14) 12.2.0, GNU ld (GNU Binutils for Debian) 2.40) #1 SMP",
        "/proc/loadavg": "0.10 0.20 0.30 2/345 6789\n",
        "/proc/stat": "cpu  600 0 300 9000 0 0 100 0 0 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n",
        "/proc/net/ip_tables_names": "",
        "/proc/sys/kernel/sched_rt_runtime_us": "-1\n",
        "/proc/sys/kernel/sched_rt_period_us": "1000000\n",
        "/proc/sys/kernel/io_uring_disabled": "0\n",
        "/boot/config-6.1.0-32-amd64": "CONFIG_HZ=250\nCONFIG_RETPOLINE=y\n# CONFIG_KASAN is not "
        'set\nCONFIG_LSM="lockdown,apparmor"\n',
        f"{CPU}/online": "0-3\n",
        f"{CPU}/isolated": "1\n",
        f"{CPU}/smt/control": "on\n",
        f"{CPU}/cpu1/topology/thread_siblings_list": "1\n",
        f"{CPU}/cpu1/cpufreq/scaling_governor": "performance\n",
        f"{CPU}/cpufreq/boost": "0\n",
        f"{CPU}/cpu1/cpuidle/state0/name": "POLL\n",
        f"{CPU}/cpu1/cpuidle/state0/latency": "0\n",
        f"{CPU}/cpu1/cpuidle/state0/disable": "0\n",
        f"{CPU}/vulnerabilities/spectre_v2": "Mitigation: Retpolines\n",
        "/sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
        "/sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet\n",
        "/sys/module/nf_tables/refcnt": "0\n",
        f"{TRACING}/instances/": "",
        f"{TRACING}/events/syscalls/enable": "0\n",
        f"{TRACING}/events/raw_syscalls/enable": "0\n",
        f"{TRACING}/enabled_functions": "",
    }
    given = {**quiet, **(files or {})}
    return FakeMachine(
        {path: content for path, content in given.items() if content is not None},
        links=links or {},
        features=features or {"tx-udp-segmentation": True, "rx-gro": False},
        hooks=[] if hooks is None else hooks,
        cycles=cycles,
        refused_families=refused_families or {},
        nodename=nodename,
        architecture=architecture,
    )


def _refusal(code: int, path: str) -> OSError:
    return OSError(code, os.strerror(code), path)
