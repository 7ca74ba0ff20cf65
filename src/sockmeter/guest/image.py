# SPDX-License-Identifier: MIT
"""What a kernel image says of itself, read from the boot protocol's header without booting it.

The header: Documentation/arch/x86/boot.rst, "The Real-Mode Kernel Header".
"""

import hashlib
import struct
from dataclasses import dataclass

from sockmeter.guest.elf import MACHINE_X86_64
from sockmeter.guest.errors import NotAKernelError, WrongArchitectureError

_BOOT_FLAG = 0x1FE
_MAGIC = 0x202
_PROTOCOL = 0x206
_VERSION_POINTER = 0x20E
_XLOADFLAGS = 0x236
_XLF_KERNEL_64 = 1
_PROTOCOL_WITH_XLOADFLAGS = 0x20C
_ELF_MACHINE = 18


@dataclass(frozen=True, slots=True)
class Image:
    """A bzImage for x86-64."""

    sha256: str  # of the whole file, hexadecimal
    version: str  # as in /proc/version from the release on: release, builder, build number, date

    @property
    def release(self) -> str:
        """The first word of the version: what `uname -r` prints."""
        return self.version.split(" ", 1)[0]


def read_image(content: bytes, name: str) -> Image:
    """Return what the image in `content` says of itself.

    `name` is what a message calls it. Raises NotAKernelError for anything but a bzImage, and
    WrongArchitectureError for a kernel of another machine.
    """
    if (
        content[_MAGIC : _MAGIC + 4] != b"HdrS"
        or content[_BOOT_FLAG : _BOOT_FLAG + 2] != b"\x55\xaa"
    ):
        raise _what_it_is(content, name)
    try:
        (protocol,) = struct.unpack_from("<H", content, _PROTOCOL)
        (pointer,) = struct.unpack_from("<H", content, _VERSION_POINTER)
        (xloadflags,) = struct.unpack_from("<H", content, _XLOADFLAGS)
    except struct.error:
        raise NotAKernelError(f"{name} is a truncated bzImage") from None
    if protocol < _PROTOCOL_WITH_XLOADFLAGS or not xloadflags & _XLF_KERNEL_64:
        raise WrongArchitectureError(
            f"{name} is a 32-bit x86 kernel", mend="the exact rig emulates x86-64: CONFIG_64BIT=y"
        )
    start = pointer + 0x200
    end = content.find(b"\0", start, start + 512)
    if not pointer or end <= start:
        raise NotAKernelError(f"{name} is a bzImage without a version string")
    version = content[start:end].decode("ascii", "replace")
    return Image(hashlib.sha256(content).hexdigest(), version)


def _what_it_is(content: bytes, name: str) -> NotAKernelError | WrongArchitectureError:
    if content[0x38:0x3C] == b"ARM\x64":
        return WrongArchitectureError(
            f"{name} is an arm64 kernel", mend="the exact rig emulates x86-64"
        )
    if (
        content[0x30:0x38] in (b"RISCV\0\0\0", b"RSC\x05RSC\x05")
        or content[0x38:0x3C] == b"RSC\x05"
    ):
        return WrongArchitectureError(
            f"{name} is a RISC-V kernel", mend="the exact rig emulates x86-64"
        )
    if content.startswith(b"\x7fELF"):
        if content[_ELF_MACHINE : _ELF_MACHINE + 2] not in (
            MACHINE_X86_64.to_bytes(2, "little"),
            b"",
        ):
            return WrongArchitectureError(f"{name} is an ELF file of another machine than x86-64")
        return NotAKernelError(
            f"{name} is an ELF file, not a bzImage",
            mend="give arch/x86/boot/bzImage of the build, not vmlinux",
        )
    if not content:
        return NotAKernelError(f"{name} is empty")
    return NotAKernelError(f"{name} is no Linux kernel: the boot protocol's header is missing")
