# SPDX-License-Identifier: MIT
"""Local maxima of a sequence and the saddles at which they merge into higher ones.

Zero-dimensional persistence: a level sinks from the top; a maximum is born when the level meets it
and dies where its hill touches a higher one (Edelsbrunner and Harer, Computational Topology, 2010,
chapter VII). Hills of a sequence are intervals, so their two ends are all there is to keep.
"""

from dataclasses import dataclass

import numpy as np

from sockmeter.judge.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class Hill:
    """A local maximum with its surroundings above its saddle."""

    top: int  # place of the maximum
    saddle: float  # height at which it merges with a higher hill; 0 for the highest
    first: int  # first place of the hill above the saddle
    last: int  # last one


def find_hills(heights: FloatArray) -> tuple[Hill, ...]:
    """Return the hills of `heights`, shape (places,), from left to right.

    Heights are at least 0, and places of height 0 belong to no hill. Of equal heights the leftmost
    counts as the higher.
    """
    growing: dict[int, Hill] = {}  # by either end of a hill that the level has met
    finished = []
    for place in np.argsort(-heights, kind="stable").tolist():
        height = float(heights[place])
        if height == 0.0:
            break
        left, right = growing.pop(place - 1, None), growing.pop(place + 1, None)
        touched = [hill for hill in (left, right) if hill is not None]
        touched.sort(key=lambda hill: (-heights[hill.top], hill.top))
        top = touched[0].top if touched else place
        for lower in touched[1:]:
            finished.append(Hill(lower.top, height, lower.first, lower.last))
        merged = Hill(top, 0.0, left.first if left else place, right.last if right else place)
        growing[merged.first] = growing[merged.last] = merged
    finished.extend({id(hill): hill for hill in growing.values() if hill.saddle == 0.0}.values())
    return tuple(sorted(finished, key=lambda hill: hill.top))
