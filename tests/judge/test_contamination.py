# SPDX-License-Identifier: MIT
"""What disturbed an arm is counted, and nothing is dropped for it."""

import numpy as np

from sockmeter.judge.cells import spread
from sockmeter.judge.columns import Column
from sockmeter.judge.contamination import Contamination, find_contamination
from tests.judge.builders import WHOLE, make_column, make_costs


def contamination_of(column: Column) -> Contamination:
    return find_contamination(column, spread(column.counts, WHOLE))


def test_a_clean_arm() -> None:
    assert Contamination(
        segments=20, switched=0, involuntary_switches=0, stolen=0, steal_ns=0.0, heavy_tailed=0
    ) == contamination_of(make_column(make_costs(1)))


def test_switches_and_steal_are_counted_in_segments_and_in_all() -> None:
    column = make_column(
        make_costs(1, rounds=4),
        involuntary_switches=np.array([0, 3, 0, 1]),
        steal_ns=np.array([0.0, 1e7, np.nan, 2e7]),
    )
    seen = contamination_of(column)
    assert (2, 4) == (seen.switched, seen.involuntary_switches)
    assert (2, 3e7) == (seen.stolen, seen.steal_ns)


def test_steal_that_could_not_be_read_is_not_zero() -> None:
    seen = contamination_of(make_column(make_costs(1, rounds=2), steal_ns=np.full(2, np.nan)))
    assert (None, None) == (seen.stolen, seen.steal_ns)


def test_a_segment_with_a_tail_of_its_own_is_heavy() -> None:
    """One segment in which a twentieth of the calls cost three times as much."""
    costs = make_costs(1)
    costs[3, :100] *= 3
    assert 1 == contamination_of(make_column(costs)).heavy_tailed
