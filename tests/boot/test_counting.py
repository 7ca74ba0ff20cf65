# SPDX-License-Identifier: MIT
"""Debian's kernels, booted and counted: exact, closing, the same each time."""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from sockmeter.guest.boot import Guest, Limits, boot
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
RECEIVES = ("recvfrom 200 50", "recvmsg 200 50")


def measured(result: str) -> dict[str, list[int]]:
    """Return the probe's own differences of the guest's clock, by call."""
    rows = [line.split() for line in result.splitlines() if line != "end"]
    return {row[0]: [int(word) for word in row[1:]] for row in rows}


def modal_profile(lab: Lab, report: TallyReport, segment: CountedSegment) -> Profile:
    """Return what the calls of the commonest cost did."""
    shape = max(segment.shapes, key=lambda one: one.calls)
    return make_profile(report, [shape], lab.symbols)


def modal_cost(values: list[int]) -> int:
    return Counter(values).most_common(1)[0][0]


def test_every_call_closes_and_the_plugin_changes_nothing(lab: Lab) -> None:
    """The sum of a window is the guest's own clock over it; without plugin it is the same clock."""
    plan = (*RECEIVES, "nothing 20 10", "copy 20 10", "fault 20 10")
    counted = lab.boot(*plan)
    assert counted.tally is not None
    report = parse_tally(counted.tally)
    for values, segment in zip(measured(counted.result).values(), report.segments, strict=True):
        assert 0 == idle_instructions(report, segment, values)
        for shape in segment.shapes:
            profile = make_profile(report, [shape], lab.symbols)
            assert shape.instructions is not None
            assert shape.instructions * shape.calls == total_of(profile)
            assert total_of(profile) == inclusive(profile.tree)
    assert counted.result == lab.boot(*plan, is_counted=False).result


def test_boots_are_equal_also_when_both_cores_are_busy(lab: Lab) -> None:
    """Four boots, two of them at once, beside two endless loops."""
    quiet = lab.boot(*RECEIVES)
    spinners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        with ThreadPoolExecutor(2) as pool:
            busy = list(pool.map(lambda _: lab.boot(*RECEIVES), range(3)))
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()
    assert [quiet.result] * 3 == [one.result for one in busy]
    assert [quiet.tally] * 3 == [one.tally for one in busy]


def test_hardened_usercopy_leads_its_own_difference(lab: Lab) -> None:
    """Off, a recvfrom with address saves about 200 instructions and a recvmsg about 240."""
    on, off = (
        lab.boot(*RECEIVES, parameters=[f"hardened_usercopy={word}"]) for word in ("on", "off")
    )
    for call, expected in (("recvfrom", 200), ("recvmsg", 240)):
        saved = modal_cost(measured(on.result)[call]) - modal_cost(measured(off.result)[call])
        assert expected == pytest.approx(saved, abs=25)
    assert on.tally is not None
    assert off.tally is not None
    before, after = parse_tally(on.tally), parse_tally(off.tally)
    left = modal_profile(lab, before, before.segments[0])
    right = modal_profile(lab, after, after.segments[0])
    saved_by = {
        name: cost.instructions / left.calls
        - (right.functions[name].instructions / right.calls if name in right.functions else 0)
        for name, cost in left.functions.items()
    }
    assert "__check_object_size" == max(saved_by, key=lambda name: saved_by[name])
    assert 2 * left.calls == left.functions["__check_object_size"].entries


def test_the_tree_leads_from_the_probe_to_the_socket(lab: Lab) -> None:
    """Through the C library and the system call, each with what it costs in all."""
    result = lab.boot("recvmsg 200 50")
    assert result.tally is not None
    report = parse_tally(result.tally)
    profile = modal_profile(lab, report, report.segments[0])
    node = profile.tree
    for name in ("receive_message [probe]", "__libc_recvmsg [probe]", "entry_SYSCALL_64"):
        node = children(node)[name]
    while "udp_recvmsg" not in children(node):
        node = max(node.children, key=inclusive)
    assert node.name in {"sock_recvmsg", "____sys_recvmsg"}
    assert profile.calls == children(node)["udp_recvmsg"].entries


def test_a_thousand_bytes_are_a_thousand_iterations(lab: Lab) -> None:
    """Of REP MOVSB: one instruction, and the bytes apart."""
    result = lab.boot("copy 20 10")
    assert result.tally is not None
    report = parse_tally(result.tally)
    profile = modal_profile(lab, report, report.segments[0])
    copy = profile.functions["copy [probe]"]
    assert (1000, 1000) == (
        copy.iterations // profile.calls,
        copy.iteration_bytes // profile.calls,
    )
    assert copy.instructions // profile.calls < 10


def test_modules_load_in_order_and_have_symbols(lab: Lab) -> None:
    """nf_tables needs two others; the symbols of all three say where they are."""
    modules = lab.kernel.module_tree().resolve(["nf_tables"])
    result = lab.boot("nothing 10 10", modules=modules, symbols="modules", is_counted=False)
    loaded = {line.split("[")[1].rstrip("]") for line in result.symbols.splitlines()}
    assert {module.name for module in modules} == loaded


def test_a_sysctl_is_set_or_named(lab: Lab) -> None:
    """The guest's kernel decides."""
    lab.boot("nothing 10 10", sysctls={"net.core.rmem_max": "400000"}, is_counted=False)
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
        boot(guest, lab.emulator, Limits(total_s=8))


def test_an_init_that_is_no_program_is_a_panic(lab: Lab) -> None:
    """With the kernel's own words."""
    guest = Guest(kernel=lab.kernel.image, probe=b"no program", plan="")
    with pytest.raises(GuestPanickedError, match="No working init found"):
        boot(guest, lab.emulator)


def test_a_cpu_model_that_is_none_is_the_emulators_word(lab: Lab) -> None:
    """QEMU knows its models best."""
    with pytest.raises(GuestStoppedError, match=r"QEMU: .*nothing"):
        lab.boot("nothing 10 10", cpu_model="nothing", is_counted=False)


def test_two_cpus_are_as_exact_as_one(make_lab: Callable[[str], Lab]) -> None:
    """Debian's 6.12: equal boots, and every window closes over both CPUs."""
    lab = make_lab("6.12")
    first, second = (lab.boot(*RECEIVES, smp=2) for _ in range(2))
    assert (first.result, first.tally) == (second.result, second.tally)
    assert first.tally is not None
    report = parse_tally(first.tally)
    for values, segment in zip(measured(first.result).values(), report.segments, strict=True):
        idle_instructions(report, segment, values)
