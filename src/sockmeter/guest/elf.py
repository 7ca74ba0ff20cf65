# SPDX-License-Identifier: MIT
"""As much of a 64-bit little-endian ELF file as modules and the probe need (elf(5))."""

import struct
from dataclasses import dataclass

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_IDENT = b"\x7fELF\x02\x01"
_SYMTAB = 2
_FUNCTION = 2
MACHINE_X86_64 = 62


class NotElfError(ValueError):
    """The bytes are no whole 64-bit little-endian ELF file."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its name and where it lies in the file."""

    name: str
    kind: int
    offset: int  # bytes
    size: int  # bytes
    link: int  # index of another section; of a symbol table, its names


@dataclass(frozen=True, slots=True)
class Function:
    """One function of the symbol table."""

    name: str
    address: int
    size: int  # bytes


class Elf:
    """An ELF file in memory; raises NotElfError where it is none."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        try:
            fields = _HEADER.unpack_from(content)
            if not content.startswith(_IDENT):
                raise NotElfError("no 64-bit little-endian ELF file")
            self.machine: int = fields[2]
            offset, size, count, names = fields[6], fields[11], fields[12], fields[13]
            raw = [_SECTION.unpack_from(content, offset + size * at) for at in range(count)]
        except struct.error as error:
            raise NotElfError("a truncated ELF file") from error
        self.sections: list[Section] = []
        if not raw:
            return
        if names >= len(raw):
            raise NotElfError("an ELF file whose section names are missing")
        for name, kind, _, _, start, length, link, *_ in raw:
            self.sections.append(
                Section(self._text(raw[names][4] + name), kind, start, length, link)
            )

    def section(self, name: str) -> bytes | None:
        """Return the content of the first section of that name; None where there is none."""
        for section in self.sections:
            if section.name == name:
                return self._content[section.offset : section.offset + section.size]
        return None

    def functions(self) -> list[Function]:
        """Return the functions of the symbol table; empty for a stripped file."""
        found = []
        for table in self.sections:
            if table.kind != _SYMTAB:
                continue
            if table.link >= len(self.sections):
                raise NotElfError("an ELF file whose symbol names are missing")
            names = self.sections[table.link].offset
            whole = self._content[table.offset : table.offset + table.size]
            if len(whole) % _SYMBOL.size:
                raise NotElfError("a truncated ELF file")
            for name, kind, _, _, address, size in _SYMBOL.iter_unpack(whole):
                if kind & 15 == _FUNCTION and address:
                    found.append(Function(self._text(names + name), address, size))
        return found

    def _text(self, offset: int) -> str:
        end = self._content.find(b"\0", offset)
        if end < 0:
            raise NotElfError("a truncated ELF file")
        return self._content[offset:end].decode("ascii", "replace")
