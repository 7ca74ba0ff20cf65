# SPDX-License-Identifier: MIT
"""Debian's kernels, booted and counted: exact, closing, the same each time."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from sockmeter.guest.boot import BootResult, Guest, Limits, boot
from sockmeter.guest.errors import (
    GuestPanickedError,
    GuestStoppedError,
    GuestTimedOutError,
    GuestUnpreparedError,
)
from sockmeter.guest.profiles import make_profile, total_of
from sockmeter.guest.tally import CountedSegment, TallyReport, idle_instructions, parse_tally
from sockmeter.model.profiles import Profile
from tests.boot.conftest import Lab
from tests.guest.trees import children, inclusive

pytestmark = pytest.mark.boot
PLAN = ("recvfrom 200 50", "recvmsg 200 50", "nothing 20 10", "copy 20 10", "fault 20 10")


def measured(result: str) -> dict[str, list[int]]:
    """Return the probe's own differences of the guest's clock, by call."""
    rows = [line.split() for line in result.splitlines() if line != "end"]
    return {row[0]: [int(word) for word in row[1:]] for row in rows}


def modal_profile(lab: Lab, report: TallyReport, segment: CountedSegment) -> Profile:
    """Return what the calls of the commonest cost did."""
    shape = max(segment.shapes, key=lambda one: one.calls)
    return make_profile(report, [shape], lab.symbols)


@pytest.fixture(scope="module")
def counted(lab: Lab) -> BootResult:
    """One boot that most tests look at."""
    return lab.boot(*PLAN)


@pytest.fixture(scope="module")
def report(counted: BootResult) -> TallyReport:
    assert counted.tally is not None
    return parse_tally(counted.tally)


def test_every_call_closes_and_the_plugin_changes_nothing(
    lab: Lab, counted: BootResult, report: TallyReport
) -> None:
    """The sum of a window is the guest's own clock over it; without plugin it is the same clock."""
    for values, segment in zip(measured(counted.result).values(), report.segments, strict=True):
        assert 0 == idle_instructions(report, segment, values)
        for shape in segment.shapes:
            profile = make_profile(report, [shape], lab.symbols)
            assert shape.instructions is not None
            assert shape.instructions * shape.calls == total_of(profile)
            assert total_of(profile) == inclusive(profile.tree)
    assert counted.result == lab.boot(*PLAN, is_counted=False).result


def test_boots_are_equal_also_when_both_cores_are_busy(lab: Lab, counted: BootResult) -> None:
    """Two at once, beside two endless loops."""
    spinners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        with ThreadPoolExecutor(2) as pool:
            busy = list(pool.map(lambda _: lab.boot(*PLAN), range(2)))
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()
    assert [counted.result] * 2 == [one.result for one in busy]
    assert [counted.tally] * 2 == [one.tally for one in busy]


def test_the_tree_leads_from_the_probe_to_the_socket(lab: Lab, report: TallyReport) -> None:
    """Through the C library and the system call, each with what it costs in all."""
    profile = modal_profile(lab, report, report.segments[1])
    node = profile.tree
    for name in ("receive_message [probe]", "__libc_recvmsg [probe]", "entry_SYSCALL_64"):
        node = children(node)[name]
    while "udp_recvmsg" not in children(node):
        node = max(node.children, key=inclusive)
    assert node.name in {"sock_recvmsg", "____sys_recvmsg"}
    assert profile.calls == children(node)["udp_recvmsg"].entries


def test_a_thousand_bytes_are_a_thousand_iterations(lab: Lab, report: TallyReport) -> None:
    """Of REP MOVSB: one instruction, and the bytes apart."""
    profile = modal_profile(lab, report, report.segments[3])
    copy = profile.functions["copy [probe]"]
    assert (1000, 1000) == (
        copy.iterations // profile.calls,
        copy.iteration_bytes // profile.calls,
    )
    assert copy.instructions // profile.calls < 10


def test_modules_load_in_order_and_have_symbols(lab: Lab) -> None:
    """nf_tables needs two others; the symbols of all three say where they are."""
    modules = lab.kernel.module_tree().resolve(["nf_tables"])
    result = lab.boot(
        "nothing 10 10",
        modules=modules,
        symbols="modules",
        sysctls={"net.core.rmem_max": "400000"},
        is_counted=False,
    )
    loaded = {line.split("[")[1].rstrip("]") for line in result.symbols.splitlines()}
    assert {module.name for module in modules} == loaded


def test_a_sysctl_that_a_kernel_does_not_have_is_named(lab: Lab) -> None:
    """The guest's kernel decides."""
    with pytest.raises(GuestUnpreparedError, match=r"sysctl net\.core\.nothing: No such file"):
        lab.boot("nothing 10 10", sysctls={"net.core.nothing": "1"}, is_counted=False)


def test_a_probe_that_aborts_is_named(lab: Lab) -> None:
    """It is no panic: process 1 sees it off."""
    with pytest.raises(GuestStoppedError, match="died in the guest: Aborted"):
        lab.boot("crash 1 1", is_counted=False)


def test_a_probe_that_hangs_is_ended_by_the_limit(lab: Lab) -> None:
    """It may be measuring, for all that is known."""
    guest = Guest(kernel=lab.kernel.image, probe=lab.probe, plan="hang 1 1\n")
    with pytest.raises(GuestTimedOutError):
        boot(guest, lab.emulator, Limits(total_s=6))


def test_an_init_that_is_no_program_is_a_panic(lab: Lab) -> None:
    """With the kernel's own words."""
    guest = Guest(kernel=lab.kernel.image, probe=b"no program", plan="")
    with pytest.raises(GuestPanickedError, match="No working init found"):
        boot(guest, lab.emulator)


def test_a_cpu_model_that_is_none_is_the_emulators_word(lab: Lab) -> None:
    """QEMU knows its models best."""
    with pytest.raises(GuestStoppedError, match=r"QEMU: .*nothing"):
        lab.boot("nothing 10 10", cpu_model="nothing", is_counted=False)
