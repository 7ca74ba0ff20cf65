# SPDX-License-Identifier: MIT
"""Facts about the control groups of this process, of version 1 and 2: what they take away."""

from sockmeter.model.environment import FactValue
from sockmeter.rig.environment.row import Row
from sockmeter.rig.environment.site import Site, UnreadableError

CGROUP = "/sys/fs/cgroup"
CPU_CONTROLLERS = ("cpu", "cpu,cpuacct")


def _own_groups(site: Site) -> tuple[str | None, str | None]:
    """Return this process's group in the v2 tree and in v1's cpu tree, from /proc/self/cgroup."""
    unified = cpu = None
    for line in site.read_text("/proc/self/cgroup").splitlines():
        hierarchy, controllers, path = line.split(":", 2)
        if hierarchy == "0":
            unified = path
        elif "cpu" in controllers.split(","):
            cpu = path
    return unified, cpu


def _upwards(path: str) -> list[str]:
    """Return a group and all above it, the root last and empty."""
    parts = path.strip("/").split("/") if path.strip("/") else []
    return ["/" + "/".join(parts[:n]) if n else "" for n in range(len(parts), -1, -1)]


def _readable(site: Site, paths: list[str]) -> list[str]:
    """Return the content of those files that there are."""
    contents = []
    for path in paths:
        try:
            contents.append(site.read_text(path).strip())
        except FileNotFoundError:
            continue  # the root group has no limits; a container sees only its own part
    return contents


def _cpu_quota(site: Site) -> FactValue:
    """Return the tightest quota of this process's groups in CPUs, or `none`."""
    unified, cpu = _own_groups(site)
    quotas = []
    if unified is not None:
        for text in _readable(site, [f"{CGROUP}{group}/cpu.max" for group in _upwards(unified)]):
            quota, period = text.split()
            if quota != "max":
                quotas.append(int(quota) / int(period))
    if cpu is not None:
        for group in _upwards(cpu):
            for root in (f"{CGROUP}/{name}{group}" for name in CPU_CONTROLLERS):
                limits = _readable(site, [f"{root}/cpu.cfs_quota_us", f"{root}/cpu.cfs_period_us"])
                if len(limits) == 2 and int(limits[0]) > 0:
                    quotas.append(int(limits[0]) / int(limits[1]))
    return min(quotas) if quotas else "none"


def _realtime_runtime(site: Site) -> FactValue:
    """Return the real-time runtime of this process's v1 group; only there is it by group."""
    _, cpu = _own_groups(site)
    if cpu is None:
        raise UnreadableError("no v1 cpu controller: real-time runtime is not divided among groups")
    paths = [f"{CGROUP}/{name}{cpu.rstrip('/')}/cpu.rt_runtime_us" for name in CPU_CONTROLLERS]
    found = _readable(site, paths)
    if not found:
        raise UnreadableError("no cpu.rt_runtime_us: the kernel has no RT_GROUP_SCHED")
    return int(found[0])


LIMITS = (
    Row(
        "container.cpu_quota",
        f"{CGROUP}/**/cpu.max, cpu.cfs_quota_us",
        "a process over its quota stands still until the period ends",
        _cpu_quota,
        "CPUs",
    ),
    Row(
        "container.realtime_runtime",
        f"{CGROUP}/cpu/**/cpu.rt_runtime_us",
        "0: SCHED_FIFO is refused here, for root too",
        _realtime_runtime,
        "µs",
    ),
)
