# SPDX-License-Identifier: MIT
"""What this process may do is read from the kernel's own masks and limits."""

from sockmeter.model.environment import Fact
from sockmeter.rig.environment import read_environment
from tests.rig.fake_machine import make_machine


def test_capabilities_are_named_by_their_bits() -> None:
    """CAP_IPC_LOCK is bit 14 and CAP_SYS_NICE bit 23: <linux/capability.h>."""
    machine = make_machine(capabilities=1 << 14 | 1 << 23 | 1 << 0)
    facts = read_environment(machine, "lo", 1).facts
    assert Fact(value=["ipc_lock", "sys_nice"]) == facts["process.capabilities"]


def test_limits_are_numbers_or_unlimited() -> None:
    """The soft limits of /proc/self/limits."""
    facts = read_environment(make_machine(memlock="unlimited", rtprio="50"), "lo", 1).facts
    expected = [Fact(value="unlimited", unit="bytes"), Fact(value=50)]
    assert expected == [facts["process.memlock_limit"], facts["process.realtime_limit"]]


def test_seccomp_is_a_mode_and_a_number_of_filters() -> None:
    """Mode 2 is a filter: seccomp(2)."""
    facts = read_environment(make_machine(seccomp=2), "lo", 1).facts
    expected = [Fact(value="filter"), Fact(value=1, unit="filters")]
    assert expected == [facts["process.seccomp"], facts["process.seccomp_filters"]]
