# SPDX-License-Identifier: MIT
"""A seeded part of the acceptance table; `python -m tests.simulation.bench` runs all of it.

The seeds are fixed, so a failure is a change of the judge and not of luck.
"""

import pytest

from sockmeter.judge.verdict import Word
from sockmeter.plan.designs import LOOKS
from tests.simulation.machine import Machine
from tests.simulation.rows import (
    DIFFERENT,
    ROWS,
    at_least,
    at_most,
    identical_arms,
    means_of_identical_arms,
    shift_of_identical_arms,
)
from tests.simulation.trials import try_fixed, try_looks

BOUND_OF_250 = 20  # 67 of 1,000 is nominal plus 2.7 sd; so is 20 of 250


@pytest.mark.parametrize("machine", Machine)
def test_identical_arms_are_called_different_no_more_often_than_stated(machine: Machine) -> None:
    (reached,) = identical_arms(machine, seed=1, runs=250, bound=BOUND_OF_250)
    assert reached.holds, reached


@pytest.mark.parametrize("name", ["resonance", "exact", "buckets"])
def test_a_quick_row_of_the_table_holds(name: str) -> None:
    for reached in ROWS[name](3):
        assert reached.holds, reached


def test_identical_arms_with_looks_end_with_no_difference() -> None:
    tally = try_looks(Machine.S4, LOOKS, 60, seed=4)
    assert at_most("different", tally.count(*DIFFERENT), 3).holds
    assert at_least("no difference", tally.share(Word.NO_DIFFERENCE), 0.95).holds


def test_a_change_of_the_size_of_the_effect_is_found_within_the_looks() -> None:
    tally = try_looks(Machine.S4, LOOKS, 100, seed=5, true_change=0.01)
    assert at_least("slower", tally.share(Word.SLOWER), 0.95).holds
    assert at_most("mean rounds", tally.mean_rounds, 45).holds
    assert at_least("coverage", tally.coverage, 0.95).holds


def test_a_change_of_two_percent_is_found_in_twenty_rounds() -> None:
    tally = try_fixed(Machine.S4, 20, 100, seed=6, true_change=0.02)
    assert at_least("slower", tally.share(Word.SLOWER), 0.95).holds


def test_identical_arms_are_told_apart_by_their_means_no_more_often() -> None:
    """Though a second is lost in a segment of fifty."""
    for reached in means_of_identical_arms(8, machines=[Machine.S4], runs=250, bound=BOUND_OF_250):
        assert reached.holds, reached


def test_the_shift_function_of_identical_arms_is_flat() -> None:
    """Any quantile of eleven outside the band, in 300 runs; 25 is nominal plus 2.7 sd."""
    (reached,) = shift_of_identical_arms(7, runs=300, bound=25)
    assert reached.holds, reached
