# SPDX-License-Identifier: MIT
"""Builders: the smallest images, modules and ELF files that say what a test is about."""

import struct

_SECTION = struct.Struct("<IIQQQQIIQQ")


def make_image(
    version: str = "6.1.0-test (builder) #1 SMP", *, is_64_bit: bool = True, tail: bytes = b""
) -> bytes:
    """Return a bzImage's header with that version string, and `tail` behind it."""
    content = bytearray(0x400)
    content[0x1FE:0x200] = b"\x55\xaa"
    content[0x202:0x206] = b"HdrS"
    struct.pack_into("<H", content, 0x206, 0x20F)
    struct.pack_into("<H", content, 0x20E, 0x400 - 0x200)
    struct.pack_into("<H", content, 0x236, 1 if is_64_bit else 0)
    return bytes(content) + version.encode() + b"\0" + tail


def make_elf(
    *,
    modinfo: dict[str, str] | None = None,
    functions: dict[str, tuple[int, int]] | None = None,
) -> bytes:
    """Return a 64-bit ELF file; `functions` maps a name to address and size."""
    names = b"\0.shstrtab\0.modinfo\0.strtab\0.symtab\0"
    modinfo_bytes = b"".join(f"{key}={text}\0".encode() for key, text in (modinfo or {}).items())
    strings, symbols = b"\0", b"\0" * 24
    for function, (address, size) in (functions or {}).items():
        symbols += struct.pack("<IBBHQQ", len(strings), 2, 0, 1, address, size)
        strings += function.encode() + b"\0"
    sections: list[tuple[bytes, int, bytes, int]] = [(b"", 0, b"", 0), (b".shstrtab", 3, names, 0)]
    if modinfo is not None:
        sections.append((b".modinfo", 1, modinfo_bytes, 0))
    if functions is not None:
        sections.append((b".strtab", 3, strings, 0))
        sections.append((b".symtab", 2, symbols, len(sections) - 1))
    body, headers = b"", b""
    for name, kind, content, link in sections:
        offset = 64 + len(body)
        body += content
        headers += _SECTION.pack(
            names.index(name + b"\0"), kind, 0, 0, offset, len(content), link, 0, 1, 0
        )
    header = struct.pack(
        "<16sHHIQQQIHHHHHH",
        b"\x7fELF\x02\x01\x01",
        *(1, 62, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64, len(sections), 1),
    )
    return header + body + headers


def make_module(release: str = "6.1.0-test", depends: str = "") -> bytes:
    """Return a module of that kernel that needs the comma-separated `depends`."""
    return make_elf(modinfo={"depends": depends, "vermagic": f"{release} SMP mod_unload"})
