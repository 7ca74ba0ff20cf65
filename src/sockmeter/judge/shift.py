# SPDX-License-Identifier: MIT
"""The quantile shift function: where in the distribution two arms differ, all quantiles at once.

One band holds for every quantile together: whole rounds are flipped, one sign for all quantiles of
a round, and the largest signed-rank sum over the quantiles sets the width (the single-step max-T
method of Westfall and Young, Resampling-Based Multiple Testing, 1993, on Wilcoxon's statistic).
"""

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.intervals import Interval, walsh_interval
from sockmeter.judge.ranks import midranks

FLIPS = 4000


class ShiftPoint(msgspec.Struct, frozen=True, kw_only=True):
    """The shift of one quantile, as a log ratio, with its part of the simultaneous band."""

    probability: float
    interval: Interval


def shift_function(
    log_ratios: FloatArray,
    probabilities: Sequence[float],
    alpha: float,
    generator: np.random.Generator,
    *,
    flips: int = FLIPS,
) -> tuple[ShiftPoint, ...]:
    """Return the shift at each quantile with a band that is simultaneous at error `alpha`.

    `log_ratios` has the shape (rounds, quantiles) and must be finite. `generator` draws the flips;
    where all 2**rounds of them are no more than `flips`, they are enumerated instead.
    """
    if log_ratios.shape[1] != len(probabilities):
        raise ValueError(f"{log_ratios.shape[1]} quantiles for {len(probabilities)} probabilities")
    if not np.isfinite(log_ratios).all():
        raise ValueError("a log ratio is not finite: a quantile was zero or missing")
    rounds = log_ratios.shape[0]
    largest = _largest_sums(log_ratios, _signs(rounds, flips, generator))
    critical = float(np.quantile(largest, 1.0 - alpha, method="higher"))
    k = max(math.ceil((rounds * (rounds + 1) / 2 - critical) / 2), 0)
    return tuple(
        ShiftPoint(probability=probability, interval=walsh_interval(column, k, alpha))
        for probability, column in zip(probabilities, log_ratios.T, strict=True)
    )


def _signs(rounds: int, flips: int, generator: np.random.Generator) -> FloatArray:
    """Return flips of whole rounds, shape (flips, rounds), each +1 or -1."""
    if 2**rounds <= flips:
        bits = np.arange(2**rounds)[:, None] >> np.arange(rounds) & 1
    else:
        bits = generator.integers(0, 2, size=(flips, rounds))
    return np.where(bits == 1, 1.0, -1.0)


def _largest_sums(log_ratios: FloatArray, signs: FloatArray) -> FloatArray:
    """Return T for every flip: the largest |signed-rank sum| over the quantiles.

    The sign of d belongs in the sum: it is what ties the quantiles of a round together.
    """
    ranks = np.stack([midranks(np.abs(column)) for column in log_ratios.T], axis=1)
    sums: FloatArray = signs @ (np.sign(log_ratios) * ranks)
    largest: FloatArray = np.abs(sums).max(axis=1)
    return largest
