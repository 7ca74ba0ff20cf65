# SPDX-License-Identifier: MIT
"""Facts about the CPU: what it is, how fast it may run, who shares it, what clock it gives."""

from collections.abc import Callable

from sockmeter.model.environment import FactValue
from sockmeter.rig.environment.row import Row, from_file, parse_chosen, parse_switch
from sockmeter.rig.environment.site import Site, UnreadableError

CPU = "/sys/devices/system/cpu"
CPUFREQ = f"{CPU}/cpu{{cpu}}/cpufreq"
CLOCKSOURCE = "/sys/devices/system/clocksource/clocksource0"

# x86 flags that change the path of a call: string copies, user access windows, entry and exit.
PATH_FLAGS = (
    "rep_good", "erms", "fsrm", "fzrm", "fsrs", "smap", "smep", "pcid", "invpcid", "pti", "fred",
    "ibrs", "ibrs_enhanced", "stibp", "ibt", "user_shstk", "fsgsbase", "lass", "pan",
)  # fmt: skip
TSC_FLAGS = (
    "tsc", "rdtscp", "constant_tsc", "nonstop_tsc", "tsc_known_freq", "tsc_reliable", "tsc_adjust",
    "tsc_deadline_timer",
)  # fmt: skip


def _cpuinfo(*names: str) -> Callable[[Site], str]:
    """Return a reader of the first of these fields of /proc/cpuinfo: x86's name, then aarch64's."""

    def read(site: Site) -> str:
        for name in names:
            if name in site.cpuinfo:
                return site.cpuinfo[name]
        raise UnreadableError(f"no {' or '.join(repr(name) for name in names)} in /proc/cpuinfo")

    return read


def read_flags(site: Site) -> list[str]:
    """Return the CPU's flags as /proc/cpuinfo has them."""
    return _cpuinfo("flags", "Features")(site).split()


def _flags_of(wanted: tuple[str, ...]) -> Callable[[Site], list[str]]:
    def read(site: Site) -> list[str]:
        present = set(read_flags(site))
        return [flag for flag in wanted if flag in present]

    return read


def _measured_cpu(site: Site) -> int:
    if site.cpu < 0:
        raise UnreadableError("the run is not pinned to a CPU")
    return site.cpu


def parse_cpu_list(text: str) -> list[int]:
    """Return the CPUs of a list such as `0-2,5`; ValueError where it is none."""
    cpus: list[int] = []
    for part in text.split(",") if text else []:
        first, _, last = part.partition("-")
        cpus.extend(range(int(first), int(last or first) + 1))
    return cpus


IDENTITY = (
    Row("cpu.model_name", "/proc/cpuinfo", "the CPU", _cpuinfo("model name")),
    Row(
        "cpu.vendor",
        "/proc/cpuinfo",
        "decides which mitigations apply",
        _cpuinfo("vendor_id", "CPU implementer"),
    ),
    Row("cpu.family", "/proc/cpuinfo", "the CPU", _cpuinfo("cpu family", "CPU architecture")),
    Row("cpu.model", "/proc/cpuinfo", "the CPU", _cpuinfo("model", "CPU part")),
    Row("cpu.stepping", "/proc/cpuinfo", "the CPU", _cpuinfo("stepping", "CPU revision")),
    Row(
        "cpu.microcode",
        "/proc/cpuinfo",
        "a microcode update changes the cost of barriers and branches",
        _cpuinfo("microcode"),
    ),
    Row(
        "cpu.path_flags",
        "/proc/cpuinfo",
        "the string copy that user copies take, user access windows, form of entry and exit",
        _flags_of(PATH_FLAGS),
    ),
    Row(
        "cpu.hypervisor_flag",
        "/proc/cpuinfo",
        "a guest may be held up by its host at any time (x86 only)",
        lambda site: "hypervisor" in _cpuinfo("flags")(site).split(),
    ),
)

TOPOLOGY = (
    Row("cpu.measured", "the plan", "the CPU that calls are timed on", _measured_cpu),
    from_file(
        "cpu.online_count",
        f"{CPU}/online",
        "one CPU serves measured and other work at once",
        lambda text: len(parse_cpu_list(text)),
        unit="CPUs",
    ),
    from_file("cpu.online", f"{CPU}/online", "the CPUs that there are"),
    from_file("cpu.isolated", f"{CPU}/isolated", "CPUs that the scheduler leaves alone"),
    from_file("cpu.nohz_full", f"{CPU}/nohz_full", "CPUs without a timer tick"),
    from_file("cpu.smt_control", f"{CPU}/smt/control", "whether threads share a core"),
    from_file(
        "cpu.smt_active", f"{CPU}/smt/active", "whether any threads share a core", parse_switch
    ),
    from_file(
        "cpu.siblings",
        f"{CPU}/cpu{{cpu}}/topology/thread_siblings_list",
        "the threads of the measured core: a busy sibling shifts levels by a fifth",
    ),
)

FREQUENCY = (
    from_file("frequency.driver", f"{CPUFREQ}/scaling_driver", "who sets the frequency"),
    from_file(
        "frequency.governor",
        f"{CPUFREQ}/scaling_governor",
        "one that follows the load changes the work done in a tick while a run is on",
    ),
    from_file(
        "frequency.minimum", f"{CPUFREQ}/scaling_min_freq", "lower limit in force", int, unit="kHz"
    ),
    from_file(
        "frequency.maximum", f"{CPUFREQ}/scaling_max_freq", "upper limit in force", int, unit="kHz"
    ),
    from_file(
        "frequency.current", f"{CPUFREQ}/scaling_cur_freq", "at the start of the run", int,
        unit="kHz",
    ),
    from_file(
        "frequency.energy_preference",
        f"{CPUFREQ}/energy_performance_preference",
        "how eagerly the CPU itself raises its frequency",
    ),
    from_file(
        "frequency.boost",
        f"{CPU}/cpufreq/boost",
        "above its nominal frequency a CPU's speed depends on temperature and neighbours",
        parse_switch,
    ),
    from_file(
        "frequency.no_turbo",
        f"{CPU}/intel_pstate/no_turbo",
        "the same for intel_pstate, the other way round",
        parse_switch,
    ),
)  # fmt: skip


def _idle_states(site: Site) -> list[tuple[str, int]]:
    """Return name and exit latency in µs of the states that the measured CPU may enter."""
    root = site.locate(f"{CPU}/cpu{{cpu}}/cpuidle")
    states = []
    for state in site.machine.list_directory(root):
        if site.read_text(f"{root}/{state}/disable").strip() == "0":
            name = site.read_text(f"{root}/{state}/name").strip()
            states.append((name, int(site.read_text(f"{root}/{state}/latency"))))
    return states


IDLE = (
    from_file("idle.driver", f"{CPU}/cpuidle/current_driver", "who puts the CPU to sleep"),
    from_file("idle.governor", f"{CPU}/cpuidle/current_governor", "how it chooses a depth"),
    Row(
        "idle.states",
        f"{CPU}/cpu{{cpu}}/cpuidle/state*/name",
        "the states that the measured CPU may enter",
        lambda site: [name for name, _ in _idle_states(site)],
    ),
    Row(
        "idle.deepest_exit",
        f"{CPU}/cpu{{cpu}}/cpuidle/state*/latency",
        "longest time to wake: paid by a call that follows a wait",
        lambda site: max((latency for _, latency in _idle_states(site)), default=0),
        "µs",
    ),
)


def _tsc_flags(site: Site) -> FactValue:
    return _flags_of(TSC_FLAGS)(site)


CLOCK = (
    from_file(
        "clock.source",
        f"{CLOCKSOURCE}/current_clocksource",
        "anything but tsc says that the kernel does not trust the time stamp counter here",
    ),
    from_file(
        "clock.available",
        f"{CLOCKSOURCE}/available_clocksource",
        "the clock sources that could be had",
        str.split,
    ),
    Row(
        "clock.tsc_flags",
        "/proc/cpuinfo",
        "constant_tsc and nonstop_tsc make ticks a measure of time",
        _tsc_flags,
    ),
)

MEMORY = (
    from_file(
        "memory.transparent_hugepages",
        "/sys/kernel/mm/transparent_hugepage/enabled",
        "large buffers with huge pages miss the TLB less",
        parse_chosen,
    ),
)
