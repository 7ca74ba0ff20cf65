# SPDX-License-Identifier: MIT
"""The `newc` cpio format that the kernel unpacks as its first root file system.

Nothing of the building machine enters the archive: owners, times and inode numbers are fixed, so
that equal contents give equal bytes. Format: buffer-format.rst in the kernel's
Documentation/driver-api/early-userspace.
"""

from collections.abc import Iterable
from dataclasses import dataclass

_MAGIC = b"070701"
_DIRECTORY = 0o040755
_CHARACTER_DEVICE = 0o020600
_REGULAR = 0o100000


@dataclass(frozen=True, slots=True)
class Entry:
    """One member of the archive; `path` is relative to the root and has no leading slash."""

    path: str
    content: bytes = b""
    mode: int = _REGULAR | 0o644
    device: tuple[int, int] = (0, 0)  # major, minor; of a device node


def directory(path: str) -> Entry:
    """Return a directory, mode 0755."""
    return Entry(path, mode=_DIRECTORY)


def regular(path: str, content: bytes, *, is_executable: bool = False) -> Entry:
    """Return a regular file, mode 0644 or 0755."""
    return Entry(path, content, _REGULAR | (0o755 if is_executable else 0o644))


def character_device(path: str, major: int, minor: int) -> Entry:
    """Return a character device node, mode 0600."""
    return Entry(path, mode=_CHARACTER_DEVICE, device=(major, minor))


def pack(entries: Iterable[Entry]) -> bytes:
    """Return the archive of `entries` in their order; ValueError for a path given twice."""
    seen: set[str] = set()
    parts: list[bytes] = []
    for inode, entry in enumerate(entries, start=1):
        if entry.path in seen:
            raise ValueError(f"{entry.path} stands in the archive twice")
        seen.add(entry.path)
        parts.append(_member(entry, inode))
    parts.append(_member(Entry("TRAILER!!!", mode=0), 0))
    return b"".join(parts)


def _member(entry: Entry, inode: int) -> bytes:
    name = entry.path.encode() + b"\0"
    links = 2 if entry.mode & 0o170000 == 0o040000 else 1
    fields = (
        inode,
        entry.mode,
        0,  # owner
        0,  # group
        links,
        0,  # modification time
        len(entry.content),
        0,  # device of the file system, major
        0,  # and minor
        *entry.device,
        len(name),
        0,  # checksum, unused in this variant
    )
    header = _MAGIC + b"".join(b"%08X" % field for field in fields)
    return _padded(header + name) + _padded(entry.content)


def _padded(block: bytes) -> bytes:
    return block + b"\0" * (-len(block) % 4)
