# SPDX-License-Identifier: MIT
"""Which function an address belongs to: the kernel's own table, its modules, and the probe.

The kernel's table is what the guest itself read in /proc/kallsyms, so that it needs no debug
package and knows modules where they were loaded. Without address randomisation it is the same in
every boot of an image.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from sockmeter.guest.errors import BadSymbolsError

# Entries of interrupts and exceptions: arch/x86/include/asm/idtentry.h. The two common ones are
# reached by a jump from their stubs, which are ranges of their own.
_VECTOR = re.compile(r"asm_(exc|sysvec)_\w+")
_VECTOR_STUBS = ("irq_entries_start", "spurious_entries_start")
# Where the linker's sections begin and end (include/asm-generic/vmlinux.lds.h): no functions,
# though some share the address of one.
_BORDER = re.compile(r"__\w+_text_(start|end)|_[se]text|__indirect_thunk_(start|end)")
_FAULTS = ("asm_exc_page_fault", "asm_exc_general_protection")


@dataclass(frozen=True, slots=True, order=True)
class Symbol:
    """One function: it reaches to the next symbol, or `size` bytes where that is known."""

    address: int
    name: str
    module: str = ""  # "" for the kernel itself
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Vectors:
    """Where interrupts and exceptions enter the kernel."""

    ranges: list[tuple[int, int]]  # [low, high)
    faults: list[int]  # of exceptions whose instruction begins anew afterwards


class SymbolTable:
    """Looks up the function of an address."""

    def __init__(self, symbols: Iterable[Symbol]) -> None:
        by_address: dict[int, Symbol] = {}
        for symbol in sorted(symbols, key=lambda each: (bool(_BORDER.fullmatch(each.name)), each)):
            by_address.setdefault(symbol.address, symbol)
        self._symbols = sorted(by_address.values())
        self._addresses = [symbol.address for symbol in self._symbols]

    def __len__(self) -> int:
        return len(self._symbols)

    def find(self, address: int) -> Symbol | None:
        """Return the function that holds `address`; None before the first and past a known end."""
        at = bisect_right(self._addresses, address) - 1
        if at < 0:
            return None
        symbol = self._symbols[at]
        if symbol.size is not None and address >= symbol.address + symbol.size:
            return None
        return symbol

    def end_of(self, symbol: Symbol) -> int:
        """Return the first address behind `symbol`; its own for a last one of unknown size."""
        if symbol.size is not None:
            return symbol.address + symbol.size
        at = bisect_right(self._addresses, symbol.address)
        return self._addresses[at] if at < len(self._addresses) else symbol.address

    def merged(self, others: Iterable[Symbol]) -> "SymbolTable":
        """Return a table that has `others` too."""
        return SymbolTable([*self._symbols, *others])

    def vectors(self) -> Vectors:
        """Return the entries of interrupts and exceptions; BadSymbolsError when there are none."""
        ranges = [
            (
                symbol.address,
                self.end_of(symbol) if symbol.name in _VECTOR_STUBS else symbol.address + 1,
            )
            for symbol in self._symbols
            if symbol.name in _VECTOR_STUBS or _VECTOR.fullmatch(symbol.name)
        ]
        faults = [symbol.address for symbol in self._symbols if symbol.name in _FAULTS]
        if not ranges or len(faults) < len(_FAULTS):
            raise BadSymbolsError(
                "the guest's symbols lack the entries of interrupts and page faults"
            )
        return Vectors(ranges, faults)


def parse_kallsyms(text: str) -> list[Symbol]:
    """Return the functions of /proc/kallsyms.

    Raises BadSymbolsError for a foreign line and where all addresses are hidden.

    A line is `address kind name` with a fourth column `[module]` for a module's symbol (proc(5)).
    """
    symbols = []
    for number, line in enumerate(text.splitlines(), start=1):
        match line.split():
            case [address, kind, name]:
                module = ""
            case [address, kind, name, column]:
                module = column.strip("[]")
            case _:
                raise BadSymbolsError(f"line {number} of the guest's symbols is not one: {line!r}")
        if kind in "tTwW":
            symbols.append(_symbol(address, name, module, number))
    if symbols and not any(symbol.address for symbol in symbols):
        raise BadSymbolsError(
            "the guest's kernel hides its symbols' addresses (kernel.kptr_restrict)"
        )
    return symbols


def _symbol(address: str, name: str, module: str, number: int) -> Symbol:
    try:
        return Symbol(int(address, 16), name, module)
    except ValueError:
        raise BadSymbolsError(f"line {number} of the guest's symbols has no address") from None
