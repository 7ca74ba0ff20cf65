# SPDX-License-Identifier: MIT
"""The life of one guest: boot, watch, end. It leaves no process and no file behind.

A guest ends by itself, after it reported the end of the probe. Every other way is an error with
the console's last lines. What counts as silence is the emulator's own CPU time without a word
from the guest, so that a busy machine is not taken for a hanging guest.
"""

import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NoReturn

from sockmeter.guest import initramfs, qemu
from sockmeter.guest.devices import Device
from sockmeter.guest.errors import (
    BootError,
    GuestPanickedError,
    GuestSilentError,
    GuestStoppedError,
    GuestTimedOutError,
    GuestUnpreparedError,
    StoreError,
)
from sockmeter.guest.modules import Module
from sockmeter.guest.scratch import scratch_directory
from sockmeter.guest.symbols import Vectors

_CONSOLE_LINES = 8
_POLL_S = 0.02
_INIT_RUNS = "Run /init as init process"
_PANIC = re.compile(r"Kernel panic - not syncing: (.*)")
_MEND_SETUP = {
    "module": "this kernel lacks what the module needs",
    "mtu": "its device takes no such MTU",
    "offload": "its device has no such feature, or does not let it be switched",
    "sysctl": "this kernel has no such setting, or refuses the value",
    "symbols": "the kernel needs CONFIG_KALLSYMS=y",
    "plan": "this is a fault of sockmeter: report it",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a guest may take."""

    total_s: float = 300.0  # elapsed, from start to end
    silent_cpu_s: float = 10.0  # of the emulator's CPU time, until the probe runs
    stalled_s: float = 30.0  # elapsed, without any CPU time used


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that the guest's process 1 did."""

    what: str  # begin, mount, fork, run, plan, end, or a statement of /setup
    name: str
    errno: int  # 0 where it went well


@dataclass(frozen=True, slots=True)
class BootResult:
    """What came out of a guest that ended as it should."""

    result: str  # the probe's standard output, whole
    symbols: str  # in the form of /proc/kallsyms; "" where none were asked for
    tally: str | None  # the plugin's report; None without plugin
    events: tuple[Event, ...]
    console: tuple[str, ...]  # last lines
    command_line: str  # the kernel's
    elapsed_s: float
    probe_status: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest:
    """What to boot, and what it shall do."""

    kernel: Path
    probe: bytes  # a static executable that is also an init
    plan: str
    parameters: Sequence[str] = ()  # of the kernel's command line
    sysctls: Mapping[str, str] = field(default_factory=dict)
    modules: Sequence[Module] = ()  # in loading order
    devices: Sequence[Device] = ()
    symbols: str | None = None  # "all" or "modules"
    cpu_model: str = qemu.DEFAULT_CPU_MODEL
    smp: int = 1
    memory_mib: int = 512
    tally_plugin: Path | None = None
    vectors: Vectors | None = None  # of this kernel; needed with the plugin


def boot(
    guest: Guest,
    emulator: qemu.Qemu,
    limits: Limits | None = None,
    *,
    scratch: Path | None = None,
    stop: threading.Event | None = None,
) -> BootResult:
    """Boot `guest` and return what it said.

    Blocks until the guest has ended. Several may run at once, each in a thread of its own. Its
    files are in a directory of its own below `scratch`, the system's temporary one if None.
    Once `stop` is set it is ended with GuestStoppedError.
    Raises BootError's kinds, and StoreError where its files cannot be kept.
    """
    try:
        with scratch_directory(scratch) as directory:
            return _Life(guest, emulator, limits or Limits(), directory, stop).live()
    except OSError as error:
        raise StoreError(
            f"the guest's files cannot be kept: {error.strerror or error}",
            mend="make room, or set TMPDIR to a directory that has it",
        ) from error


class _Life:
    def __init__(
        self,
        guest: Guest,
        emulator: qemu.Qemu,
        limits: Limits,
        directory: Path,
        stop: threading.Event | None,
    ) -> None:
        self._guest = guest
        self._stop = stop
        self._emulator = emulator
        self._limits = limits
        self._report = directory / "tally"
        self._errors = directory / "stderr"
        self._archive = directory / "initramfs"
        self._channels = qemu.Channels(
            console=directory / "console",
            result=directory / "result",
            event=directory / "event",
            symbol=directory / "symbol",
        )

    def live(self) -> BootResult:
        guest = self._guest
        self._archive.write_bytes(
            initramfs.build(
                guest.probe,
                guest.plan,
                modules=guest.modules,
                devices=guest.devices,
                sysctls=guest.sysctls,
                symbols=guest.symbols,
            )
        )
        started = time.monotonic()
        with self._errors.open("wb") as errors:
            process = _start(self._command(), errors)
            try:
                self._watch(process, started)
            finally:
                _end(process)
        return self._judge(process.returncode, time.monotonic() - started)

    def _command(self) -> list[str]:
        guest = self._guest
        tally = None
        if guest.tally_plugin is not None:
            if guest.vectors is None:
                raise ValueError("the counting plugin needs the kernel's vectors")
            tally = qemu.Tally(guest.tally_plugin, self._report, guest.vectors)
        return qemu.command(
            self._emulator,
            guest.kernel,
            self._archive,
            self._channels,
            parameters=guest.parameters,
            cpu_model=guest.cpu_model,
            smp=guest.smp,
            memory_mib=guest.memory_mib,
            tally=tally,
        )

    def _watch(self, process: subprocess.Popen[bytes], started: float) -> None:
        heard_bytes, heard_cpu_s = 0, 0.0
        cpu_s, cpu_seen_at = 0.0, started
        while True:
            try:
                process.wait(_POLL_S)
                return
            except subprocess.TimeoutExpired:
                pass
            if self._stop is not None and self._stop.is_set():
                raise GuestStoppedError("the guest was ended because another one failed")
            now = time.monotonic()
            used_s = _cpu_seconds(process.pid)
            if used_s > cpu_s:
                cpu_s, cpu_seen_at = used_s, now
            spoken = self._spoken_bytes()
            if spoken > heard_bytes:
                heard_bytes, heard_cpu_s = spoken, cpu_s
            if now - started > self._limits.total_s:
                self._fail_timed_out()
            if now - cpu_seen_at > self._limits.stalled_s:
                self._fail_silent(f"its CPUs have slept for {self._limits.stalled_s:g} s")
            if cpu_s - heard_cpu_s > self._limits.silent_cpu_s and not self._is_probe_running():
                self._fail_silent(
                    f"nothing came from it while it ran for {self._limits.silent_cpu_s:g} s"
                )

    def _spoken_bytes(self) -> int:
        channels = self._channels
        return sum(
            _size(path)
            for path in (channels.console, channels.result, channels.event, channels.symbol)
        )

    def _is_probe_running(self) -> bool:
        return any(event.what == "run" for event in self._events())

    def _events(self) -> tuple[Event, ...]:
        return _parse_events(_text(self._channels.event))

    def _console(self) -> tuple[str, ...]:
        lines = [line.strip() for line in _text(self._channels.console).splitlines()]
        return tuple([line for line in lines if line][-_CONSOLE_LINES:])

    def _fail_timed_out(self) -> NoReturn:
        raise GuestTimedOutError(
            f"the guest did not end within {self._limits.total_s:g} s",
            mend="ask for fewer calls, or raise the time limit",
            console=self._console(),
        )

    def _fail_silent(self, why: str) -> NoReturn:
        mend = None
        if self._guest.smp > 1:
            mend = "this kernel may not start further CPUs under instruction counting: --smp 1"
        elif not self._console():
            mend = "the kernel needs CONFIG_SERIAL_8250_CONSOLE and a CPU model that it supports"
        raise GuestSilentError(f"the guest hangs: {why}", mend=mend, console=self._console())

    def _judge(self, status: int, elapsed_s: float) -> BootResult:
        events = self._events()
        console = self._console()
        ending = next((event for event in events if event.what == "end"), None)
        if ending is None:
            raise self._what_stopped(status, console)
        for event in events:
            if event.errno and event.what != "mount":
                raise GuestUnpreparedError(
                    f"{event.what} {event.name}: {os.strerror(event.errno)}",
                    mend=_MEND_SETUP.get(event.what),
                    console=_since_init(console),
                )
        kind, _, number = ending.name.partition("-")
        if kind == "signal":
            raise GuestStoppedError(
                f"the probe died in the guest: {signal.strsignal(int(number)) or number}",
                console=console,
            )
        guest = self._guest
        return BootResult(
            result=_text(self._channels.result),
            symbols=_text(self._channels.symbol),
            tally=None if guest.tally_plugin is None else _text(self._report),
            events=events,
            console=console,
            command_line=qemu.kernel_command_line(guest.parameters, smp=guest.smp),
            elapsed_s=elapsed_s,
            probe_status=int(number),
        )

    def _what_stopped(self, status: int, console: tuple[str, ...]) -> BootError:
        text = _text(self._channels.console)
        panic = _PANIC.search(text)
        if panic is not None:
            mend = None
            if "Unable to mount root fs" in panic[1]:
                mend = "the kernel needs CONFIG_BLK_DEV_INITRD=y"
            return GuestPanickedError(
                f"the guest's kernel panicked: {panic[1].strip()}", mend=mend, console=console
            )
        said = [line for line in _text(self._errors).splitlines() if "warning:" not in line]
        if status and said:
            return GuestStoppedError(f"QEMU: {said[-1]}", console=console)
        if status < 0:
            return GuestStoppedError(
                f"QEMU was ended by {signal.Signals(-status).name}", console=console
            )
        return GuestStoppedError(
            "the guest ended before the probe did",
            mend="the kernel needs CONFIG_X86_IOPL_IOPERM=y for its results to leave the guest",
            console=console,
        )


def _since_init(console: tuple[str, ...]) -> tuple[str, ...]:
    """Return what the kernel said while it was set up: its own start explains no refusal."""
    for place, line in enumerate(console):
        if line.endswith(_INIT_RUNS):
            return console[place + 1 :]
    return console


def _start(command: Sequence[str], errors: IO[bytes]) -> subprocess.Popen[bytes]:
    # setpriv(1) has the emulator killed when this process is, however that happens.
    guard = shutil.which("setpriv")
    words = [*((guard, "--pdeathsig", "KILL", "--") if guard else ()), *command]
    return subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        start_new_session=True,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
        process.wait()


def _cpu_seconds(pid: int) -> float:
    # utime and stime are fields 14 and 15; the name before them may hold spaces (proc(5)).
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace") if path.exists() else ""


def _parse_events(text: str) -> tuple[Event, ...]:
    events = []
    for line in text.splitlines(keepends=True):
        if not line.endswith("\n"):
            break
        what, name, errno = line.split(" ")
        events.append(Event(what, name, int(errno)))
    return tuple(events)
