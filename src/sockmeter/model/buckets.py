# SPDX-License-Identifier: MIT
"""The probe's histogram layout: log-linear, 128 buckets an octave, up to 2**32, none open."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

SUBBUCKETS = 128
BUCKET_COUNT = 3328


@cache
def bucket_lowers() -> NDArray[np.float64]:
    """Return the inclusive lower edge of every bucket, shape (3328,), in the clock's unit."""
    index = np.arange(BUCKET_COUNT)
    exponent = np.maximum(index // SUBBUCKETS - 1, 0)
    lowers: NDArray[np.float64] = np.ldexp(index - SUBBUCKETS * exponent, exponent)
    lowers.flags.writeable = False
    return lowers


@cache
def bucket_uppers() -> NDArray[np.float64]:
    """Return the exclusive upper edge of every bucket, shape (3328,), in the clock's unit."""
    uppers = np.empty(BUCKET_COUNT)
    uppers[:-1] = bucket_lowers()[1:]
    uppers[-1] = 2.0**32
    uppers.flags.writeable = False
    return uppers


def bucket_of(value: int) -> int:
    """Return the index of the bucket that holds `value`; ValueError outside [0, 2**32)."""
    if not 0 <= value < 2**32:
        raise ValueError(f"{value} is outside the histogram's range [0, 2**32)")
    exponent = max(value.bit_length() - 8, 0)
    return exponent * SUBBUCKETS + (value >> exponent)
