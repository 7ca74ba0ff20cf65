# SPDX-License-Identifier: MIT
"""A shift is split into calls that changed mode and modes that changed cost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sockmeter.judge.mix import Mode, modes_of, split_shift
from sockmeter.judge.peaks import peaks_of
from tests.judge.builders import make_cells, make_costs


def test_calls_that_moved_between_unchanged_modes_are_mix() -> None:
    """A tenth of the calls went from 1000 to 1300: +30 ticks, all of it mix."""
    split = split_shift(
        [Mode(share=0.6, mean=1000.0), Mode(share=0.4, mean=1300.0)],
        [Mode(share=0.5, mean=1000.0), Mode(share=0.5, mean=1300.0)],
    )
    assert (30.0, 0.0) == pytest.approx((split.mix, split.within))


def test_modes_that_became_dearer_with_unchanged_shares_are_within() -> None:
    split = split_shift(
        [Mode(share=0.6, mean=1000.0), Mode(share=0.4, mean=1300.0)],
        [Mode(share=0.6, mean=1010.0), Mode(share=0.4, mean=1310.0)],
    )
    assert (0.0, 10.0) == pytest.approx((split.mix, split.within))


@given(st.lists(st.tuples(*[st.integers(1, 1000)] * 4), min_size=1, max_size=4))
def test_the_two_parts_add_up_to_the_shift_of_the_mean(rows: list[tuple[int, ...]]) -> None:
    sums = [sum(row[0] for row in rows), sum(row[1] for row in rows)]
    before = [Mode(share=row[0] / sums[0], mean=float(row[2])) for row in rows]
    after = [Mode(share=row[1] / sums[1], mean=float(row[3])) for row in rows]
    shift = sum(mode.share * mode.mean for mode in after) - sum(
        mode.share * mode.mean for mode in before
    )
    split = split_shift(before, after)
    assert shift == pytest.approx(split.mix + split.within, abs=1e-6)


def test_modes_reach_from_valley_to_valley() -> None:
    cells = make_cells(make_costs(1, calls=10_000))
    fast, slow = modes_of(cells, peaks_of(cells), 10_000.0)
    assert 0.6 == pytest.approx(fast.share, abs=0.02)
    assert (1000, 1300) == pytest.approx((fast.mean, slow.mean), rel=0.02)


def test_the_cap_keeps_a_stall_from_deciding_a_modes_mean() -> None:
    """One call of 10**9 ticks among some 1,500 counts as 10,000: 6 ticks of the mean."""
    costs = make_costs(1, rounds=2)
    stalled = costs.copy()
    stalled[0, costs[0].argmax()] = 10**9
    quiet, shaken = (
        modes_of(cells, peaks_of(cells), 10_000.0)[-1].mean
        for cells in (make_cells(costs), make_cells(stalled))
    )
    assert quiet == pytest.approx(shaken, abs=7)


def test_different_numbers_of_modes_cannot_be_matched() -> None:
    with pytest.raises(ValueError, match="1 modes cannot be matched with 2"):
        split_shift([Mode(share=1.0, mean=1.0)], [Mode(share=0.5, mean=1.0)] * 2)
