# SPDX-License-Identifier: MIT
"""Runs against runs: the unit is the launch (or the boot), never the round.

A launch has a level of its own (the layout of memory, the boot, the hour), which more rounds do
not average out. So each run gives one number an arm, runs are paired in the order of time, and at
least eight pairs make a verdict. Launches that were not alternated carry the machine's drift.
"""

from collections.abc import Sequence

import msgspec
import numpy as np

from sockmeter.judge.intervals import hodges_lehmann
from sockmeter.judge.verdict import Verdict, judge_interval, undecided
from sockmeter.plan.designs import ALPHA

LEAST_PAIRS = 8
UNIT = "pair of launches"


def judge_launches(
    before: Sequence[float],
    after: Sequence[float],
    *,
    is_alternating: bool,
    effect: float,
    pairs_of_arms: int = 1,
) -> Verdict:
    """Judge log levels of launches, one each, in the order of time.

    ValueError where a side is empty. Unequal numbers leave the surplus unpaired and unused.
    """
    if not before or not after:
        raise ValueError("a comparison of launches needs one of each side")
    pairs = min(len(before), len(after))
    differences = np.array(after[:pairs]) - np.array(before[:pairs])
    interval = hodges_lehmann(differences, ALPHA / pairs_of_arms)
    if pairs < LEAST_PAIRS:
        return undecided(
            f"{LEAST_PAIRS} pairs of launches are needed for a verdict on the change, not {pairs}",
            effect,
            interval=interval,
            more_rounds=LEAST_PAIRS - pairs,
        )
    if not is_alternating:
        return undecided(
            "the launches were not alternated, so a drift of the machine would look the same",
            effect,
            interval=interval,
        )
    return msgspec.structs.replace(judge_interval(interval, effect), unit=UNIT)


def are_alternating(before_times: Sequence[str], after_times: Sequence[str]) -> bool:
    """Say whether, in the order of time, each next two launches are one of each side.

    Times are ISO 8601 in one zone, which sort as text.
    """
    if len(before_times) != len(after_times):
        return False
    sides = [
        side for _, side in sorted([(t, 0) for t in before_times] + [(t, 1) for t in after_times])
    ]
    return all(sides[i] != sides[i + 1] for i in range(0, len(sides), 2))
