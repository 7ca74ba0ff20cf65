# SPDX-License-Identifier: MIT
"""Facts about where the kernel runs: hypervisor, container, load, tracing."""

from sockmeter.rig.environment.row import Row, from_file
from sockmeter.rig.environment.site import Site, UnreadableError

TRACING = "/sys/kernel/tracing"
SYSCALL_EVENTS = ("syscalls", "raw_syscalls")
CONTAINER_MARKS = {
    "/.dockerenv": "docker",
    "/run/.containerenv": "podman",
    "/run/systemd/container": "",  # the file says which
}

HYPERVISOR = (
    from_file("hypervisor.type", "/sys/hypervisor/type", "the hypervisor, where it says so (Xen)"),
    from_file(
        "hypervisor.vendor", "/sys/class/dmi/id/sys_vendor", "the maker of the (virtual) machine"
    ),
    from_file(
        "hypervisor.product",
        "/sys/class/dmi/id/product_name",
        "the (virtual) machine: names the hypervisor, or the cloud's machine type",
    ),
)


def _container(site: Site) -> str:
    """Return the kind of container that left its mark, or `none`."""
    for mark, kind in CONTAINER_MARKS.items():
        try:
            content = site.read_text(mark).strip()
        except FileNotFoundError:
            continue
        return kind or content or "unnamed"
    return "none"


CONTAINER = (
    Row(
        "container.kind",
        ", ".join(CONTAINER_MARKS),
        "a container brings seccomp filters, quotas and veth devices",
        _container,
    ),
)


def _load_average(site: Site) -> float:
    return float(site.loadavg[0])


def _runnable(site: Site) -> int:
    return int(site.loadavg[3].partition("/")[0])


def _steal(site: Site) -> float:
    """Return steal as a share of the time that CPUs were busy since boot, from /proc/stat."""
    first = site.read_text("/proc/stat").partition("\n")[0].split()
    jiffies = [int(word) for word in first[1:]]
    if len(jiffies) < 8:
        raise UnreadableError("no steal in /proc/stat")
    idle, waiting, steal = jiffies[3], jiffies[4], jiffies[7]
    busy = sum(jiffies[:8]) - idle - waiting  # guest time is part of user time: proc(5)
    return round(steal / busy, 6) if busy else 0.0


LOAD = (
    Row(
        "load.average",
        "/proc/loadavg",
        "tasks that ran or waited over the last minute, at the start of the run",
        _load_average,
        "tasks",
    ),
    Row(
        "load.runnable",
        "/proc/loadavg",
        "tasks that could run at this moment, this one included",
        _runnable,
        "tasks",
    ),
    Row(
        "load.steal",
        "/proc/stat",
        "time that the hypervisor took, as a share of the busy time of all CPUs since boot",
        _steal,
        "fraction",
    ),
    from_file(
        "load.uptime",
        "/proc/uptime",
        "just after boot a machine is busy with itself",
        lambda text: float(text.split()[0]),
        unit="s",
    ),
)


def _instances(site: Site) -> list[str]:
    """Return the trace instances: the main one and those that somebody made."""
    made = site.machine.list_directory(f"{TRACING}/instances")
    return [TRACING, *(f"{TRACING}/instances/{name}" for name in made)]


def find_syscall_events(site: Site) -> list[str]:
    """Return the switches of system call events that are on, in any trace instance."""
    switches = [
        f"{instance}/events/{group}/enable"
        for instance in _instances(site)
        for group in SYSCALL_EVENTS
    ]
    return [switch for switch in switches if site.read_text(switch).strip() != "0"]


TRACERS = (
    Row(
        "tracing.syscall_events",
        f"{TRACING}/(instances/*/)events/(raw_)syscalls/enable",
        "one tracepoint on any system call sends every call of every process over the slow entry: "
        "a fifth more; those that perf or a BPF program hold do not show here",
        lambda site: len(find_syscall_events(site)),
        "groups",
    ),
    from_file(
        "tracing.tracer", f"{TRACING}/current_tracer", "a function tracer slows every function"
    ),
    from_file(
        "tracing.functions",
        f"{TRACING}/enabled_functions",
        "kernel functions that a tracer, a kprobe or a BPF program has hooked",
        lambda text: len(text.splitlines()),
        unit="functions",
    ),
)
