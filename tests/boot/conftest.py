# SPDX-License-Identifier: MIT
"""What a boot needs: an emulator, Debian's kernels, and the two programs built from source.

Where QEMU, a compiler or the mirror is missing, these tests are skipped and say so.
"""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from sockmeter.guest.boot import BootResult, Guest, Limits, boot
from sockmeter.guest.debian import Wish
from sockmeter.guest.errors import (
    NoPackageError,
    PackageFailedError,
    QemuMissingError,
    UnknownKernelError,
)
from sockmeter.guest.kernels import Kernel, Store
from sockmeter.guest.prepare import kernel_symbols, probe_symbols
from sockmeter.guest.qemu import Qemu, find_qemu
from sockmeter.guest.symbols import SymbolTable

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Lab:
    """One kernel with everything to boot it."""

    kernel: Kernel
    emulator: Qemu
    probe: bytes
    plugin: Path
    symbols: SymbolTable  # the kernel's and the probe's

    def boot(self, *plan: str, is_counted: bool = True, **fields: object) -> BootResult:
        """Boot with that plan, a line each."""
        counting = {"tally_plugin": self.plugin, "vectors": self.symbols.vectors()}
        guest = Guest(
            kernel=self.kernel.image,
            probe=self.probe,
            plan="".join(f"{line}\n" for line in plan),
            **(counting if is_counted else {}),  # type: ignore[arg-type]
            **fields,  # type: ignore[arg-type]
        )
        return boot(guest, self.emulator, Limits(total_s=240))


@pytest.fixture(scope="session")
def emulator() -> Qemu:
    try:
        return find_qemu()
    except QemuMissingError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a compiler of sources of this project, below one directory for all tests."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler: apt-get install gcc libc6-dev")
    directory = tmp_path_factory.mktemp("compiled")

    def compile_(name: str, sources: list[Path], *options: str) -> Path:
        target = directory / name
        words = ["cc", "-std=gnu11", "-D_GNU_SOURCE", "-O2", *options, "-o", target, *sources]
        subprocess.run([str(word) for word in words], check=True)
        return target

    return compile_


@pytest.fixture(scope="session")
def probe(compiled: Callable[..., Path]) -> bytes:
    sources = [ROOT / "tests/boot/chain.c", ROOT / "probe/init.c", ROOT / "probe/device.c"]
    return compiled("chain", sources, "-static", f"-I{ROOT / 'probe'}").read_bytes()


@pytest.fixture(scope="session")
def plugin(emulator: Qemu, compiled: Callable[..., Path]) -> Path:
    interface = emulator.plugin_interface
    return compiled(
        f"tally-{interface}.so",
        sorted((ROOT / "tally").glob("*.c")),
        *("-shared", "-fPIC", "-fvisibility=hidden", f"-DTALLY_API={interface}"),
    )


@pytest.fixture(scope="session")
def make_lab(emulator: Qemu, probe: bytes, plugin: Path) -> Callable[[str], Lab]:
    """Return a maker of labs for `6.1` and its like; a kernel is fetched once for all runs."""
    store = Store(ROOT / "build" / "kernels")

    def make(series: str) -> Lab:
        try:
            kernel = store.find(f"debian:{series}")
        except UnknownKernelError:
            try:
                kernel = store.add_debian(Wish(series))
            except (NoPackageError, PackageFailedError) as error:
                pytest.skip(str(error))
        symbols = kernel_symbols(kernel, probe, emulator).merged(
            probe_symbols(probe, Path("chain"))
        )
        return Lab(kernel, emulator, probe, plugin, symbols)

    return make


@pytest.fixture(scope="session")
def lab(make_lab: Callable[[str], Lab]) -> Lab:
    """Debian's 6.1."""
    return make_lab("6.1")
