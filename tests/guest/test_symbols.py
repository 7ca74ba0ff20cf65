# SPDX-License-Identifier: MIT
"""Which function an address belongs to."""

import pytest

from sockmeter.guest.elf import Elf, NotElfError
from sockmeter.guest.errors import BadSymbolsError
from sockmeter.guest.symbols import Symbol, SymbolTable, parse_kallsyms
from tests.guest.make_kernels import make_elf

ENTRIES = """\
ffffffff81c00290 T irq_entries_start
ffffffff81c008f0 T spurious_entries_start
ffffffff81c00990 T asm_exc_divide_error
ffffffff81c00b20 T asm_exc_general_protection
ffffffff81c00be0 T asm_exc_page_fault
ffffffff81c00e00 T asm_common_interrupt
ffffffff81c00eb0 T asm_sysvec_apic_timer_interrupt
"""


def test_functions_are_kept_and_variables_are_not() -> None:
    """Kinds t, T, w and W are text."""
    symbols = parse_kallsyms("0000000000001000 T f\n0000000000002000 d x\n0000000000003000 W g\n")
    assert [Symbol(0x1000, "f"), Symbol(0x3000, "g")] == symbols


def test_a_module_stands_with_its_symbols() -> None:
    """The fourth column, in brackets."""
    assert [Symbol(0x1000, "dummy_xmit", "dummy")] == parse_kallsyms("1000 t dummy_xmit\t[dummy]\n")


def test_a_function_is_not_named_by_the_section_that_ends_where_it_begins() -> None:
    """As Debian's 6.12 has its retpolines; a border with an address of its own stays."""
    table = SymbolTable(
        [
            Symbol(0x100, "__softirqentry_text_end"),
            Symbol(0x100, "__x86_indirect_thunk_array"),
            Symbol(0x200, "__sched_text_end"),
        ]
    )
    names = [(found.name if found else None) for found in map(table.find, (0x100, 0x200))]
    assert ["__x86_indirect_thunk_array", "__sched_text_end"] == names


def test_an_address_belongs_to_the_function_before_it() -> None:
    """A kernel symbol reaches to the next; one of known size does not."""
    table = SymbolTable([Symbol(0x100, "f"), Symbol(0x200, "g", size=0x10)])
    names = [(found.name if found else None) for found in map(table.find, (0xFF, 0x1FF, 0x20F))]
    assert [None, "f", "g"] == names
    assert table.find(0x210) is None


def test_tables_can_be_put_together() -> None:
    """The kernel's and the probe's."""
    table = SymbolTable([Symbol(0x100, "f")]).merged([Symbol(0x400, "main", "probe", 0x10)])
    found = table.find(0x405)
    assert found is not None
    assert "main" == found.name
    assert 2 == len(table)


def test_the_entries_of_interrupts_are_found() -> None:
    """Stubs are ranges; the common entry is reached by a jump and is none."""
    vectors = SymbolTable(parse_kallsyms(ENTRIES)).vectors()
    assert (0xFFFFFFFF81C00290, 0xFFFFFFFF81C008F0) in vectors.ranges
    assert (0xFFFFFFFF81C00EB0, 0xFFFFFFFF81C00EB1) in vectors.ranges
    assert not any(low == 0xFFFFFFFF81C00E00 for low, _ in vectors.ranges)
    assert [0xFFFFFFFF81C00B20, 0xFFFFFFFF81C00BE0] == vectors.faults


def test_a_table_without_entries_is_refused() -> None:
    """What faults count could not be told."""
    with pytest.raises(BadSymbolsError, match="lack the entries"):
        SymbolTable([Symbol(0x100, "f")]).vectors()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0000000000000000 T f\n0000000000000000 T g\n", "hides its symbols' addresses"),
        ("nothing\n", "line 1 .* is not one"),
        ("1000 T f\nxyz T g\n", "line 2 .* has no address"),
    ],
)
def test_symbols_of_no_use_are_refused(text: str, said: str) -> None:
    """Hidden addresses are all zero."""
    with pytest.raises(BadSymbolsError, match=said):
        parse_kallsyms(text)


def test_functions_of_an_executable_are_read() -> None:
    """From its symbol table."""
    (function,) = Elf(make_elf(functions={"main": (0x401000, 0x20)})).functions()
    assert ("main", 0x401000, 0x20) == (function.name, function.address, function.size)


def test_a_stripped_executable_has_no_functions() -> None:
    """That is no error: its addresses stay numbers."""
    assert [] == Elf(make_elf()).functions()


@pytest.mark.parametrize("length", range(1, 200, 7))
def test_a_truncated_executable_is_refused(length: int) -> None:
    """Wherever it was cut."""
    with pytest.raises(NotElfError):
        Elf(make_elf(functions={"main": (1, 1)})[:length])
