# SPDX-License-Identifier: MIT
"""Which of Debian's packages is meant."""

import pytest

from sockmeter.guest.debian import Wish

NAMES = [
    "linux-image-6.1.0-57-amd64",
    "linux-image-6.1.0-57-amd64-dbg",
    "linux-image-6.1.0-57-amd64-unsigned",
    "linux-image-6.1.0-57-cloud-amd64",
    "linux-image-6.1.0-57-rt-amd64",
    "linux-image-6.12.117+deb13-cloud-amd64",
    "linux-image-6.12.9+bpo-amd64",
    "linux-image-amd64",
    "linux-image-cloud-amd64",
]


def fitting(words: str, flavour: str = "cloud") -> list[str]:
    pattern = Wish(words, flavour).pattern()
    return [name.removeprefix("linux-image-") for name in NAMES if pattern.fullmatch(name)]


def test_a_flavour_means_its_own_packages() -> None:
    """Neither debug symbols, nor unsigned ones, nor the empty packages that follow the newest."""
    assert ["6.1.0-57-cloud-amd64", "6.12.117+deb13-cloud-amd64"] == fitting("6.1", "cloud")
    assert ["6.1.0-57-amd64", "6.12.9+bpo-amd64"] == fitting("6.1", "generic")
    assert ["6.1.0-57-rt-amd64"] == fitting("6.1", "rt")


def test_a_package_name_means_itself() -> None:
    """Whatever its flavour."""
    assert ["6.1.0-57-amd64"] == fitting("linux-image-6.1.0-57-amd64")


@pytest.mark.parametrize(
    ("words", "version", "is_meant"),
    [
        ("6.1", "6.1.192-3", True),
        ("6.1", "6.12.117-1", False),
        ("6.1.192", "6.1.192-3", True),
        ("6.1.192-3", "6.1.192-3", True),
        ("6.1.192-3", "6.1.192-30", False),
        ("6.12.95-1", "6.12.95-1~bpo12+1", True),
        ("linux-image-6.1.0-57-amd64", "6.1.192-3", True),
    ],
)
def test_a_version_means_its_beginning(words: str, version: str, is_meant: bool) -> None:
    """Up to the next part: 6.1 is not 6.12."""
    assert is_meant == Wish(words).admits(version)


def test_the_series_suite_is_looked_in_too() -> None:
    """6.12 belongs to trixie, also on a machine that is set up for bookworm."""
    own = ["bookworm", "bookworm-updates"]
    assert [*own, "trixie"] == Wish("6.12.95").suites(own)
    assert own == Wish("6.1").suites(own)
    assert own == Wish("5.19").suites(own)
    assert ["sid"] == Wish("6.12", suite="sid").suites(own)
