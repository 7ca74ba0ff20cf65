# SPDX-License-Identifier: MIT
"""What the guest finds when it wakes."""

import pytest

from sockmeter.guest.initramfs import build
from sockmeter.guest.modules import Module
from tests.guest.test_cpio import read_archive


def test_the_guest_has_its_probe_plan_and_set_up() -> None:
    """Modules first, then sysctls, then symbols, as probe/init.c obeys them."""
    archive = read_archive(
        build(
            b"elf",
            "end\n",
            modules=[Module("b", b"B"), Module("a", b"A")],
            sysctls={"net.core.rmem_max": "1 2"},
            symbols="modules",
        )
    )
    assert (0o100755, b"elf") == archive["init"]
    assert b"end\n" == archive["plan"][1]
    assert b"A" == archive["modules/a.ko"][1]
    assert (
        b"module /modules/b.ko\nmodule /modules/a.ko\n"
        b"sysctl net.core.rmem_max 1 2\nsymbols modules\n"
    ) == archive["setup"][1]


def test_equal_guests_are_equal_bytes() -> None:
    """Nothing of the machine or the moment is in them."""
    assert build(b"elf", "end\n") == build(b"elf", "end\n")


@pytest.mark.parametrize(("name", "value"), [("", "1"), ("a b", "1"), ("a", "1\nmodule x")])
def test_a_sysctl_that_is_no_line_is_refused(name: str, value: str) -> None:
    """It would be another statement."""
    with pytest.raises(ValueError, match="sysctl"):
        build(b"", "", sysctls={name: value})
