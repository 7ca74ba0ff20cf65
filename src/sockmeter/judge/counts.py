# SPDX-License-Identifier: MIT
"""Deterministic counts: costs that are integers, and the same integer every time.

Only for costs that are counted (instructions). A clock that moves in coarse steps also shows the
same integer often; that is not determinism, and never comes here.
"""

from collections.abc import Sequence

import msgspec
import numpy as np

from sockmeter.judge.arrays import IntArray

LEAST_SHARE = 0.5


class Mode(msgspec.Struct, frozen=True, kw_only=True):
    """The most frequent cost of a segment."""

    cost: int  # the rig's unit, exact
    share: float  # of the segment's calls


class ExactChange(msgspec.Struct, frozen=True, kw_only=True):
    """What a deterministic arm costs against a deterministic baseline: no interval is needed."""

    baseline: int
    arm: int

    @property
    def change(self) -> int:
        """Arm minus baseline; 0 means identical."""
        return self.arm - self.baseline


def mode_of(costs: IntArray, calls: IntArray) -> Mode:
    """Return the mode of one segment from distinct costs and the calls of each, both (costs,).

    Of two equally frequent costs the smaller one. ValueError without a call.
    """
    total = int(calls.sum())
    if total == 0:
        raise ValueError("a segment without a recorded call has no most frequent cost")
    place = int(np.lexsort((costs, -calls))[0])
    return Mode(cost=int(costs[place]), share=float(calls[place]) / total)


def deterministic_cost(modes: Sequence[Mode]) -> int | None:
    """Return the integer that an arm costs, or None where a single segment deviates.

    Every segment must have the same mode, each with at least half of its calls.
    """
    costs = {mode.cost for mode in modes}
    if len(costs) != 1 or min(mode.share for mode in modes) < LEAST_SHARE:
        return None
    return costs.pop()


def exact_change(baseline: Sequence[Mode], arm: Sequence[Mode]) -> ExactChange | None:
    """Return the exact change between two arms, or None where the ordinary path must judge."""
    before = deterministic_cost(baseline)
    after = deterministic_cost(arm)
    if before is None or after is None:
        return None
    return ExactChange(baseline=before, arm=after)
