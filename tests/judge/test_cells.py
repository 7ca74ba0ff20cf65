# SPDX-License-Identifier: MIT
"""Calls are spread over what the clock's step leaves open, and none is lost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sockmeter.judge.cells import Layout, pooled, probe_layout, spread
from sockmeter.model.buckets import BUCKET_COUNT, bucket_lowers, bucket_of, bucket_uppers
from tests.judge.builders import make_cells


def test_a_value_is_spread_over_one_step_of_the_clock_around_it() -> None:
    """1040 = 40 x 26 lies in the bucket [1040, 1048): it stands for [1027, 1053)."""
    cells = make_cells(np.array([[1040]]), 26)
    assert ([1027.0], [1053.0]) == (cells.lowers.tolist(), cells.uppers.tolist())


def test_a_bucket_of_several_multiples_is_spread_over_all_of_them() -> None:
    """[5056, 5088) holds 5070 only; [4992, 5024) holds 4992 and 5018, so [4979, 5031)."""
    cells = make_cells(np.array([[5018]]), 26)
    assert ([4979.0], [5031.0]) == (cells.lowers.tolist(), cells.uppers.tolist())


def test_a_bucket_without_a_multiple_goes_to_the_nearest_one() -> None:
    """[1048, 1056) holds no multiple of 26; 1040 and 1066 are the neighbours, 1040+12 is nearer."""
    cells = make_cells(np.array([[1050, 1040]]), 26)
    assert ([1027.0], [[2.0]]) == (cells.lowers.tolist(), cells.counts.tolist())


def test_without_a_quantum_a_cell_is_its_bucket() -> None:
    cells = make_cells(np.array([[1040]]), None)
    assert ([1040.0], [1048.0]) == (cells.lowers.tolist(), cells.uppers.tolist())


@given(st.integers(1, 100), st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=50))
def test_cells_tile_the_axis_and_keep_every_call(quantum: int, costs: list[int]) -> None:
    """Whatever the step: no gap, no overlap, no call lost."""
    cells = make_cells(np.array([costs]), quantum)
    assert len(costs) == cells.totals[0]
    assert np.array_equal(cells.uppers[:-1], cells.lowers[1:])


@given(st.integers(1, 100), st.integers(0, 10**6))
def test_a_multiple_of_the_step_lies_in_its_own_cell(quantum: int, multiple: int) -> None:
    value = quantum * (multiple % (2**31 // quantum))
    cells = make_cells(np.array([[value]]), quantum)
    assert cells.lowers[0] <= value < cells.uppers[0]


def test_pooling_adds_the_rounds() -> None:
    cells = pooled(make_cells(np.array([[100, 101], [100, 100]])))
    assert [[3.0, 1.0]] == cells.counts.tolist()


def test_an_empty_round_is_refused() -> None:
    counts = np.zeros((2, BUCKET_COUNT), dtype=np.int64)
    counts[0, bucket_of(1000)] = 1
    with pytest.raises(ValueError, match="without a recorded call"):
        spread(counts, probe_layout(1))


@pytest.mark.parametrize(
    ("lowers", "uppers", "counts", "quantum", "reason"),
    [
        ([0.0, 1.0], [1.0, np.inf], [[1, 1]], None, "open bucket"),
        ([0.0, 1.0], [2.0, 3.0], [[1, 1]], None, "ascending and disjoint"),
        ([0.0, 1.0], [1.0, 2.0], [[1, -1]], None, "negative"),
        ([0.0, 1.0], [1.0, 2.0], [[1, 1, 1]], None, "do not fit"),
        ([0.0, 1.0], [1.0, 2.0], [[1, 1]], 0, "positive"),
        ([1.0, 2.0], [2.0, 3.0], [[1, 1]], 26, "no bucket holds"),
    ],
)
def test_a_layout_that_makes_no_sense_is_refused(
    lowers: list[float],
    uppers: list[float],
    counts: list[list[int]],
    quantum: int | None,
    reason: str,
) -> None:
    layout = Layout(np.array(lowers), np.array(uppers), quantum)
    with pytest.raises(ValueError, match=reason):
        spread(np.array(counts), layout)


def test_the_probes_layout_is_the_models() -> None:
    layout = probe_layout(26)
    assert np.array_equal(bucket_lowers(), layout.lowers)
    assert np.array_equal(bucket_uppers(), layout.uppers)
