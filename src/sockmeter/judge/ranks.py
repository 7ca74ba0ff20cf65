# SPDX-License-Identifier: MIT
"""Ranks from 1, ties sharing the middle of the ranks that they cover."""

import numpy as np

from sockmeter.judge.arrays import FloatArray


def midranks(values: FloatArray) -> FloatArray:
    """Return the rank of every value, shape (values,)."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    middles: FloatArray = last - (sizes - 1) / 2
    return middles[group]
