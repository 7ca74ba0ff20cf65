# SPDX-License-Identifier: MIT
"""Exact, distribution-free intervals over rounds for a log ratio of arm to baseline.

Hodges and Lehmann, Annals of Mathematical Statistics 34 (1963) 598; Hollander, Wolfe and Chicken,
Nonparametric Statistical Methods, 3rd ed., sections 3.1-3.3 (signed rank) and 3.4-3.6 (sign).
"""

import math
from functools import cache

import msgspec
import numpy as np

from sockmeter.judge.arrays import FloatArray


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """An estimate and its interval, as natural logarithms of a ratio; infinite where k is 0."""

    estimate: float
    low: float
    high: float
    k: int  # rank from either end of the order statistics; 0: too few rounds for an interval
    alpha: float  # two-sided error allowed
    rounds: int

    @property
    def half_width(self) -> float:
        """Half the length, log ratio; infinite where an end is."""
        return (self.high - self.low) / 2

    @property
    def excludes_zero(self) -> bool:
        """Whether a change, however small, is resolved."""
        return self.low > 0.0 or self.high < 0.0


def hodges_lehmann(log_ratios: FloatArray, alpha: float) -> Interval:
    """Return the median of the Walsh averages and its exact signed-rank interval.

    `log_ratios`, shape (rounds,), must be finite. ValueError otherwise.
    """
    if not np.isfinite(log_ratios).all():
        raise ValueError("a log ratio is not finite: a statistic was zero or missing")
    return walsh_interval(log_ratios, signed_rank_k(log_ratios.size, alpha), alpha)


def walsh_interval(log_ratios: FloatArray, k: int, alpha: float) -> Interval:
    """Return [w(k), w(m+1-k)] of the sorted Walsh averages w(1..m) for a k found elsewhere."""
    walsh = walsh_averages(log_ratios)
    return Interval(
        estimate=float(np.median(walsh)),
        low=float(walsh[k - 1]) if k else -math.inf,
        high=float(walsh[-k]) if k else math.inf,
        k=k,
        alpha=alpha,
        rounds=log_ratios.size,
    )


def sign_interval(
    log_ratios: FloatArray, alpha: float, *, ceilings: FloatArray | None = None
) -> Interval:
    """Return the median and the order-statistic interval of the sign test.

    Infinite log ratios are allowed. Where a round only bounds the ratio, `log_ratios` holds the
    lower bounds and `ceilings` the upper ones; the interval then holds for every value between,
    and the estimate is the middle of the two medians, or NaN where those are -inf and inf.
    """
    lower = np.sort(log_ratios)
    upper = lower if ceilings is None else np.sort(ceilings)
    k = sign_k(lower.size, alpha)
    with np.errstate(invalid="ignore"):  # the middle of -inf and inf is NaN, and said as such
        ends = float(np.median(lower)), float(np.median(upper))
    return Interval(
        estimate=ends[0] if ends[0] == ends[1] else (ends[0] + ends[1]) / 2,
        low=float(lower[k - 1]) if k else -math.inf,
        high=float(upper[-k]) if k else math.inf,
        k=k,
        alpha=alpha,
        rounds=lower.size,
    )


def signed_rank_k(rounds: int, alpha: float) -> int:
    """Return max{k : P(W+ <= k - 1) <= alpha / 2} under the exact signed-rank law."""
    _check(rounds, alpha)
    return int(np.searchsorted(_signed_rank_cdf(rounds), alpha / 2, side="right"))


def sign_k(rounds: int, alpha: float) -> int:
    """Return max{k : P(Binomial(rounds, 1/2) <= k - 1) <= alpha / 2}."""
    _check(rounds, alpha)
    tail, k = 0, 0
    while k <= rounds:
        tail += math.comb(rounds, k)
        if tail / 2**rounds > alpha / 2:
            break
        k += 1
    return k


def least_rounds(alpha: float) -> int:
    """Return the fewest rounds with a finite interval: both k are 1 once 2**-rounds <= alpha/2."""
    _check(1, alpha)
    return max(1, math.ceil(-math.log2(alpha / 2)))


def walsh_averages(log_ratios: FloatArray) -> FloatArray:
    """Return the sorted averages of all pairs i <= j, shape (rounds * (rounds + 1) / 2,)."""
    first, second = np.triu_indices(log_ratios.size)
    return np.sort((log_ratios[first] + log_ratios[second]) / 2)


@cache
def _signed_rank_cdf(rounds: int) -> FloatArray:
    """Return P(W+ <= w) for w = 0..m: each rank is in the sum or not, by a fair coin."""
    mass = np.zeros(rounds * (rounds + 1) // 2 + 1)
    mass[0] = 1.0
    for rank in range(1, rounds + 1):
        without = mass / 2
        mass = without.copy()
        mass[rank:] += without[:-rank]
    return np.cumsum(mass)


def _check(rounds: int, alpha: float) -> None:
    if rounds < 1:
        raise ValueError("an interval over no rounds does not exist")
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"a two-sided error is in (0, 1), not {alpha}")
