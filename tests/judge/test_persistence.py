# SPDX-License-Identifier: MIT
"""Hills and the saddles at which they merge."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sockmeter.judge.persistence import Hill, find_hills

landscapes = st.lists(st.integers(0, 20), min_size=1, max_size=40)


def test_two_hills_and_the_saddle_between_them() -> None:
    """3 and 5 stand either side of 1: the lower one dies there."""
    assert (Hill(1, 1.0, 0, 1), Hill(3, 0.0, 0, 4)) == find_hills(np.array([2.0, 3, 1, 5, 4]))


def test_empty_places_part_hills() -> None:
    hills = find_hills(np.array([1.0, 0, 2]))
    assert (Hill(0, 0.0, 0, 0), Hill(2, 0.0, 2, 2)) == hills


def test_of_equal_heights_the_leftmost_is_the_higher() -> None:
    assert (Hill(0, 0.0, 0, 2), Hill(2, 1.0, 2, 2)) == find_hills(np.array([3.0, 1, 3]))


def test_a_plateau_is_one_hill() -> None:
    assert (Hill(1, 0.0, 0, 3),) == find_hills(np.array([1.0, 2, 2, 1]))


@given(landscapes)
def test_every_saddle_is_the_highest_pass_to_a_higher_place(heights: list[int]) -> None:
    """Against the definition: of all ways to a higher place, the one that sinks least."""
    for hill in find_hills(np.array(heights, dtype=np.float64)):
        top = hill.top
        passes = [0]
        for place, height in enumerate(heights):
            if (-height, place) < (-heights[top], top):
                passes.append(min(heights[min(place, top) : max(place, top) + 1]))
        assert max(passes) == hill.saddle


@given(landscapes)
def test_the_global_maximum_is_a_hill(heights: list[int]) -> None:
    tops = {hill.top for hill in find_hills(np.array(heights, dtype=np.float64))}
    assert max(heights) == 0 or heights.index(max(heights)) in tops
