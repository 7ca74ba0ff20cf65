# SPDX-License-Identifier: MIT
"""What the guest finds when it wakes."""

import pytest

from sockmeter.guest.devices import Device
from sockmeter.guest.initramfs import build
from sockmeter.guest.modules import Module
from tests.guest.test_cpio import read_archive


def test_the_guest_has_its_probe_plan_and_set_up() -> None:
    """Modules first, then devices, sysctls and symbols, as probe/init.c obeys them."""
    archive = read_archive(
        build(
            b"elf",
            "end\n",
            modules=[Module("b", b"B"), Module("a", b"A")],
            devices=[
                Device("lo"),
                Device("ifb0", ("198.18.2.1/24", "2001:2:0:2::1/64"), 9000, {"rx-gro": False}),
            ],
            sysctls={"net.core.rmem_max": "1 2"},
            symbols="modules",
        )
    )
    assert (0o100755, b"elf") == archive["init"]
    assert b"end\n" == archive["plan"][1]
    assert b"A" == archive["modules/a.ko"][1]
    assert (
        b"module /modules/b.ko\nmodule /modules/a.ko\n"
        b"up lo\nup ifb0\naddress ifb0 198.18.2.1/24\naddress ifb0 2001:2:0:2::1/64\n"
        b"mtu ifb0 9000\noffload ifb0 rx-gro off\n"
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
