# SPDX-License-Identifier: MIT
"""The distributions of all arms over each other, drawn with characters."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sockmeter.judge.cells import Cells, pooled
from sockmeter.judge.statistics import quantiles

BARS = " ▁▂▃▄▅▆▇█"
LOWEST, HIGHEST = 0.001, 0.99  # quantiles between which the axis runs


def draw_overlay(cells: Sequence[Cells], labels: Sequence[str], unit: str, width: int) -> str:
    """Return one line of bars an arm over a common logarithmic axis, `width` characters in all.

    Bars are the share of an arm's calls per column, each arm scaled to its own highest column.
    """
    if not cells:
        return ""
    label_width = max(map(len, labels)) + 2
    columns = max(width - label_width, 20)
    ends = np.array([quantiles(pooled(each), [LOWEST, HIGHEST])[0] for each in cells])
    edges = np.geomspace(max(ends[:, 0].min(), 1.0), max(ends[:, 1].max(), 2.0), columns + 1)
    lines = [
        label.ljust(label_width) + _bars(_shares(each, edges))
        for label, each in zip(labels, cells, strict=True)
    ]
    return "\n".join([*lines, " " * label_width + _axis(edges, unit)])


def _shares(cells: Cells, edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of calls between neighbouring edges, a call being anywhere in its cell."""
    counts = cells.counts.sum(axis=0)
    reached = np.concatenate([[0.0], np.cumsum(counts)])
    bounds = np.concatenate([cells.lowers[:1], cells.uppers])
    shares: NDArray[np.float64] = np.diff(np.interp(edges, bounds, reached)) / counts.sum()
    return shares


def _bars(shares: NDArray[np.float64]) -> str:
    highest = shares.max()
    if highest == 0:
        return " " * shares.size
    heights = np.ceil(shares / highest * (len(BARS) - 1)).astype(int)
    return "".join(BARS[height] for height in heights)


def _axis(edges: NDArray[np.float64], unit: str) -> str:
    """Return costs under the bars, each beginning at its own column."""
    columns = edges.size - 1
    line = [" "] * columns
    step = 14
    for column in range(0, columns - step + 1, step):
        is_last = column + 2 * step > columns
        text = f"|{edges[column]:,.0f}" + (f" {unit}" if is_last else "")
        line[column : column + len(text)] = text
    return "".join(line)[:columns].rstrip()
