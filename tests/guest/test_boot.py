# SPDX-License-Identifier: MIT
"""The life of a guest, with a program in the emulator's place that does what a guest would."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sockmeter.guest.boot import BootResult, Event, Guest, Limits, boot
from sockmeter.guest.errors import (
    GuestPanickedError,
    GuestSilentError,
    GuestStoppedError,
    GuestTimedOutError,
    GuestUnpreparedError,
    StoreError,
)
from sockmeter.guest.qemu import Qemu

# Finds its files as the emulator does: from its own options.
FAKE = r"""#!/bin/sh
for word; do
    case "$word" in
    file:*) console=${word#file:} ;;
    file,id=result,path=*) result=${word#file,id=result,path=} ;;
    file,id=event,path=*) event=${word#file,id=event,path=} ;;
    file,id=symbol,path=*) symbol=${word#file,id=symbol,path=} ;;
    esac
done
"""
GOOD_END = "echo begin init 0 >$event; echo end status-0 0 >>$event\n"


def make_emulator(directory: Path, behaviour: str) -> Qemu:
    program = directory / "fake-qemu"
    program.write_text(FAKE + behaviour)
    program.chmod(0o755)
    return Qemu(program, (7, 2), "fake")


def run(
    directory: Path, behaviour: str, *, smp: int = 1, limits: Limits | None = None
) -> BootResult:
    guest = Guest(kernel=Path("/k"), probe=b"elf", plan="end\n", smp=smp)
    return boot(guest, make_emulator(directory, behaviour), limits)


def test_a_guest_that_ends_gives_what_it_said(tmp_path: Path) -> None:
    """Result, symbols, events and the console's last lines."""
    result = run(
        tmp_path,
        "echo line >$result; echo '1 T f' >$symbol; seq 20 >$console\n" + GOOD_END + "exit 1",
    )
    assert ("line\n", "1 T f\n", None) == (result.result, result.symbols, result.tally)
    assert (Event("begin", "init", 0), Event("end", "status-0", 0)) == result.events
    assert ("13", "20") == (result.console[0], result.console[-1])
    assert 0 == result.probe_status


def test_a_panic_is_named_with_the_last_lines(tmp_path: Path) -> None:
    """As the kernel put it."""
    with pytest.raises(GuestPanickedError, match="panicked: Fatal exception") as raised:
        run(tmp_path, "echo '[ 0.1] Kernel panic - not syncing: Fatal exception' >$console")
    assert "console: [ 0.1] Kernel panic" in str(raised.value)


def test_a_kernel_without_initramfs_is_told_what_it_lacks(tmp_path: Path) -> None:
    """It then finds no root file system."""
    with pytest.raises(GuestPanickedError, match="CONFIG_BLK_DEV_INITRD"):
        run(
            tmp_path,
            "echo 'Kernel panic - not syncing: VFS: Unable to mount root fs on x' >$console",
        )


def test_a_guest_that_spins_silently_is_ended(tmp_path: Path) -> None:
    """By the emulator's CPU time; a console that never spoke hints at the kernel's options."""
    with pytest.raises(GuestSilentError, match="CONFIG_SERIAL_8250_CONSOLE"):
        run(tmp_path, "while :; do :; done", limits=Limits(silent_cpu_s=0.2))


def test_several_cpus_are_named_as_a_cause_of_silence(tmp_path: Path) -> None:
    """Some kernels do not start a second one under instruction counting."""
    with pytest.raises(GuestSilentError, match="--smp 1"):
        run(tmp_path, "while :; do :; done", smp=2, limits=Limits(silent_cpu_s=0.2))


def test_a_guest_that_sleeps_for_ever_is_ended(tmp_path: Path) -> None:
    """Nothing will wake it."""
    with pytest.raises(GuestSilentError, match="its CPUs have slept"):
        run(tmp_path, "echo up >$console; exec sleep 60", limits=Limits(stalled_s=0.3))


def test_a_probe_may_be_silent_while_it_measures(tmp_path: Path) -> None:
    """Only the time limit ends it."""
    with pytest.raises(GuestTimedOutError, match=r"within 0\.8 s"):
        run(
            tmp_path,
            "echo run probe 0 >$event; while :; do :; done",
            limits=Limits(total_s=0.8, silent_cpu_s=0.1),
        )


def test_a_refused_module_is_named_with_the_reason(tmp_path: Path) -> None:
    """The errno came from the guest."""
    with pytest.raises(GuestUnpreparedError, match=r"module /modules/a\.ko: Exec format error"):
        run(tmp_path, "echo module /modules/a.ko 8 >$event; echo end status-0 0 >>$event")


def test_a_refusal_comes_with_what_the_kernel_said_of_it_alone(tmp_path: Path) -> None:
    """Not with the end of its own start, which went well."""
    start = "printf '%s\\n' '[ 0.1] x86/mm: Checked' '[ 0.2] Run /init as init process' >$console"
    refused = "echo sysctl x.y 2 >$event; echo end status-0 0 >>$event"
    for said, told in (("", ()), ("echo '[ 0.3] x.y: no' >>$console", ("[ 0.3] x.y: no",))):
        with pytest.raises(GuestUnpreparedError) as raised:
            run(tmp_path, "\n".join([start, said, refused]))
        assert told == raised.value.console


def test_an_offload_that_a_device_does_not_have_is_named(tmp_path: Path) -> None:
    with pytest.raises(GuestUnpreparedError) as raised:
        run(tmp_path, "echo offload warp-drive 22 >$event; echo end status-0 0 >>$event")
    assert "offload warp-drive: Invalid argument" == raised.value.what
    assert "its device has no such feature, or does not let it be switched" == raised.value.mend


def test_a_probe_that_dies_in_the_guest_is_named(tmp_path: Path) -> None:
    """By its signal."""
    with pytest.raises(GuestStoppedError, match="died in the guest: Segmentation fault"):
        run(tmp_path, "echo end signal-11 0 >$event")


def test_an_emulator_that_refuses_is_quoted(tmp_path: Path) -> None:
    """Its last word, and not its warnings."""
    with pytest.raises(GuestStoppedError, match="QEMU: unable to find CPU model 'x'"):
        run(tmp_path, "echo \"unable to find CPU model 'x'\" >&2; echo warning: y >&2; exit 1")


def test_an_emulator_that_is_killed_is_named(tmp_path: Path) -> None:
    """By somebody else, or for want of memory."""
    with pytest.raises(GuestStoppedError, match="QEMU was ended by SIGKILL"):
        run(tmp_path, "kill -9 $$")


def test_a_guest_that_ends_without_a_word_is_an_error(tmp_path: Path) -> None:
    """Its results did not get out."""
    with pytest.raises(GuestStoppedError, match="CONFIG_X86_IOPL_IOPERM"):
        run(tmp_path, "exit 0")


def test_half_an_event_is_none(tmp_path: Path) -> None:
    """The emulator died while it was written."""
    with pytest.raises(GuestStoppedError, match="ended before the probe did"):
        run(tmp_path, "printf 'end status-0' >$event")


def test_nothing_stays_behind(tmp_path: Path) -> None:
    """No file; and no process, since the emulator is waited for."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    emulator = make_emulator(tmp_path, f"echo $$ >{tmp_path}/pid; exec sleep 60")
    guest = Guest(kernel=Path("/k"), probe=b"elf", plan="end\n")
    with pytest.raises(GuestTimedOutError):
        boot(guest, emulator, Limits(total_s=0.5), scratch=scratch)
    assert [] == list(scratch.iterdir())
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()


def test_a_guest_without_room_for_its_files_is_an_error(tmp_path: Path) -> None:
    """A file is in the directory's place."""
    (tmp_path / "scratch").write_text("")
    guest = Guest(kernel=Path("/k"), probe=b"elf", plan="end\n")
    with pytest.raises(StoreError, match="set TMPDIR"):
        boot(guest, make_emulator(tmp_path, GOOD_END), scratch=tmp_path / "scratch")


PARENT = """
import sys
from pathlib import Path
from sockmeter.guest.boot import Guest, boot
from sockmeter.guest.qemu import Qemu
guest = Guest(kernel=Path("/k"), probe=b"elf", plan="end\\n")
boot(guest, Qemu(Path(sys.argv[1]), (7, 2), "fake"))
"""


def test_the_emulator_dies_with_whoever_started_it(tmp_path: Path) -> None:
    """Also when that one is killed and can do nothing more."""
    emulator = make_emulator(
        tmp_path,
        f"echo $$ >{tmp_path}/pid.new; mv {tmp_path}/pid.new {tmp_path}/pid; exec sleep 60",
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, emulator.program],
        env={
            **os.environ,
            "TMPDIR": str(tmp_path),
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        },
    )
    pid_file = tmp_path / "pid"
    while not pid_file.exists():
        assert parent.poll() is None
        time.sleep(0.01)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    emulated = Path(f"/proc/{pid_file.read_text().strip()}")
    deadline = time.monotonic() + 5
    while emulated.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not emulated.exists()
