# SPDX-License-Identifier: MIT
"""What one arm cost, for display: no difference is judged from these numbers."""

from collections.abc import Sequence

import msgspec
import numpy as np

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.cells import Cells
from sockmeter.judge.columns import Column
from sockmeter.judge.contamination import Contamination, find_contamination
from sockmeter.judge.peaks import Peak, peaks_of
from sockmeter.judge.statistics import (
    SHIFT_PROBABILITIES,
    cheapest_means,
    midmeans,
    quantiles,
)
from sockmeter.judge.tails import exact_capped_means, exact_rates_over


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """One arm over the rounds that were judged, in clock units.

    Every statistic but the exact ones is the middle round's: the median over rounds.
    """

    calls: int  # recorded, over all rounds
    midmean: float
    median: float
    cheapest_90: float  # mean of the cheapest 90 %
    p90: float
    p99: float
    capped_mean: float  # E[min(cost, cap)]
    rate_over_cap: float  # share of all calls, 0 ... 1
    mean: float  # exact, over all calls
    least: int  # exact
    most: int  # exact
    quantiles: tuple[tuple[float, float], ...]  # (probability, cost): those of the shift function
    peaks: tuple[Peak, ...]  # of all rounds' calls together, from left to right
    contamination: Contamination


def summarise(column: Column, cells: Cells, cap: float) -> Summary:
    """Return the summary of a column; `cells` are its own."""
    return Summary(
        calls=int(column.count.sum()),
        midmean=_middle(midmeans(cells)),
        median=_quantile(cells, 0.5),
        cheapest_90=_middle(cheapest_means(cells)),
        p90=_quantile(cells, 0.9),
        p99=_quantile(cells, 0.99),
        capped_mean=_middle(exact_capped_means(column, cells, cap)),
        rate_over_cap=float(np.average(exact_rates_over(column, cells, cap), weights=column.count)),
        mean=float(column.sum.sum() / column.count.sum()),
        least=int(column.least.min()),
        most=int(column.most.max()),
        quantiles=_shift_quantiles(cells, SHIFT_PROBABILITIES),
        peaks=peaks_of(cells),
        contamination=find_contamination(column, cells),
    )


def _shift_quantiles(
    cells: Cells, probabilities: Sequence[float]
) -> tuple[tuple[float, float], ...]:
    costs = np.median(quantiles(cells, probabilities), axis=0)
    return tuple(zip(probabilities, costs.tolist(), strict=True))


def _quantile(cells: Cells, probability: float) -> float:
    return _middle(quantiles(cells, [probability])[:, 0])


def _middle(by_round: FloatArray) -> float:
    return float(np.median(by_round))
