# SPDX-License-Identifier: MIT
"""What disturbs a measurement is found, for root and others, on metal, in guests and containers."""

import errno

import pytest

from sockmeter.model.environment import Environment
from sockmeter.model.runs import Clock, Impediment, Instrument
from sockmeter.model.units import Unit
from sockmeter.rig.environment import read_environment
from sockmeter.rig.health import Finding, Status, examine
from sockmeter.rig.health.finding import DOCTOR_AS_ROOT
from tests.rig.fake_machine import CPU, TRACING, FakeMachine, make_machine

USER = 0  # no capability
OK, DISTURBS, CANNOT = Status.OK, Status.DISTURBS, Status.CANNOT


def find(
    machine: FakeMachine, subject: str, *, cpu: int = 1, instrument: Instrument | None = None
) -> Finding:
    """Return the finding of one subject."""
    findings = examine(machine, read_environment(machine, "lo", cpu), instrument)
    return next(finding for finding in findings if finding.subject == subject)


def make_instrument(
    *, name: str = "tsc", memory_locked: bool = True, could_not: list[Impediment] | None = None
) -> Instrument:
    """Return a probe that found itself well, but for what is given."""
    return Instrument(
        probe_version="0.1.0",
        arch="x86_64",
        clock=Clock(
            name=name,
            unit=Unit.TICKS if name == "tsc" else Unit.NS,
            bracket="lfence;rdtsc;lfence",
            bracket_cost=52.0,
            quantum=26,
            clock_hz=2.1e9,
        ),
        memory_locked=memory_locked,
        resident_bytes=4 << 20,
        could_not=could_not or [],
    )


def test_a_quiet_machine_has_nothing_to_mend() -> None:
    """Root on bare metal, isolated, with everything set."""
    machine = make_machine()
    findings = examine(machine, read_environment(machine, "lo", 1), make_instrument())
    assert [] == [finding for finding in findings if finding.status is not OK or finding.mend]


def test_every_subject_is_examined_once() -> None:
    """A reader looks for what is missing, so nothing is left out."""
    machine = make_machine()
    findings = examine(machine, read_environment(machine, "lo", 1), None)
    expected = [
        "clock", "pmu", "priority", "real-time throttling", "memory lock", "container limits",
        "cpu isolation", "smt", "governor", "boost", "idle states", "load", "steal", "tracepoints",
        "seccomp", "kernel debug options", "packet filter", "io_uring", "descriptors", "families",
    ]  # fmt: skip
    assert expected == [finding.subject for finding in findings]


def test_an_environment_without_facts_makes_no_claim() -> None:
    """What was not recorded is never called well, but for what was tried now."""
    empty = Environment(facts={})
    well = [f.subject for f in examine(make_machine(), empty, None) if f.status is OK]
    assert ["pmu", "families"] == well


@pytest.mark.parametrize(
    ("refusal", "words", "mend"),
    [
        (errno.ENOENT, "there is no PMU here", None),
        (errno.ENOSYS, "no perf events", None),
        (errno.EOPNOTSUPP, "does not count cycles", None),
        (errno.EACCES, "is 3, 1 is needed", "sudo sysctl kernel.perf_event_paranoid=1"),
    ],
)
def test_a_refused_counter_says_why_and_what_mends_it(
    refusal: int, words: str, mend: str | None
) -> None:
    """A PMU that is not there cannot be mended; a permission can."""
    paranoid = {"/proc/sys/kernel/perf_event_paranoid": "3\n"}
    machine = make_machine(paranoid, cycles=OSError(refusal, ""), capabilities=USER)
    finding = find(machine, "pmu")
    assert (CANNOT, mend) == (finding.status, finding.mend)
    assert words in finding.detail


def test_a_counter_behind_a_seccomp_filter_is_no_matter_of_sysctls() -> None:
    """A container's filter gives EPERM whatever the sysctl says."""
    finding = find(make_machine(cycles=OSError(errno.EPERM, ""), seccomp=2), "pmu")
    assert finding.mend is None
    assert "--cap-add PERFMON" in finding.detail


def test_a_counter_that_user_space_may_not_read_is_opened_by_root() -> None:
    """A read by system call would be in the bracket."""
    finding = find(make_machine(cycles=False), "pmu")
    assert "echo 1 | tee /sys/bus/event_source/devices/cpu/rdpmc" == finding.mend


def test_a_drifting_tsc_disturbs() -> None:
    """Without nonstop_tsc a tick is no time."""
    machine = make_machine({"/proc/cpuinfo": "processor\t: 1\nflags\t: tsc constant_tsc\n"})
    finding = find(machine, "clock")
    assert DISTURBS is finding.status
    assert finding.detail.startswith("no nonstop_tsc:")


def test_the_clock_is_judged_as_the_probe_measured_it() -> None:
    """Figures of the instrument, with their unit, rather than flags."""
    expected = Finding(
        subject="clock",
        status=OK,
        detail="tsc moves in steps of 26 ticks; an empty bracket costs 52 ticks",
    )
    assert expected == find(make_machine(), "clock", instrument=make_instrument())


def test_a_probe_that_fell_back_to_clock_gettime_says_why() -> None:
    """The probe's own words for what it was refused."""
    refused = Impediment(what="tsc", errno="EPERM", text="PR_TSC_SIGSEGV is set")
    instrument = make_instrument(name="clock_gettime", could_not=[refused])
    finding = find(make_machine(), "clock", instrument=instrument)
    assert DISTURBS is finding.status
    assert "(tsc: PR_TSC_SIGSEGV is set)" in finding.detail


@pytest.mark.parametrize(
    ("capabilities", "rtprio", "expected"),
    [(USER, "0", DISTURBS), (USER, "50", OK), (USER, "unlimited", OK), (1 << 23, "0", OK)],
)
def test_priority_is_a_capability_or_a_limit(
    capabilities: int, rtprio: str, expected: Status
) -> None:
    """CAP_SYS_NICE, or RLIMIT_RTPRIO above 0: sched(7)."""
    machine = make_machine(capabilities=capabilities, rtprio=rtprio)
    assert expected is find(machine, "priority").status


def test_the_probes_own_refusal_outweighs_what_should_be_allowed() -> None:
    """What was tried is known better than what was read."""
    refused = Impediment(what="fifo_priority", errno="EPERM", text="Operation not permitted")
    finding = find(make_machine(), "priority", instrument=make_instrument(could_not=[refused]))
    assert DISTURBS is finding.status
    assert "prlimit --pid $$ --rtprio=50:50" == finding.mend


def test_a_group_without_real_time_runtime_refuses_even_root() -> None:
    """RT_GROUP_SCHED gives a new group 0 µs; the global switch lifts the check."""
    files = {
        "/proc/self/cgroup": "4:cpu:/box\n",
        "/sys/fs/cgroup/cpu/box/cpu.rt_runtime_us": "0\n",
    }
    finding = find(make_machine(files), "priority")
    assert (DISTURBS, "sysctl kernel.sched_rt_runtime_us=-1") == (finding.status, finding.mend)


def test_throttling_is_told_and_does_not_touch_a_probe_that_rests() -> None:
    """950,000 µs of 1,000,000 µs leave 50 ms; a tenth of its time the probe sleeps."""
    finding = find(make_machine({"/proc/sys/kernel/sched_rt_runtime_us": "950000"}), cpu=1,
                   subject="real-time throttling")  # fmt: skip
    assert OK is finding.status
    assert "50 ms of every 1000 ms" in finding.detail


def test_throttling_does_not_touch_who_may_not_use_fifo() -> None:
    """An ordinary task is not throttled."""
    files = {"/proc/sys/kernel/sched_rt_runtime_us": "950000"}
    machine = make_machine(files, capabilities=USER)
    assert OK is find(machine, "real-time throttling").status


@pytest.mark.parametrize(
    ("memlock", "expected"),
    [("8388608", DISTURBS), ("16777216", OK), ("unlimited", OK)],
)
def test_memory_lock_needs_room_for_the_whole_probe(memlock: str, expected: Status) -> None:
    """Up to 16 MiB resident."""
    machine = make_machine(capabilities=USER, memlock=memlock)
    assert expected is find(machine, "memory lock").status


def test_a_cpu_that_is_not_allowed_cannot_be_measured() -> None:
    """A cpuset makes pinning fail."""
    finding = find(make_machine(allowed="2-3"), "container limits")
    assert CANNOT is finding.status
    assert finding.detail.startswith("CPU 1 is not among those allowed here (2-3)")


def test_a_quota_stops_the_process() -> None:
    """Half a CPU is no CPU half of the time."""
    files = {"/sys/fs/cgroup/user.slice/cpu.max": "50000 100000"}
    finding = find(make_machine(files), "container limits")
    assert DISTURBS is finding.status
    assert finding.detail.startswith("a quota of 0.5 CPUs")


def test_isolation_is_mended_where_grub_is() -> None:
    """The command edits the boot parameters and nothing else."""
    files = {f"{CPU}/isolated": "\n", "/etc/default/grub": 'GRUB_CMDLINE_LINUX=""\n'}
    finding = find(make_machine(files, capabilities=USER), "cpu isolation")
    expected = (
        """sudo sed -i 's/^GRUB_CMDLINE_LINUX="/&isolcpus=1 nohz_full=1 /' /etc/default/grub"""
        " && sudo update-grub"
    )
    assert expected == finding.mend


def test_a_run_that_is_not_pinned_is_not_isolated() -> None:
    """There is no CPU that could be."""
    assert DISTURBS is find(make_machine(), "cpu isolation", cpu=-1).status


def test_a_sibling_thread_is_named_and_can_be_switched_off() -> None:
    """The other thread, never the measured one."""
    files = {f"{CPU}/cpu1/topology/thread_siblings_list": "1,3\n"}
    finding = find(make_machine(files, capabilities=USER), "smt")
    expected = (DISTURBS, f"echo 0 | sudo tee {CPU}/cpu3/online")
    assert expected == (finding.status, finding.mend)


def test_a_guest_cannot_know_who_shares_its_core() -> None:
    """The hypervisor shows one thread a core, whatever is below."""
    machine = make_machine({f"{CPU}/smt/control": "notsupported\n"}, flags="hypervisor")
    finding = find(machine, "smt")
    assert (CANNOT, None) == (finding.status, finding.mend)


def test_a_governor_that_follows_the_load_is_mended_for_all_cpus() -> None:
    """Packets cross CPUs; one fast CPU among slow ones is not enough."""
    files = {f"{CPU}/cpu1/cpufreq/scaling_governor": "schedutil\n"}
    finding = find(make_machine(files), "governor")
    expected = (DISTURBS, f"echo performance | tee {CPU}/cpu*/cpufreq/scaling_governor")
    assert expected == (finding.status, finding.mend)


@pytest.mark.parametrize(
    ("files", "mend"),
    [
        ({f"{CPU}/cpufreq/boost": "1\n"}, f"echo 0 | tee {CPU}/cpufreq/boost"),
        (
            {f"{CPU}/cpufreq/boost": None, f"{CPU}/intel_pstate/no_turbo": "0\n"},
            f"echo 1 | tee {CPU}/intel_pstate/no_turbo",
        ),
    ],
)
def test_boost_has_a_switch_for_each_driver(files: dict[str, str | None], mend: str) -> None:
    """intel_pstate has its own, and it is the other way round."""
    finding = find(make_machine(files), "boost")
    assert (DISTURBS, mend) == (finding.status, finding.mend)


def test_what_was_not_tried_on_hardware_says_so() -> None:
    """A reader knows which findings nobody has seen come true."""
    machine = make_machine()
    told = [find(machine, subject).detail for subject in ("pmu", "governor", "boost")]
    assert [True, True, True] == ["not tried on hardware" in detail for detail in told]


def test_a_deep_idle_state_costs_its_exit() -> None:
    """133 µs to leave C6."""
    state = f"{CPU}/cpu1/cpuidle/state1"
    files = {f"{state}/name": "C6\n", f"{state}/latency": "133\n", f"{state}/disable": "0\n"}
    finding = find(make_machine(files), "idle states")
    assert DISTURBS is finding.status
    assert finding.detail.startswith("deepest is C6, which takes 133 µs to leave")


def test_load_is_told_with_the_number_of_cpus() -> None:
    """2.5 tasks on 4 CPUs disturb."""
    finding = find(make_machine({"/proc/loadavg": "2.50 1 1 4/345 6789\n"}), "load")
    assert DISTURBS is finding.status
    assert finding.detail.startswith("2.5 tasks ran or waited over the last minute on 4 CPUs")


def test_steal_is_told_as_a_share() -> None:
    """100 of 1,000 busy jiffies."""
    machine = make_machine({"/proc/stat": "cpu  700 0 200 9000 0 0 0 100 0 0\n"})
    finding = find(machine, "steal")
    assert DISTURBS is finding.status
    assert finding.detail.startswith("the hypervisor took 10.00% of the busy time")


def test_a_foreign_syscall_event_is_switched_off_where_it_is_on() -> None:
    """The command names the very switch."""
    switch = f"{TRACING}/instances/theirs/events/syscalls/enable"
    files = {switch: "X\n", f"{TRACING}/instances/theirs/events/raw_syscalls/enable": "0\n"}
    finding = find(make_machine(files), "tracepoints")
    assert (DISTURBS, f"echo 0 | tee {switch}") == (finding.status, finding.mend)


def test_who_holds_perf_events_is_named() -> None:
    """bpftrace holds one for each tracepoint; tracefs does not show it."""
    links = {
        "/proc/41/fd/3": "socket:[1]",
        "/proc/42/fd/3": "anon_inode:[perf_event]",
        "/proc/42/fd/4": "anon_inode:bpf-prog",
    }
    finding = find(make_machine(links=links), "tracepoints")
    assert (DISTURBS, "ps -o pid,user,args -p 42") == (finding.status, finding.mend)


def test_an_ordinary_user_is_told_that_tracing_could_not_be_seen() -> None:
    """Not seen is not absent."""
    hidden = OSError(errno.EACCES, "Permission denied")
    files = {"/proc/1/fd": hidden, f"{TRACING}/instances": hidden}
    finding = find(make_machine(files, capabilities=USER), "tracepoints")
    assert (CANNOT, DOCTOR_AS_ROOT) == (finding.status, finding.mend)
    assert "processes that hide their files: 1" in finding.detail


def test_a_seccomp_filter_slows_every_call() -> None:
    """A process cannot shed it."""
    finding = find(make_machine(seccomp=2), "seccomp")
    assert (DISTURBS, None) == (finding.status, finding.mend)


@pytest.mark.parametrize(
    "files",
    [
        {"/boot/config-6.1.0-32-amd64": "CONFIG_KASAN=y\nCONFIG_PROVE_LOCKING=y\n"},
        {"/proc/cmdline": "quiet slub_debug=FZP\n"},
    ],
)
def test_a_debug_kernel_is_not_a_production_kernel(files: dict[str, str]) -> None:
    """By its configuration or by its command line."""
    assert DISTURBS is find(make_machine(files), "kernel debug options").status


def test_an_unreadable_configuration_is_not_a_clean_one() -> None:
    """Nothing is said about options that could not be read."""
    machine = make_machine({"/boot/config-6.1.0-32-amd64": None})
    assert CANNOT is find(machine, "kernel debug options").status


def test_packet_filter_rules_are_part_of_the_cost() -> None:
    """Two base chains on the path."""
    finding = find(make_machine(hooks=["inet input 0", "inet output 0"]), "packet filter")
    assert DISTURBS is finding.status
    assert finding.detail.startswith("on the path lie nftables chains: 2;")


def test_an_ordinary_user_cannot_see_the_rules() -> None:
    """EPERM is not an empty list."""
    machine = make_machine(hooks=OSError(errno.EPERM, "no"), capabilities=USER)
    finding = find(machine, "packet filter")
    assert (CANNOT, DOCTOR_AS_ROOT) == (finding.status, finding.mend)


def test_a_family_that_does_not_open_has_its_own_finding() -> None:
    """The others are measured all the same."""
    machine = make_machine(refused_families={"udp6": errno.EADDRNOTAVAIL})
    finding = find(machine, "udp6")
    enable = "sysctl net.ipv6.conf.all.disable_ipv6=0 net.ipv6.conf.lo.disable_ipv6=0"
    assert (CANNOT, enable) == (finding.status, finding.mend)
    assert "udp4, tcp4, tcp6, unix-stream, unix-dgram open" == find(machine, "families").detail


def test_in_a_container_machine_wide_settings_belong_to_the_host() -> None:
    """/sys and most of /proc/sys are read-only there."""
    files = {"/.dockerenv": "", f"{CPU}/cpu1/cpufreq/scaling_governor": "powersave\n"}
    finding = find(make_machine(files), "governor")
    assert finding.mend is not None
    assert finding.mend.endswith("  # on the container's host")


def test_in_a_container_rights_come_from_its_start() -> None:
    """prlimit cannot raise what the container was not given."""
    finding = find(make_machine({"/.dockerenv": ""}, capabilities=USER), "priority")
    assert finding.mend is None
    assert "--cap-add SYS_NICE" in finding.detail


@pytest.mark.parametrize(
    ("value", "capabilities", "status", "mend"),
    [
        ("0", USER, OK, None),
        ("1", USER, CANNOT, "sudo sysctl kernel.io_uring_disabled=0"),
        ("2", USER, CANNOT, "sudo sysctl kernel.io_uring_disabled=0"),
    ],
)
def test_a_disabled_io_uring_is_named_with_what_enables_it(
    value: str, capabilities: int, status: Status, mend: str | None
) -> None:
    machine = make_machine(
        {"/proc/sys/kernel/io_uring_disabled": f"{value}\n"}, capabilities=capabilities
    )
    found = find(machine, "io_uring")
    assert (status, mend) == (found.status, found.mend)


def test_a_kernel_without_the_switch_is_not_called_well() -> None:
    """Before 6.6 there is none, and seccomp may refuse all the same."""
    found = find(make_machine({"/proc/sys/kernel/io_uring_disabled": None}), "io_uring")
    assert CANNOT is found.status
    assert "6.6" in found.detail


def test_a_user_with_few_descriptors_hears_how_to_get_more() -> None:
    """The hard limit decides: the probe raises the soft one itself."""
    few = "Max open files            1024                 4096                 files\n"
    machine = make_machine({"/proc/self/limits": few}, capabilities=USER)
    found = find(machine, "descriptors")
    assert CANNOT is found.status
    assert "at most 4096" in found.detail
    assert "sudo prlimit --pid $$ --nofile=10100:10100" == found.mend
    assert OK is find(make_machine(capabilities=USER), "descriptors").status
