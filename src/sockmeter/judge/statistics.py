# SPDX-License-Identifier: MIT
"""The statistics of a segment, for every round at once.

A call inside a cell is anywhere in it with the same density, so a quantile is interpolated in its
cell and a trimmed mean is the exact integral of the quantile function. All results have the shape
(rounds,) unless said otherwise and are in the clock's unit.
"""

from collections.abc import Sequence

import numpy as np

from sockmeter.judge.arrays import FloatArray, IntArray
from sockmeter.judge.cells import Cells

SHIFT_PROBABILITIES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
CAP_FACTOR = 10.0  # times the pooled median of round 1


def midmeans(cells: Cells) -> FloatArray:
    """Return the mean of the calls between the 25th and the 75th percentile: the headline."""
    return means_between(cells, 0.25, 0.75)


def medians(cells: Cells) -> FloatArray:
    """Return the 50th percentile."""
    return quantiles(cells, [0.5])[:, 0]


def cheapest_means(cells: Cells) -> FloatArray:
    """Return the mean of the cheapest 90 % of the calls."""
    return means_between(cells, 0.0, 0.9)


def quantiles(cells: Cells, probabilities: Sequence[float]) -> FloatArray:
    """Return quantiles, shape (rounds, probabilities); each probability in (0, 1)."""
    columns = []
    for probability in probabilities:
        if not 0.0 < probability < 1.0:
            raise ValueError(f"a quantile's probability is in (0, 1), not {probability}")
        cell, inside, calls = _locate(cells, probability)
        width = cells.uppers[cell] - cells.lowers[cell]
        columns.append(cells.lowers[cell] + inside / calls * width)
    return np.stack(columns, axis=1)


def means_between(cells: Cells, low: float, high: float) -> FloatArray:
    """Return the mean of the calls between two probabilities, 0 <= low < high <= 1."""
    if not 0.0 <= low < high <= 1.0:
        raise ValueError(f"a trimmed mean needs 0 <= low < high <= 1, not {low} and {high}")
    middles = (cells.lowers + cells.uppers) / 2
    sums = np.cumsum(cells.counts * middles, axis=1)
    span = (high - low) * cells.totals
    return (_cost_up_to(cells, sums, high) - _cost_up_to(cells, sums, low)) / span


def capped_means(cells: Cells, cap: float) -> FloatArray:
    """Return E[min(cost, cap)], from the cells."""
    low = np.minimum(cells.lowers, cap)
    high = np.minimum(cells.uppers, cap)
    share_over = _shares_over(cells, cap)
    cost = (1.0 - share_over) * (low + high) / 2 + share_over * cap
    capped: FloatArray = cells.counts @ cost / cells.totals
    return capped


def plain_means(sums: IntArray | FloatArray, counts: IntArray) -> FloatArray:
    """Return the plain mean from exact sums and counts: shown, never judged."""
    return sums / counts


def frozen_cap(first_round: Sequence[Cells]) -> float:
    """Return the cap: 10 times the median of round 1, all columns pooled, in clock units.

    The median is the least cost that half of the calls of all columns together do not exceed.
    """
    costs = np.concatenate([(column.lowers + column.uppers) / 2 for column in first_round])
    calls = np.concatenate([column.counts[0] for column in first_round])
    order = np.argsort(costs, kind="stable")
    reached = np.cumsum(calls[order])
    middle = int(np.searchsorted(reached, reached[-1] / 2))
    return CAP_FACTOR * float(costs[order][middle])


def _locate(cells: Cells, probability: float) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the cell of a quantile, the calls of that cell below it, and those in the cell."""
    width = cells.lowers.size
    target = cells.starts + probability * cells.totals
    flat = np.searchsorted(cells.ends, target)
    rounds = np.arange(cells.totals.size)
    flat = np.clip(flat, rounds * width, rounds * width + width - 1)
    calls = cells.counts.ravel()[flat]
    inside = np.clip(target - (cells.ends[flat] - calls), 0.0, calls)
    return flat - rounds * width, inside, calls


def _cost_up_to(cells: Cells, sums: FloatArray, probability: float) -> FloatArray:
    """Return the summed cost of the cheapest share `probability` of each round's calls."""
    if probability == 0.0:
        return np.zeros(cells.totals.size)
    if probability == 1.0:
        return sums[:, -1]
    cell, inside, calls = _locate(cells, probability)
    middles = (cells.lowers[cell] + cells.uppers[cell]) / 2
    before = sums[np.arange(cell.size), cell] - calls * middles
    width = cells.uppers[cell] - cells.lowers[cell]
    cost: FloatArray = before + inside * (cells.lowers[cell] + inside / calls * width / 2)
    return cost


def _shares_over(cells: Cells, cap: float) -> FloatArray:
    over = (cells.uppers - cap) / (cells.uppers - cells.lowers)
    return np.clip(over, 0.0, 1.0)
