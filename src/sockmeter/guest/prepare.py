# SPDX-License-Identifier: MIT
"""What must be known of a kernel before its first count: that it boots, and its symbols."""

import threading
from pathlib import Path

from sockmeter.guest.boot import Guest, Limits, boot
from sockmeter.guest.elf import Elf, NotElfError
from sockmeter.guest.errors import BadSymbolsError
from sockmeter.guest.kernels import Kernel
from sockmeter.guest.qemu import DEFAULT_CPU_MODEL, Qemu
from sockmeter.guest.symbols import Symbol, SymbolTable, parse_kallsyms

_PROBE = "probe"  # stands behind its functions as a module's name does


def kernel_symbols(
    kernel: Kernel,
    probe: bytes,
    emulator: Qemu,
    *,
    cpu_model: str = DEFAULT_CPU_MODEL,
    stop: threading.Event | None = None,
) -> SymbolTable:
    """Return the kernel's symbols, from the store or from a first boot, which then keeps them.

    Raises BootError's kinds where it does not boot, and BadSymbolsError where the symbols are of
    no use for counting.
    """
    text = kernel.symbols()
    if text is None:
        guest = Guest(kernel=kernel.image, probe=probe, plan="", symbols="all", cpu_model=cpu_model)
        text = boot(guest, emulator, Limits(), stop=stop).symbols
    table = SymbolTable(parse_kallsyms(text))
    table.vectors()
    if kernel.symbols() is None:
        kernel.keep_symbols(text)
    return table


def probe_symbols(probe: bytes, path: Path) -> list[Symbol]:
    """Return the probe's functions; BadSymbolsError where it is no executable or stripped."""
    try:
        functions = Elf(probe).functions()
    except NotElfError as error:
        raise BadSymbolsError(f"{path} is no executable: {error}") from error
    if not functions:
        raise BadSymbolsError(f"{path} was stripped: its functions have no names")
    return [Symbol(one.address, one.name, _PROBE, one.size) for one in functions]
