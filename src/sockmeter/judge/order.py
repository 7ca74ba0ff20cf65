# SPDX-License-Identifier: MIT
"""Whether it mattered which of two arms ran first in a round.

The coin that orders a round keeps an order effect out of the verdict; a large one widens it. Rounds
with the arm first are set against the others by the exact rank-sum law (Hollander, Wolfe and
Chicken, Nonparametric Statistical Methods, 3rd ed., sections 4.1-4.3).
"""

from functools import cache

import msgspec
import numpy as np

from sockmeter.judge.arrays import BoolArray, FloatArray

ORDER_ALPHA = 0.001


class OrderEffect(msgspec.Struct, frozen=True, kw_only=True):
    """The log ratio of arm-first rounds minus that of baseline-first rounds, with its interval."""

    arm_first_rounds: int
    baseline_first_rounds: int
    estimate: float  # log ratio
    low: float
    high: float

    @property
    def is_resolved(self) -> bool:
        """Whether the order mattered beyond doubt."""
        return self.low > 0.0 or self.high < 0.0


def find_order_effect(log_ratios: FloatArray, is_arm_first: BoolArray) -> OrderEffect | None:
    """Return the order effect of a pair at an error of 0.1 %, both arguments (rounds,).

    None where too few rounds of either order exist for an interval.
    """
    first, second = log_ratios[is_arm_first], log_ratios[~is_arm_first]
    if first.size == 0 or second.size == 0:
        return None
    k = int(np.searchsorted(_rank_sum_cdf(first.size, second.size), ORDER_ALPHA / 2, side="right"))
    if k == 0:
        return None
    differences = np.sort(np.subtract.outer(first, second).ravel())
    return OrderEffect(
        arm_first_rounds=first.size,
        baseline_first_rounds=second.size,
        estimate=float(np.median(differences)),
        low=float(differences[k - 1]),
        high=float(differences[-k]),
    )


@cache
def _rank_sum_cdf(first: int, second: int) -> FloatArray:
    """Return P(U <= u) for u = 0..first * second: the largest value is in either group by chance.

    When it is in the first group it exceeds all of the second.
    """
    size = first * second + 1
    laws = [np.eye(1, size)[0] for _ in range(second + 1)]
    for ours in range(1, first + 1):
        for theirs in range(1, second + 1):
            chance = ours / (ours + theirs)
            law = (1 - chance) * laws[theirs - 1]
            law[theirs:] += chance * laws[theirs][: size - theirs]
            laws[theirs] = law
    return np.cumsum(laws[second])
