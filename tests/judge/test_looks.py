# SPDX-License-Identifier: MIT
"""The schedule of looks is fixed beforehand and spends 5 % in all."""

import pytest

from sockmeter.judge.looks import (
    check_looks,
    divided_looks,
    look_ahead,
    look_due,
)
from sockmeter.model.runs import Look
from sockmeter.plan.designs import LOOKS


def test_the_error_is_divided_by_the_pairs() -> None:
    assert (Look(20, 0.005), Look(40, 0.0075), Look(80, 0.0125)) == divided_looks(LOOKS, 2)


def test_a_look_is_due_at_its_rounds_only() -> None:
    assert Look(40, 0.015) == look_due(LOOKS, 40)
    assert look_due(LOOKS, 41) is None


def test_the_look_ahead_is_the_next_one() -> None:
    assert Look(40, 0.015) == look_ahead(LOOKS, 20)
    assert look_ahead(LOOKS, 80) is None


@pytest.mark.parametrize(
    ("looks", "reason"),
    [
        ((), "at least one look"),
        ((Look(0, 0.05),), "ascending"),
        ((Look(20, 0.01), Look(20, 0.01)), "ascending"),
        ((Look(20, 0.0),), "above 0"),
        ((Look(20, 0.04), Look(40, 0.02)), "more than 0.05"),
    ],
)
def test_a_schedule_that_cannot_be_followed_is_refused(
    looks: tuple[Look, ...], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        check_looks(looks)


def test_no_pairs_cannot_share_an_error() -> None:
    with pytest.raises(ValueError, match="at least one pair"):
        divided_looks(LOOKS, 0)
