# SPDX-License-Identifier: MIT
"""The machine as one run sees it: its device, its CPU, and the files that many facts share."""

import gzip
import re
import zlib
from functools import cached_property

from sockmeter.rig.environment.machine import Machine, Uname


class UnreadableError(Exception):
    """A fact has no value here; the text is the reason that a reader sees."""


class Site:
    """A machine, a network device and the measured CPU (-1: not pinned).

    What several facts are read from is read once. Methods raise OSError or UnreadableError.
    """

    def __init__(self, machine: Machine, device: str, cpu: int) -> None:
        self.machine = machine
        self.device = device
        self.cpu = cpu

    def locate(self, path: str) -> str:
        """Return `path` with {cpu}, {device} and {release} filled in."""
        if "{cpu}" in path and self.cpu < 0:
            raise UnreadableError("the run is not pinned to a CPU")
        release = self.uname.release if "{release}" in path else ""
        return path.format(cpu=self.cpu, device=self.device, release=release)

    def read_text(self, path: str) -> str:
        """Return a file as text; bytes that are no UTF-8 are replaced."""
        return self.machine.read_bytes(path).decode(errors="replace")

    @cached_property
    def uname(self) -> Uname:
        """Return what uname(2) says."""
        return self.machine.uname()

    @cached_property
    def cpuinfo(self) -> dict[str, str]:
        """Return the measured CPU's block of /proc/cpuinfo, or the first if not pinned."""
        blocks = self.read_text("/proc/cpuinfo").strip().split("\n\n")
        parsed = [_fields(block) for block in blocks]
        for block in parsed:
            if block.get("processor") == str(self.cpu):
                return block
        return parsed[0]

    @cached_property
    def status(self) -> dict[str, str]:
        """Return /proc/self/status, field by field."""
        return _fields(self.read_text("/proc/self/status"))

    @cached_property
    def limits(self) -> dict[str, tuple[str, str]]:
        """Return the soft and the hard limits of /proc/self/limits by name."""
        found: list[tuple[str, str, str]] = re.findall(
            r"^(Max [a-z -]+?) {2,}(\S+) +(\S+)",
            self.read_text("/proc/self/limits"),
            re.MULTILINE,
        )
        return {name: (soft, hard) for name, soft, hard in found}

    @cached_property
    def loadavg(self) -> list[str]:
        """Return the words of /proc/loadavg."""
        return self.read_text("/proc/loadavg").split()

    @cached_property
    def features(self) -> dict[str, bool]:
        """Return the device's offload features."""
        return self.machine.device_features(self.device)

    @cached_property
    def modules(self) -> list[str]:
        """Return the names under /sys/module: loaded modules, and built-in ones with parameters."""
        return self.machine.list_directory("/sys/module")

    @cached_property
    def config(self) -> "Config":
        """Return the kernel's configuration from the first place that has one."""
        refusals = []
        for place in CONFIG_PLACES:
            path = self.locate(place)
            try:
                return Config(path, _options(self.machine.read_bytes(path), path))
            except OSError as refusal:
                refusals.append(f"{place}: {refusal.strerror or refusal}")
        raise UnreadableError("no kernel configuration: " + ", ".join(refusals))


CONFIG_PLACES = ("/proc/config.gz", "/boot/config-{release}", "/lib/modules/{release}/config")


class Config:
    """A kernel's configuration: `y`, `m`, `n` or a value for every option that it knows."""

    def __init__(self, path: str, options: dict[str, str]) -> None:
        self.path = path
        self.options = options


def _options(content: bytes, path: str) -> dict[str, str]:
    """Return every option of a .config, without CONFIG_ and without quotes."""
    if path.endswith(".gz"):
        try:
            content = gzip.decompress(content)
        except (EOFError, zlib.error) as damage:
            raise OSError(f"damaged: {damage}") from damage
    options: dict[str, str] = {}
    for line in content.decode(errors="replace").splitlines():
        if line.startswith("CONFIG_"):
            name, _, value = line[len("CONFIG_") :].partition("=")
            options[name] = value.strip('"')
        elif line.startswith("# CONFIG_") and line.endswith(" is not set"):
            options[line[len("# CONFIG_") : -len(" is not set")]] = "n"
    return options


def _fields(text: str) -> dict[str, str]:
    """Return `name : value` lines as a dictionary."""
    pairs = (line.partition(":") for line in text.splitlines())
    return {name.strip(): value.strip() for name, colon, value in pairs if colon}
