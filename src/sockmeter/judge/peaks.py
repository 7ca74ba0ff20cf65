# SPDX-License-Identifier: MIT
"""The peaks of a distribution, and whether they are more than noise.

A peak must stand out of the saddle to a higher one: P calls at the peak against the S that the
saddle's density would put there. Calls come in bursts, so counts scatter more than Poisson's law by
the over-dispersion phi, which only repeated rounds can tell.
"""

import itertools
import math
from dataclasses import dataclass
from statistics import NormalDist

import msgspec
import numpy as np

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.cells import Cells
from sockmeter.judge.persistence import find_hills

WINDOWS = (1, 3, 5)  # cells
FALSE_PEAK = 0.01  # Bonferroni over the local maxima
LEAST_CONTRAST = 1.05  # P / S
CAUTIOUS_DISPERSION = 4.0  # where a single column leaves it unknown
LEAST_MEAN = 5.0  # calls a round, below which a cell says nothing about dispersion


class Peak(msgspec.Struct, frozen=True, kw_only=True):
    """A peak that counts."""

    lower: float  # clock units; the cell of the maximum
    upper: float
    valley_lower: float  # clock units; the mode reaches from valley to valley
    valley_upper: float
    share: float  # of all calls, those in an open bucket included, from valley to valley
    z: float
    closes_right: bool  # False: it rises into the overflow


def dispersion(counts: FloatArray) -> float:
    """Return phi from per-round counts, shape (rounds, cells): at least 1; 4 for a single round."""
    if counts.shape[0] < 2:
        return CAUTIOUS_DISPERSION
    means = counts.mean(axis=0)
    telling = means >= min(LEAST_MEAN, means.max())
    ratios = counts[:, telling].var(axis=0, ddof=1) / means[telling]
    return max(float(np.median(ratios)), 1.0)


def peaks_of(cells: Cells) -> tuple[Peak, ...]:
    """Return the peaks of all rounds' calls together, phi from the rounds themselves."""
    return find_peaks(
        cells.counts.sum(axis=0), cells.lowers, cells.uppers, phi=dispersion(cells.counts)
    )


def find_peaks(
    counts: FloatArray,
    lowers: FloatArray,
    uppers: FloatArray,
    *,
    phi: float,
    overflow: float = 0.0,
) -> tuple[Peak, ...]:
    """Return the peaks of calls by cell, all arguments (cells,), from left to right.

    `overflow` is the number of calls in an open bucket above the last cell, which is not searched.
    """
    widths = uppers - lowers
    found: dict[int, tuple[float, bool]] = {}  # by cell of the maximum: z, closes on the right
    for window in WINDOWS:
        view = _View(_window_sums(counts, window), _window_sums(widths, window), phi)
        hills = find_hills(view.heights)
        limit = NormalDist().inv_cdf(1 - FALSE_PEAK / max(len(hills), 1))
        for hill in hills:
            if not view.stands_out(hill.top, hill.saddle, limit) or not all(
                view.are_apart(hill.top, cell, limit) for cell in found
            ):
                continue
            closes = overflow == 0.0 or view.closes_right(hill.top, limit)
            cell = _highest(counts / widths, hill.top, window)
            found[cell] = (view.prominence(hill.top, hill.saddle), closes)
    if not found:  # too few calls for even the highest place to stand out
        return ()
    return _peaks(found, counts, lowers, uppers, overflow)


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """The distribution through a window of some cells."""

    calls: FloatArray  # (cells,), in the window around each
    span: FloatArray  # (cells,), width of that window, clock units
    phi: float

    @property
    def heights(self) -> FloatArray:
        return self.calls / self.span

    def prominence(self, top: int, saddle: float) -> float:
        peak, base = float(self.calls[top]), saddle * float(self.span[top])
        return (peak - base) / math.sqrt(self.phi * (peak + base))

    def stands_out(self, top: int, saddle: float, limit: float) -> bool:
        is_contrast = self.heights[top] >= LEAST_CONTRAST * saddle
        return bool(is_contrast) and self.prominence(top, saddle) >= limit

    def are_apart(self, one: int, other: int, limit: float) -> bool:
        """Whether the lower of two places stands out of the valley between them."""
        first, last = min(one, other), max(one, other)
        lower = one if self.heights[one] < self.heights[other] else other
        return self.stands_out(lower, float(self.heights[first : last + 1].min()), limit)

    def closes_right(self, top: int, limit: float) -> bool:
        """Whether a maximum stands out of what follows, up to a higher place or the end."""
        right = self.heights[top + 1 :]
        higher = np.flatnonzero(right > self.heights[top])
        valley = right[: higher[0]] if higher.size else right
        return valley.size > 0 and self.stands_out(top, float(valley.min()), limit)


def _peaks(
    found: dict[int, tuple[float, bool]],
    counts: FloatArray,
    lowers: FloatArray,
    uppers: FloatArray,
    overflow: float,
) -> tuple[Peak, ...]:
    tops = sorted(found)
    smooth = _window_sums(counts, WINDOWS[-1]) / _window_sums(uppers - lowers, WINDOWS[-1])
    valleys = [
        left + 1 + int(np.argmin(smooth[left + 1 : right + 1]))
        for left, right in itertools.pairwise(tops)
    ]
    bounds = [0, *valleys, counts.size]
    total = counts.sum() + overflow
    return tuple(
        Peak(
            lower=float(lowers[top]),
            upper=float(uppers[top]),
            valley_lower=float(lowers[first]),
            valley_upper=float(uppers[end - 1]),
            share=float(counts[first:end].sum() / total),
            z=found[top][0],
            closes_right=found[top][1],
        )
        for top, (first, end) in zip(tops, itertools.pairwise(bounds), strict=True)
    )


def _highest(density: FloatArray, place: int, window: int) -> int:
    start = max(place - window // 2, 0)
    return start + int(np.argmax(density[start : place + window // 2 + 1]))


def _window_sums(values: FloatArray, window: int) -> FloatArray:
    return np.convolve(values, np.ones(window), mode="same")
