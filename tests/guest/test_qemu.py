# SPDX-License-Identifier: MIT
"""The emulator's command line, and which emulators will do."""

from pathlib import Path

import pytest

from sockmeter.guest import qemu
from sockmeter.guest.errors import QemuMissingError, QemuUnsuitableError
from sockmeter.guest.symbols import Vectors

CHANNELS = qemu.Channels(Path("/d/console"), Path("/d/result"), Path("/d/event"), Path("/d/symbol"))


def make_qemu(version: tuple[int, int] = (7, 2)) -> qemu.Qemu:
    return qemu.Qemu(Path("/usr/bin/qemu"), version, f"QEMU emulator version {version}")


def make_command(**options: object) -> list[str]:
    return qemu.command(make_qemu(), Path("/k"), Path("/i"), CHANNELS, **options)  # type: ignore[arg-type]


def make_program(directory: Path, text: str) -> str:
    path = directory / "qemu"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def value_of(option: str, command: list[str]) -> str:
    return command[command.index(option) + 1]


def test_one_instruction_is_one_nanosecond() -> None:
    """And the host's clock is never waited for."""
    command = make_command()
    assert "tcg" == value_of("-accel", command)
    assert "shift=0,sleep=off" == value_of("-icount", command)


def test_nothing_random_is_left() -> None:
    """Addresses, the stack's offset, the emulator's own seed, the time of day, RDRAND."""
    command = make_command()
    words = value_of("-append", command).split()
    assert {"nokaslr", "norandmaps", "randomize_kstack_offset=off"} <= set(words)
    assert "1" == value_of("-seed", command)
    assert "base=2020-01-01T00:00:00,clock=vm" == value_of("-rtc", command)
    assert all("-rdrand" in model for name, model in qemu.CPU_MODELS.items() if name != "nehalem")


def test_the_users_parameters_come_last() -> None:
    """The kernel takes the last of two."""
    command = make_command(parameters=["hardened_usercopy=off", "panic=0"])
    assert value_of("-append", command).endswith(" hardened_usercopy=off panic=0")


def test_one_cpu_does_without_the_local_timer() -> None:
    """Its calibration is half of a boot; several CPUs need it for their fine timers."""
    assert "nolapic_timer" in value_of("-append", make_command(smp=1)).split()
    assert "nolapic_timer" not in value_of("-append", make_command(smp=2)).split()


def test_a_cpu_model_of_ones_own_is_passed_on() -> None:
    """A known name stands for a list."""
    assert "EPYC,-sha-ni" == value_of("-cpu", make_command(cpu_model="EPYC,-sha-ni"))
    assert value_of("-cpu", make_command(cpu_model="haswell")).startswith("Haswell-v4,")


def test_the_plugin_is_told_where_interrupts_enter() -> None:
    """In hexadecimal, as it reads them."""
    tally = qemu.Tally(Path("/t.so"), Path("/d/tally"), Vectors([(0x10, 0x20)], [0x18]))
    assert "/t.so,out=/d/tally,vector=10-20,fault=18" == value_of(
        "-plugin", make_command(tally=tally)
    )


def test_a_path_with_a_comma_is_refused() -> None:
    """It would end an option."""
    tally = qemu.Tally(Path("/a,b.so"), Path("/d/tally"), Vectors([], []))
    with pytest.raises(ValueError, match="comma"):
        make_command(tally=tally)


@pytest.mark.parametrize(
    ("version", "interface"),
    [((7, 2), 1), ((8, 2), 1), ((9, 0), 2), ((9, 1), 3), ((10, 0), 3), ((10, 2), 3)],
)
def test_each_version_has_its_plugin_interface(version: tuple[int, int], interface: int) -> None:
    """See tally/qemu_abi.h."""
    assert interface == make_qemu(version).plugin_interface


@pytest.mark.parametrize("version", [(7, 1), (11, 0)])
def test_a_version_of_unknown_interface_is_refused(version: tuple[int, int]) -> None:
    """Rather than loaded and crashed."""
    with pytest.raises(QemuUnsuitableError, match="not a version that counting"):
        assert make_qemu(version).plugin_interface


def test_a_missing_emulator_names_its_package(tmp_path: Path) -> None:
    """One line, with the command that mends it."""
    with pytest.raises(QemuMissingError, match=r"apt-get install .*qemu-system-x86"):
        qemu.find_qemu(str(tmp_path / "absent"))


def test_the_version_is_read(tmp_path: Path) -> None:
    """From its own first line."""
    program = make_program(tmp_path, "echo 'QEMU emulator version 8.2.1 (x)'; echo more")
    found = qemu.find_qemu(program)
    assert ((8, 2), "QEMU emulator version 8.2.1 (x)") == (found.version, found.description)


@pytest.mark.parametrize("said", ["echo 'QEMU emulator version 6.2.0'", "echo no; exit 1", "true"])
def test_an_old_or_dumb_emulator_is_refused(tmp_path: Path, said: str) -> None:
    """Before anything is booted with it."""
    with pytest.raises(QemuUnsuitableError):
        qemu.find_qemu(make_program(tmp_path, said))
