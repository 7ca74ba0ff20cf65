# SPDX-License-Identifier: MIT
"""The order of the arms within each round: a fair coin whose seed is stored with the run."""

from collections.abc import Iterator

import numpy as np


def draw_orders(arm_count: int, seed: int) -> Iterator[list[int]]:
    """Yield, without end, a random permutation of 0 … `arm_count` (the last is the A2 copy).

    Every permutation is equally likely and independent of the ones before: a fixed order such as
    A B B A locks to anything on the machine that has the same period.
    """
    coin = np.random.default_rng(_seeds(seed)[0])
    while True:
        yield [int(arm) for arm in coin.permutation(arm_count + 1)]


def flip_seed(seed: int) -> np.random.SeedSequence:
    """Return the seed of the shift function's flips: another stream than that of the orders."""
    return _seeds(seed)[1]


def _seeds(seed: int) -> list[np.random.SeedSequence]:
    return np.random.SeedSequence(seed).spawn(2)
