# SPDX-License-Identifier: MIT
"""A sysctl of the machine is turned by one run at a time, and is after it what it was before."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sockmeter.rig.sinks import NamespaceRefusedError
from sockmeter.rig.turning.journal import Journal
from sockmeter.rig.turning.locks import locked
from sockmeter.rig.turning.machine import MachineSettings
from tests.cli.run_cli import SOURCE

PRINTK = Path("/proc/sys/kernel/printk")  # four numbers, of which fewer may be written
needs_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root may turn a sysctl of the machine"
)


@pytest.fixture
def setting(tmp_path: Path) -> Path:
    """Return a file that stands for a sysctl."""
    (path := tmp_path / "setting").write_text("300\n")
    return path


def refusal_of(settings: MachineSettings, path: Path) -> NamespaceRefusedError:
    with pytest.raises(NamespaceRefusedError) as caught, settings.turned(str(path), "303"):
        pass
    return caught.value


def test_a_second_run_is_refused_until_the_first_has_ended(tmp_path: Path, setting: Path) -> None:
    """Between the segments of the first too; each has notes of its own, as two users have."""
    first, second, third = (MachineSettings(Journal(tmp_path / name)) for name in "abc")
    with first.turned(str(setting), "301"):
        refused = refusal_of(second, setting)
        assert ("lock", "EAGAIN") == (refused.step, refused.errno_name)
        assert f"process {os.getpid()} is turning {setting}" in refused.text
        assert "301" == setting.read_text()
    assert "lock" == refusal_of(second, setting).step
    with first.turned(str(setting), "302"):
        assert "302" == setting.read_text()
    assert "300" == setting.read_text()
    first.close()
    assert "lock" == refusal_of(second, setting).step, "no arm of it is measured by halves"
    with third.turned(str(setting), "303"):
        assert "303" == setting.read_text()
    assert "300" == setting.read_text()


def test_a_value_that_something_else_turns_is_let_alone(tmp_path: Path, setting: Path) -> None:
    """By hand, or through a proc of a container's own, where a lock is not seen."""
    settings = MachineSettings(Journal(tmp_path / "notes"))
    with settings.turned(str(setting), "301"):
        pass
    setting.write_text("400")
    refused = refusal_of(settings, setting)
    assert ("lock", "EBUSY") == (refused.step, refused.errno_name)
    assert "it was 300 before the run and is 400" in refused.text
    assert "400" == setting.read_text()


def test_what_an_interrupt_has_left_is_put_back_at_the_end(tmp_path: Path, setting: Path) -> None:
    settings = MachineSettings(Journal(tmp_path / "notes"))
    segment = settings.turned(str(setting), "301")
    segment.__enter__()
    assert "301" == setting.read_text()
    settings.close()
    assert "300" == setting.read_text()
    assert [] == list((tmp_path / "notes").iterdir())


def test_a_killed_process_leaves_no_lock(setting: Path) -> None:
    """Nor does a child that outlives it."""
    script = (
        "import os, signal, subprocess\n"
        "from sockmeter.rig.turning.locks import locked\n"
        f"with locked({str(setting)!r}):\n"
        "    child = subprocess.Popen(['sleep', '60'], close_fds=False)\n"
        "    print(child.pid, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    ) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        try:
            assert -9 == process.wait()
            with locked(str(setting)):
                pass
        finally:
            os.kill(child, 9)


def test_only_what_can_be_written_to_is_locked(tmp_path: Path) -> None:
    """Who may not turn it keeps nobody from it."""
    with pytest.raises(IsADirectoryError), locked(str(tmp_path)):
        pass


@needs_root
def test_what_a_refused_value_changed_is_put_back(tmp_path: Path) -> None:
    """The kernel takes numbers one by one, up to that which it refuses."""
    before = PRINTK.read_text()
    level = 3 if before.split()[0] != "3" else 4
    try:
        settings = MachineSettings(Journal(tmp_path / "notes"))
        with (
            pytest.raises(NamespaceRefusedError),
            settings.turned(str(PRINTK), f"{level} none"),
        ):
            pass
        assert before == PRINTK.read_text()
        assert [] == list((tmp_path / "notes").iterdir())
    finally:
        PRINTK.write_text(before)


@needs_root
def test_a_note_has_what_the_kernel_made_of_the_value(tmp_path: Path) -> None:
    """By it the next start knows the value as the run's own, and puts the old one back."""
    before = PRINTK.read_text()
    level = 3 if before.split()[0] != "3" else 4
    try:
        settings = MachineSettings(Journal(tmp_path))
        with settings.turned(str(PRINTK), f"0x{level}"):
            (note,) = tmp_path.iterdir()
            assert f'"new":"{" ".join(PRINTK.read_text().split())}"' in note.read_text()
    finally:
        PRINTK.write_text(before)
