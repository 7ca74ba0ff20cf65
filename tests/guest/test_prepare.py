# SPDX-License-Identifier: MIT
"""What must be known before a count."""

from pathlib import Path

import pytest

from sockmeter.guest.errors import BadSymbolsError
from sockmeter.guest.kernels import Kernel, Store
from sockmeter.guest.prepare import kernel_symbols, probe_symbols
from sockmeter.guest.symbols import Symbol
from tests.guest.make_kernels import make_elf, make_image
from tests.guest.test_boot import GOOD_END, make_emulator
from tests.guest.test_symbols import ENTRIES


def make_kernel(directory: Path) -> Kernel:
    image = directory / "bzImage"
    image.write_bytes(make_image())
    return Store(directory / "kernels").add_file(image)


def test_a_kernel_is_asked_for_its_symbols_once(tmp_path: Path) -> None:
    """The second time no emulator is needed."""
    (tmp_path / "entries").write_text(ENTRIES)
    kernel = make_kernel(tmp_path)
    working = make_emulator(tmp_path, f"cat {tmp_path}/entries >$symbol\n{GOOD_END}exit 1")
    first = kernel_symbols(kernel, b"elf", working)
    broken = make_emulator(tmp_path, "exit 1")
    assert len(first) == len(kernel_symbols(kernel, b"elf", broken))


def test_symbols_of_no_use_are_not_kept(tmp_path: Path) -> None:
    """A kernel with CONFIG_KALLSYMS=n sends none."""
    kernel = make_kernel(tmp_path)
    with pytest.raises(BadSymbolsError, match="lack the entries"):
        kernel_symbols(kernel, b"elf", make_emulator(tmp_path, f"{GOOD_END}exit 1"))
    assert kernel.symbols() is None


def test_the_probes_functions_stand_as_a_modules() -> None:
    """So that they are told from the kernel's."""
    symbols = probe_symbols(make_elf(functions={"main": (0x401000, 0x20)}), Path("p"))
    assert [Symbol(0x401000, "main", "probe", 0x20)] == symbols


@pytest.mark.parametrize(("content", "said"), [(b"", "no executable"), (make_elf(), "stripped")])
def test_a_probe_without_names_is_refused(content: bytes, said: str) -> None:
    """Its share of a call could not be named."""
    with pytest.raises(BadSymbolsError, match=said):
        probe_symbols(content, Path("p"))
