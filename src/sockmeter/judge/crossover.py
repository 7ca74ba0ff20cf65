# SPDX-License-Identifier: MIT
"""The message size from which zerocopy pays, with the interval that the rounds leave for it."""

import math
from collections.abc import Sequence

import msgspec

from sockmeter.judge.intervals import Interval


class Crossing(msgspec.Struct, frozen=True, kw_only=True):
    """Where the cheaper of two ways changes, bytes of a message."""

    estimate: float | None  # None where the difference does not change its sign
    low: int | None  # the largest size at which it is known not to pay yet; None: no size is
    high: int | None  # the size from which on every one is known to pay; None: none is


def find_crossing(sizes: Sequence[int], differences: Sequence[Interval]) -> Crossing:
    """Return the crossing of cost differences (log ratios, negative: it pays) at rising sizes.

    The estimate is linear between the logarithms of the two sizes where the sign changes for the
    last time. ValueError where sizes do not rise or there are fewer than two.
    """
    if len(sizes) < 2 or list(sizes) != sorted(set(sizes)) or len(sizes) != len(differences):
        raise ValueError("a crossing needs rising sizes, and a difference for each")
    high = None
    for size, difference in zip(reversed(sizes), reversed(differences), strict=True):
        if difference.high >= 0:
            break
        high = size
    known = [
        size
        for size, difference in zip(sizes, differences, strict=True)
        if difference.low > 0 and (high is None or size < high)
    ]
    return Crossing(estimate=_estimate(sizes, differences), low=max(known, default=None), high=high)


def _estimate(sizes: Sequence[int], differences: Sequence[Interval]) -> float | None:
    estimates = [difference.estimate for difference in differences]
    for index in range(len(sizes) - 2, -1, -1):
        before, after = estimates[index], estimates[index + 1]
        if before > 0 >= after:
            share = before / (before - after)
            low, high = math.log(sizes[index]), math.log(sizes[index + 1])
            return math.exp(low + share * (high - low))
    return None
