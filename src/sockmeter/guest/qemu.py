# SPDX-License-Identifier: MIT
"""QEMU's command line: the one module that knows it, and a pure function but for finding QEMU.

The guest is an emulated PC whose clock is its instruction count: one instruction, one nanosecond
of its time. Nothing random is left in it, and no device whose pace the host decides.
"""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sockmeter.guest.errors import QemuMissingError, QemuUnsuitableError
from sockmeter.guest.symbols import Vectors

_PROGRAM = "qemu-system-x86_64"
_INSTALL = "apt-get install --no-install-recommends qemu-system-x86"

# What emulation lacks is taken out by name, so that a later QEMU that has it changes nothing;
# RDRAND is the one instruction whose result would come from outside.
CPU_MODELS = {
    "nehalem": "Nehalem-v1",
    "haswell": (
        "Haswell-v4,-pcid,-x2apic,-tsc-deadline,-invpcid,-spec-ctrl,-hle,-rtm,-rdrand,+smap"
    ),
    "epyc": (
        "EPYC-v1,-rdseed,-rdrand,-sha-ni,-fxsr-opt,-misalignsse,-3dnowprefetch,-osvw,-topoext,"
        "-nrip-save,-xsavec"
    ),
}
DEFAULT_CPU_MODEL = "haswell"

# One instruction is 1 ns, so that the time stamp counter runs at 1 GHz exactly and need not be
# calibrated; interrupts of the timer need no proof either. See Documentation/admin-guide/
# kernel-parameters.txt for each.
_PARAMETERS = (
    "console=ttyS0",
    "nokaslr",
    "norandmaps",
    "randomize_kstack_offset=off",
    "panic=-1",
    "no_timer_check",
    "tsc_early_khz=1000000",
    "cryptomgr.notests=1",
)
# Calibrating the local APIC's timer spins for 0.2 s of the guest, which is half of a boot. A
# single CPU does as well with the HPET; more than one would lose their high-resolution timers.
_ONE_CPU_PARAMETERS = ("nolapic_timer",)

# The ports of probe/init.c.
_PORTS = {"result": 0xE9, "event": 0xEA, "symbol": 0xEB}
_POWER_OFF_PORT = 0xF4

# QEMU's first version of each plugin interface that tally is built for, and the first beyond.
_PLUGIN_INTERFACES = (((7, 2), 1), ((9, 0), 2), ((9, 1), 3))
_FIRST_UNKNOWN = (11, 0)


@dataclass(frozen=True, slots=True)
class Qemu:
    """An installed QEMU."""

    program: Path
    version: tuple[int, int]
    description: str  # first line of --version
    data: tuple[Path, ...] = ()  # further directories for firmware

    @property
    def plugin_interface(self) -> int:
        """The version of tally that fits; QemuUnsuitableError where none does."""
        if not _PLUGIN_INTERFACES[0][0] <= self.version < _FIRST_UNKNOWN:
            raise QemuUnsuitableError(
                f"{self.description} is not a version that counting is known to work with",
                mend=f"QEMU 7.2 to 10.2 are: {_INSTALL}",
            )
        return max(number for since, number in _PLUGIN_INTERFACES if self.version >= since)


@dataclass(frozen=True, slots=True)
class Channels:
    """Files on the host that the guest's streams go to."""

    console: Path
    result: Path
    event: Path
    symbol: Path


@dataclass(frozen=True, slots=True)
class Tally:
    """The counting plugin and what it is told."""

    plugin: Path
    report: Path
    vectors: Vectors


def find_qemu(program: str = _PROGRAM) -> Qemu:
    """Return the QEMU of that name or path.

    Raises QemuMissingError where there is none and QemuUnsuitableError where it cannot count.
    """
    path = shutil.which(program)
    if path is None:
        raise QemuMissingError(f"{program} is not installed", mend=_INSTALL)
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    found = re.search(r"version (\d+)\.(\d+)", lines[0]) if lines else None
    if done.returncode or found is None:
        raise QemuUnsuitableError(
            f"{path} does not say its version: {done.stderr.strip()}", mend=_INSTALL
        )
    version = int(found[1]), int(found[2])
    if version < _PLUGIN_INTERFACES[0][0]:
        raise QemuUnsuitableError(
            f"{lines[0]} is too old: 7.2 is the first that can count", mend=_INSTALL
        )
    return Qemu(Path(path), version, lines[0])


def kernel_command_line(parameters: Sequence[str], *, smp: int) -> str:
    """Return the kernel's command line; `parameters` come last and so win."""
    fixed = (*_PARAMETERS, *(_ONE_CPU_PARAMETERS if smp == 1 else ()))
    return " ".join([*fixed, *parameters])


def command(
    qemu: Qemu,
    kernel: Path,
    initramfs: Path,
    channels: Channels,
    *,
    parameters: Sequence[str] = (),
    cpu_model: str = DEFAULT_CPU_MODEL,
    smp: int = 1,
    memory_mib: int = 512,
    tally: Tally | None = None,
) -> list[str]:
    """Return the command that boots `kernel`.

    `cpu_model` is a key of CPU_MODELS or what QEMU's -cpu takes. Raises ValueError for a comma in
    a path, which QEMU's options cannot take.
    """
    return [
        str(qemu.program),
        *(word for directory in qemu.data for word in ("-L", str(directory))),
        *("-machine", "pc"),
        *("-accel", "tcg"),
        *("-icount", "shift=0,sleep=off"),
        *("-cpu", CPU_MODELS.get(cpu_model, cpu_model)),
        *("-smp", str(smp)),
        *("-m", f"{memory_mib}M"),
        *("-seed", "1"),
        *("-rtc", "base=2020-01-01T00:00:00,clock=vm"),
        *("-nodefaults", "-no-user-config", "-no-reboot"),
        *("-display", "none"),
        *("-kernel", str(kernel)),
        *("-initrd", str(initramfs)),
        *("-append", kernel_command_line(parameters, smp=smp)),
        *("-serial", f"file:{channels.console}"),
        *_port("result", channels.result),
        *_port("event", channels.event),
        *_port("symbol", channels.symbol),
        *("-device", f"isa-debug-exit,iobase={_POWER_OFF_PORT:#x},iosize=4"),
        *(_tally_words(tally) if tally else ()),
    ]


def _port(name: str, path: Path) -> tuple[str, ...]:
    return (
        *("-chardev", f"file,id={name},path={_without_comma(path)}"),
        *("-device", f"isa-debugcon,iobase={_PORTS[name]:#x},chardev={name}"),
    )


def _tally_words(tally: Tally) -> tuple[str, str]:
    arguments = [
        _without_comma(tally.plugin),
        f"out={_without_comma(tally.report)}",
        *(f"vector={low:x}-{high:x}" for low, high in tally.vectors.ranges),
        *(f"fault={entry:x}" for entry in tally.vectors.faults),
    ]
    return "-plugin", ",".join(arguments)


def _without_comma(path: Path) -> str:
    if "," in str(path):
        raise ValueError(f"QEMU's options cannot name {path}: it has a comma")
    return str(path)
