# SPDX-License-Identifier: MIT
"""Scenarios whose segments go by the clock: how long they take, and when their runs are looked at.

The length of such a segment is a factor, not something a rig may size: it is part of what is
measured. A second a segment leaves no time for the looks of segments of 10 ms, and each holds
thousands of messages, so a run is looked at once.
"""

from collections.abc import Iterable

import msgspec

from sockmeter.model.arms import Arm
from sockmeter.model.runs import Look
from sockmeter.plan.factors import span_us

# Twelve rounds: with one arm against the baseline the interval at 5 % leaves out the two outermost
# rounds at either end, with five arms still the outermost (binomial tail, sign test).
LOOKS = (Look(12, 0.05),)

# What a segment takes besides its duration: two intervals to warm up, stragglers, its sockets.
OVERHEAD_S = 1.0


def is_paced(arm: Arm) -> bool:
    """Say whether the arm's segments go by the clock."""
    return "duration" in arm.factors


def duration_s(arms: Iterable[Arm]) -> float:
    """Return how long a segment of each arm takes at least, s; 0 for those not paced."""
    paced = [arm for arm in arms if is_paced(arm)]
    return sum(_segment_s(arm) for arm in paced)


def shortened(arm: Arm) -> Arm:
    """Return the arm with a segment just long enough to see whether it can be set up."""
    if not is_paced(arm):
        return arm
    return msgspec.structs.replace(arm, factors=arm.factors | {"duration": "50ms"})


def _segment_s(arm: Arm) -> float:
    warmup_us = 2 * span_us(str(arm.factors["interval"]))
    stragglers_us = 20 * span_us(str(arm.factors["tick"]))
    return (span_us(str(arm.factors["duration"])) + warmup_us + stragglers_us) / 1e6 + OVERHEAD_S
