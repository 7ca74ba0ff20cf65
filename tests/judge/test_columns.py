# SPDX-License-Identifier: MIT
"""An arm's segments become arrays, a row for each kept round."""

import numpy as np

from sockmeter.judge.columns import column_of
from sockmeter.judge.counts import Mode
from sockmeter.model.buckets import bucket_of
from tests.builders import make_round, make_segment
from tests.judge.builders import make_column


def test_every_field_comes_from_the_segment_of_the_arm() -> None:
    segment = make_segment(
        1,
        [100, 100, 20_000],
        over_cap_count=1,
        over_cap_sum=20_000,
        involuntary_switches=2,
        steal_ns=None,
    )
    column = column_of([make_round(2, [make_segment(0), segment], cap=10_000)], 1)
    assert column is not None
    assert (2, 1) == (column.counts[0, 100], column.counts[0, bucket_of(20_000)])
    assert (3, 20_200) == (column.count[0], column.sum[0])
    assert (100, 20_000) == (column.least[0], column.most[0])
    assert (10_000.0, 1, 20_000) == (
        column.cap[0],
        column.over_cap_count[0],
        column.over_cap_sum[0],
    )
    assert (1, 2) == (column.position[0], column.involuntary_switches[0])
    assert np.isnan(column.steal_ns[0])


def test_dropped_rounds_are_left_out_whole() -> None:
    rounds = [
        make_round(1, [make_segment(0)]),
        make_round(2, [make_segment(0)], dropped="clock ran back"),
        make_round(3, [make_segment(0)]),
    ]
    column = column_of(rounds, 0)
    assert column is not None
    assert 2 == column.rounds


def test_an_arm_without_a_segment_in_some_round_has_no_column() -> None:
    rounds = [make_round(1, [make_segment(0), make_segment(1)]), make_round(2, [make_segment(0)])]
    assert column_of(rounds, 1) is None


def test_no_kept_round_makes_no_column() -> None:
    assert column_of([], 0) is None


def test_calls_beyond_the_range_are_in_the_last_bucket() -> None:
    column = column_of([make_round(1, [make_segment(0, beyond_range=3)])], 0)
    assert column is not None
    assert 3 == column.counts[0, -1]


def test_a_column_is_cut_in_every_array() -> None:
    costs = np.full((3, 4), 100)
    modes = (Mode(cost=100, share=1.0),) * 3
    cut = make_column(costs, modes=modes).first(2)
    lengths = {len(rows) for name in cut.__slots__ if (rows := getattr(cut, name)) is not None}
    assert {2} == lengths
