# SPDX-License-Identifier: MIT
"""Kernel modules from a directory tree: found, unpacked, and in an order that loads.

What a module needs is read from the module itself (its `.modinfo`), since a package's tree has no
modules.dep before depmod(8) has run on it.
"""

import gzip
import lzma
import shutil
import subprocess
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from sockmeter.guest.elf import Elf, NotElfError
from sockmeter.guest.errors import BadModulesError

_SUFFIXES = (".ko", ".ko.gz", ".ko.xz", ".ko.zst")


@dataclass(frozen=True, slots=True)
class Module:
    """One module, unpacked."""

    name: str  # with underscores
    content: bytes


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """What a module says of itself."""

    depends: tuple[str, ...]  # names with underscores
    release: str  # of the kernel it was built for


class ModuleTree:
    """The modules of one kernel: a directory like /lib/modules/<release>."""

    def __init__(self, directory: Path, release: str) -> None:
        self._directory = directory
        self._release = release
        self._paths = {
            _canonical(path.name): path
            for path in sorted(directory.rglob("*.ko*"))
            if path.name.endswith(_SUFFIXES)
        }
        self._builtin = _read_builtin(directory / "modules.builtin")

    def resolve(self, names: Iterable[str]) -> list[Module]:
        """Return the modules `names` and what they need, each behind what it needs.

        A name that is built into the kernel needs no module and is left out. Raises
        BadModulesError for one that is neither, and for one that belongs to another kernel.
        """
        ordered: dict[str, Module] = {}
        for name in names:
            self._add(_canonical(name), ordered, ())
        return list(ordered.values())

    def _add(self, name: str, ordered: dict[str, Module], needed_by: tuple[str, ...]) -> None:
        if name in ordered or name in self._builtin:
            return
        if name in needed_by:
            raise BadModulesError(f"the modules {' → '.join([*needed_by, name])} need each other")
        path = self._paths.get(name)
        if path is None:
            chain = f", which {needed_by[-1]} needs," if needed_by else ""
            raise BadModulesError(
                f"kernel {self._release} has no module {name}{chain} in {self._directory}",
                mend="give the modules of that kernel: sockmeter kernel add PATH --modules DIR",
            )
        content = _unpacked(path)
        facts = read_facts(content, path.name)
        if facts.release != self._release:
            raise BadModulesError(
                f"{path.name} is built for kernel {facts.release or 'unknown'}, "
                f"not for {self._release}",
                mend="give the modules of the same build",
            )
        for dependency in facts.depends:
            self._add(dependency, ordered, (*needed_by, name))
        ordered[name] = Module(name, content)


def read_facts(content: bytes, name: str) -> ModuleFacts:
    """Return what the module in `content` says of itself; BadModulesError where it is none."""
    try:
        modinfo = Elf(content).section(".modinfo")
    except NotElfError as error:
        raise BadModulesError(f"{name} is no kernel module: {error}") from error
    if modinfo is None:
        raise BadModulesError(f"{name} is no kernel module: it has no .modinfo")
    fields = dict(
        entry.decode("utf-8", "replace").partition("=")[::2]
        for entry in modinfo.split(b"\0")
        if entry
    )
    depends = tuple(_canonical(one) for one in fields.get("depends", "").split(",") if one)
    return ModuleFacts(depends, fields.get("vermagic", "").split(" ", 1)[0])


def _canonical(name: str) -> str:
    return name.split(".ko", 1)[0].replace("-", "_")


def _read_builtin(path: Path) -> frozenset[str]:
    if not path.exists():
        return frozenset()
    return frozenset(_canonical(line.rsplit("/", 1)[-1]) for line in path.read_text().split())


def _unpacked(path: Path) -> bytes:
    unpack: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.decompress,
        ".xz": lzma.decompress,
        ".zst": _unpack_zstd,
    }
    try:
        content = path.read_bytes()
        return unpack[path.suffix](content) if path.suffix in unpack else content
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise BadModulesError(f"{path} cannot be unpacked: {error}") from error


def _unpack_zstd(content: bytes) -> bytes:
    program = shutil.which("zstd")
    if program is None:
        raise BadModulesError(
            "this kernel's modules are compressed with zstd, which is not installed",
            mend="apt-get install zstd",
        )
    done = subprocess.run([program, "-dcq"], input=content, capture_output=True, check=False)
    if done.returncode:
        raise BadModulesError(
            f"zstd cannot unpack a module: {done.stderr.decode(errors='replace')}"
        )
    return done.stdout
