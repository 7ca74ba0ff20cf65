# SPDX-License-Identifier: MIT
"""The distributions of all arms over each other, drawn with characters."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sockmeter.judge.cells import Cells, pooled
from sockmeter.judge.statistics import quantiles

BARS = " ▁▂▃▄▅▆▇█"
TICK_COLUMNS = 14
LOWEST, HIGHEST = 0.001, 0.99  # quantiles between which the axis runs


def draw_overlay(cells: Sequence[Cells], labels: Sequence[str], unit: str, width: int) -> str:
    """Return one line of bars an arm over a common logarithmic axis, `width` characters in all.

    Bars are the share of an arm's calls per column, each arm scaled to its own highest column.
    Labels that would take more than half of the width stand over their bars.
    """
    if not cells:
        return ""
    label_width = max(map(len, [*labels, unit])) + 2
    if label_width > width / 2:
        labels, unit, label_width = [f"{label}\n" for label in labels], f"{unit}\n", 0
    columns = max(width - label_width, 20)
    ends = np.array([quantiles(pooled(each), [LOWEST, HIGHEST])[0] for each in cells])
    edges = np.geomspace(max(ends[:, 0].min(), 1.0), max(ends[:, 1].max(), 2.0), columns + 1)
    lines = [
        label.ljust(label_width) + _bars(_shares(each, edges))
        for label, each in zip(labels, cells, strict=True)
    ]
    return "\n".join([*lines, unit.ljust(label_width) + _axis(edges)])


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


def _axis(edges: NDArray[np.float64]) -> str:
    """Return costs under the bars, each beginning at its own column."""
    line = [" "] * (edges.size - 1)
    for column in range(0, len(line) - TICK_COLUMNS + 1, TICK_COLUMNS):
        text = f"|{edges[column]:,.0f}"
        line[column : column + len(text)] = text
    return "".join(line).rstrip()
