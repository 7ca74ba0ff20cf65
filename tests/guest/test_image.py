# SPDX-License-Identifier: MIT
"""What is a kernel that can be counted, and what is said of everything else."""

import contextlib
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sockmeter.guest.errors import NotAKernelError, WrongArchitectureError
from sockmeter.guest.image import read_image
from tests.guest.make_kernels import make_elf, make_image


def test_a_kernel_says_its_version_and_release() -> None:
    """The release is the version's first word; the identity is the content's."""
    content = make_image("6.12.1-x (me) #7")
    image = read_image(content, "bzImage")
    assert "6.12.1-x (me) #7" == image.version
    assert "6.12.1-x" == image.release
    assert hashlib.sha256(content).hexdigest() == image.sha256


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (make_image(is_64_bit=False), "a 32-bit x86 kernel"),
        (b"\0" * 0x38 + b"ARM\x64" + b"\0" * 99, "an arm64 kernel"),
        (b"\0" * 0x30 + b"RISCV\0\0\0RSC\x05", "a RISC-V kernel"),
        (b"\x7fELF\x02\x01\x01" + b"\0" * 11 + b"\xb7\0", "another machine than x86-64"),
    ],
)
def test_another_architecture_is_named(content: bytes, said: str) -> None:
    """Rather than called no kernel at all."""
    with pytest.raises(WrongArchitectureError, match=said):
        read_image(content, "it")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"#!/bin/sh\n", "is no Linux kernel"),
        (make_elf(), "an ELF file, not a bzImage"),
        (make_image()[:0x220], "a truncated bzImage"),
        (make_image("")[:0x400], "without a version string"),
    ],
)
def test_what_is_no_kernel_is_named(content: bytes, said: str) -> None:
    """An empty file, a script, a vmlinux, a download that was cut."""
    with pytest.raises(NotAKernelError, match=said):
        read_image(content, "it")


@given(st.binary(max_size=0x300))
def test_any_bytes_are_a_kernel_or_an_error_of_ours(content: bytes) -> None:
    """Behind a valid magic too."""
    head = bytearray(make_image())
    head[0x206 : 0x206 + len(content)] = content
    for candidate in (content, bytes(head)):
        with contextlib.suppress(NotAKernelError, WrongArchitectureError):
            assert read_image(candidate, "it").version
