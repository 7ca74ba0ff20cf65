# SPDX-License-Identifier: MIT
"""The environment is read whole, whatever the machine says, and says why where it cannot."""

import gzip
import os

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sockmeter.model.environment import Fact
from sockmeter.rig.environment import CATALOGUE, read_environment, read_load
from sockmeter.rig.environment.row import Row
from tests.rig.fake_machine import FakeMachine, make_machine

ROWS = [row for rows in CATALOGUE.values() for row in rows]


def read(machine: FakeMachine, name: str, cpu: int = 1) -> Fact:
    """Return one fact of a machine."""
    return read_environment(machine, "lo", cpu).facts[name]


def test_every_row_of_the_catalogue_gives_its_fact() -> None:
    """A fixed name is always there, with a value or a reason."""
    facts = read_environment(make_machine(), "lo", 1).facts
    assert [row.name for row in ROWS if isinstance(row, Row) and row.name not in facts] == []


def test_every_fact_belongs_to_one_row() -> None:
    """No fact is without a row, so that the documentation can list them all."""
    config = "CONFIG_MITIGATION_RETPOLINE=y\nCONFIG_MITIGATION_GDS=y\n"
    machine = make_machine({"/boot/config-6.1.0-32-amd64": config})
    fixed = {row.name for row in ROWS}
    rest = [name for name in read_environment(machine, "lo", 1).facts if name not in fixed]
    assert ["vulnerability.spectre_v2", "config.MITIGATION_GDS"] == rest


def test_no_name_is_given_twice() -> None:
    """Two rows of one name would hide each other."""
    names = [row.name for row in ROWS]
    assert sorted(set(names)) == sorted(names)


def test_a_file_that_is_not_there_is_a_reason() -> None:
    """The reason names the file, so that a reader can look."""
    expected = Fact(
        missing="No such file or directory: /sys/devices/system/cpu/cpu1/cpufreq/scaling_driver"
    )
    assert expected == read(make_machine(), "frequency.driver")


def test_a_number_carries_its_unit() -> None:
    """The kernel's kHz stay kHz."""
    machine = make_machine({"/sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq": "3700000\n"})
    assert Fact(value=3700000, unit="kHz") == read(machine, "frequency.maximum")


def test_a_content_that_is_no_number_is_a_reason() -> None:
    """A surprise is never turned into a value."""
    machine = make_machine({"/sys/class/net/lo/mtu": "<unknown>"})
    expected = "not understood: invalid literal for int() with base 10: '<unknown>'"
    assert Fact(missing=expected) == read(machine, "device.mtu")


def test_a_run_that_is_not_pinned_has_no_facts_of_its_cpu() -> None:
    """The governor of another CPU would be a default in place of a fact."""
    expected = Fact(missing="the run is not pinned to a CPU")
    assert expected == read(make_machine(), "frequency.governor", cpu=-1)


def test_the_measured_cpu_has_its_own_microcode() -> None:
    """Each CPU has its block of /proc/cpuinfo."""
    assert Fact(value="0x2006e06") == read(make_machine(), "cpu.microcode")


def test_an_option_is_found_under_its_older_name() -> None:
    """CONFIG_RETPOLINE became CONFIG_MITIGATION_RETPOLINE in 6.9."""
    assert Fact(value="y") == read(make_machine(), "config.MITIGATION_RETPOLINE")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("config.KASAN", Fact(value="n")),
        ("config.HZ", Fact(value=250, unit="Hz")),
        ("config.LSM", Fact(value="lockdown,apparmor")),
        (
            "config.KCSAN",
            Fact(missing="not an option of this kernel, or its dependencies are off"),
        ),
    ],
)
def test_an_option_is_off_or_has_a_value_or_is_not_known(name: str, expected: Fact) -> None:
    """Not set, a number, a string, and absent are four things."""
    assert expected == read(make_machine(), name)


def test_the_running_kernels_own_configuration_comes_first() -> None:
    """/proc/config.gz is the kernel's; the file in /boot may be another build's."""
    machine = make_machine({"/proc/config.gz": gzip.compress(b"CONFIG_HZ=1000\n")})
    assert Fact(value=1000, unit="Hz") == read(machine, "config.HZ")


def test_a_damaged_configuration_gives_way_to_the_next() -> None:
    """A truncated gzip is no configuration."""
    machine = make_machine({"/proc/config.gz": gzip.compress(b"CONFIG_HZ=1000\n")[:-4]})
    assert Fact(value="/boot/config-6.1.0-32-amd64") == read(machine, "kernel.config_source")


def test_a_vulnerability_keeps_the_kernels_words() -> None:
    """The mitigation in force is what counts."""
    assert Fact(value="Mitigation: Retpolines") == read(make_machine(), "vulnerability.spectre_v2")


def test_the_compiler_is_told_without_who_ran_it() -> None:
    """/proc/version holds a user's and a host's name before the compiler."""
    expected = Fact(value="gcc-12 (Debian 12.2.0-14) 12.2.0")
    assert expected == read(make_machine(), "kernel.compiler")


def test_an_offload_that_the_kernel_does_not_name_is_missing() -> None:
    """An old kernel has no word for a newer feature: that is not `off`."""
    machine = make_machine(features={"rx-gro": False})
    facts = read_environment(machine, "lo", 1).facts
    expected = [Fact(value=False), Fact(missing="this kernel has no such feature")]
    assert expected == [facts["offload.rx-gro"], facts["offload.tx-udp-segmentation"]]


def test_nftables_are_not_asked_where_they_are_not_loaded() -> None:
    """Asking would load the module, and nothing on the machine is changed."""
    modules = {"/sys/module/nf_tables/refcnt": None, "/sys/module/tcp_cubic/refcnt": "0\n"}
    machine = make_machine(modules, hooks=["ip output 0"])
    assert Fact(value=[]) == read(machine, "netfilter.nftables_hooks")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"/sys/fs/cgroup/user.slice/session.scope/cpu.max": "max 100000\n"}, "none"),
        ({"/sys/fs/cgroup/user.slice/session.scope/cpu.max": "50000 100000\n"}, 0.5),
        (
            {
                "/sys/fs/cgroup/user.slice/cpu.max": "20000 100000\n",
                "/sys/fs/cgroup/user.slice/session.scope/cpu.max": "50000 100000\n",
            },
            0.2,
        ),
        (
            {
                "/proc/self/cgroup": "4:cpu,cpuacct:/box\n0::/\n",
                "/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us": "150000\n",
                "/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us": "100000\n",
            },
            1.5,
        ),
    ],
)
def test_the_tightest_quota_of_all_groups_above_counts(
    files: dict[str, str], expected: float | str
) -> None:
    """A group is held by its own quota and by that of every group above it."""
    assert Fact(value=expected, unit="CPUs") == read(make_machine(files), "container.cpu_quota")


def test_steal_is_a_share_of_the_busy_time() -> None:
    """Idle and waiting time are not busy; steal is."""
    machine = make_machine({"/proc/stat": "cpu  700 0 100 9000 500 0 100 100 0 0\n"})
    assert Fact(value=0.1, unit="fraction") == read(machine, "load.steal")


def test_syscall_events_of_every_trace_instance_are_counted() -> None:
    """A second instance slows calls as the first does; X means that some are on."""
    root = "/sys/kernel/tracing"
    machine = make_machine(
        {
            f"{root}/events/syscalls/enable": "X\n",
            f"{root}/instances/mine/events/syscalls/enable": "0\n",
            f"{root}/instances/mine/events/raw_syscalls/enable": "1\n",
        }
    )
    assert Fact(value=2, unit="groups") == read(machine, "tracing.syscall_events")


def test_the_load_is_read_by_itself_at_the_end_of_a_run() -> None:
    """One file, one number; None where there is none."""
    unreadable = make_machine({"/proc/loadavg": OSError(13, os.strerror(13))})
    assert (0.1, None) == (read_load(make_machine()), read_load(unreadable))


def test_no_fact_names_the_host_its_addresses_or_its_users() -> None:
    """A run file is made to be passed on."""
    machine = make_machine(
        {
            "/proc/cmdline": "BOOT_IMAGE=/vmlinuz ip=192.0.2.7::192.0.2.1:255.255.255.0:moria:eth0 "
            "root=UUID=0b7d3b5c-1111-2222-3333-444444444444 systemd.hostname=moria "
            "netconsole=@/,@192.0.2.9/02:00:00:aa:bb:cc mitigations=off -- --token=abc\n",
            "/sys/class/dmi/id/product_name": "KVM",
        },
        nodename="moria",
    )
    written = msgspec.json.encode(read_environment(machine, "lo", 1)).decode()
    secrets = ("moria", "192.0.2", "0b7d3b5c", "aa:bb", "someone", "builder", "abc")
    assert [] == [secret for secret in secrets if secret in written]
    assert "mitigations=off" in written


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=80), st.integers(min_value=-1, max_value=3))
def test_whatever_the_files_hold_an_environment_comes_out(text: str, cpu: int) -> None:
    """A kernel of another year may write anything: a fact is then missing, never an error."""
    whole = make_machine()
    paths = [path for path in whole.paths() if not path.endswith("/")]
    machine = make_machine(dict.fromkeys(paths, text))
    facts = read_environment(machine, "lo", cpu).facts
    assert all(row.name in facts for row in ROWS if isinstance(row, Row))
