# SPDX-License-Identifier: MIT
"""Kernels that need care."""

import pytest

from sockmeter.guest.quirks import starts_one_cpu_only


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        ("6.1.0-57-cloud-amd64", True),
        ("6.12.118+deb13-cloud-amd64", False),
        ("6.10.1", False),
        ("next", False),
    ],
)
def test_a_series_is_known_by_its_release(release: str, expected: bool) -> None:
    """6.1 is not 6.10."""
    assert expected == starts_one_cpu_only(release)
