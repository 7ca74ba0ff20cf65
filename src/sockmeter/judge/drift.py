# SPDX-License-Identifier: MIT
"""Whether the machine's speed drifted during the run.

Pairing within rounds cancels the drift; it is said so that nobody compares segments across rounds.
The rank von Neumann ratio: Bartels, Journal of the American Statistical Association 77 (1982) 40.
"""

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from sockmeter.judge.arrays import FloatArray, IntArray
from sockmeter.judge.ranks import midranks

DRIFT_P = 0.001
LEAST_SEGMENTS = 10  # below, the normal law of the ratio is too far off
SMOOTHING_ROUNDS = 3


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """How segments followed each other in time, all arms together."""

    ratio: float  # about 2 without drift, towards 0 with it
    p: float  # one-sided
    span: float  # highest over lowest level, smoothed over rounds, log ratio

    @property
    def is_drifting(self) -> bool:
        """Whether the drift is beyond doubt."""
        return self.p < DRIFT_P


def find_drift(midmeans: Sequence[FloatArray], positions: Sequence[IntArray]) -> Drift | None:
    """Return the drift of a run, or None where it has fewer than 10 segments.

    `midmeans` has an array of shape (rounds,) for each arm, `positions` the place of its segment
    in each round. An arm's own level is taken out first.
    """
    levels = np.log(np.stack(midmeans, axis=1))
    levels -= np.median(levels, axis=0)
    in_time = np.take_along_axis(levels, np.argsort(np.stack(positions, axis=1), axis=1), axis=1)
    series = in_time.ravel()
    if series.size < LEAST_SEGMENTS or np.ptp(series) == 0.0:
        return None
    ratio = von_neumann_ratio(midranks(series))
    return Drift(ratio=ratio, p=_lower_tail(ratio, series.size), span=_span(levels))


def von_neumann_ratio(ranks: FloatArray) -> float:
    """Return the sum of squared successive differences over that of squared deviations."""
    return float(np.sum(np.diff(ranks) ** 2) / np.sum((ranks - ranks.mean()) ** 2))


def _lower_tail(ratio: float, size: int) -> float:
    spread = 4 * (size - 2) * (5 * size**2 - 2 * size - 9)
    variance = spread / (5 * size * (size + 1) * (size - 1) ** 2)
    return 0.5 * math.erfc(-(ratio - 2.0) / math.sqrt(2.0 * variance))


def _span(levels: FloatArray) -> float:
    by_round = np.median(levels, axis=1)
    width = min(SMOOTHING_ROUNDS, by_round.size)
    smooth = np.median(np.lib.stride_tricks.sliding_window_view(by_round, width), axis=1)
    return float(np.ptp(smooth))
