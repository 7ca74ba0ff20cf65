# SPDX-License-Identifier: MIT
"""How far a true +1 % is misread through buckets and a coarse clock, with no sampling noise.

A clock of step q read before and after a call of cost x shows one of the two multiples of q around
x, the upper one with the chance that x lies closer to it, whenever calls begin at any phase.
"""

import numpy as np

from sockmeter.judge.arrays import FloatArray, IntArray
from sockmeter.judge.cells import probe_layout, spread
from sockmeter.judge.statistics import midmeans
from sockmeter.model.buckets import BUCKET_COUNT, bucket_uppers
from tests.simulation.law import stratified_costs

COSTS = 200_000
WEIGHT = 1_000  # one cost's calls, shared between the two multiples around it
TRIALS = 40


def worst_reading_error(step: int, generator: np.random.Generator) -> float:
    """Return the largest error of the midmean's +1 %, in points, over scales from 1/2 to 4."""
    layout = probe_layout(step)
    errors = []
    for scale in np.exp(generator.uniform(np.log(0.5), np.log(4.0), TRIALS)):
        costs = stratified_costs(float(scale), COSTS)
        counts = np.stack([seen_by_clock(costs, step), seen_by_clock(1.01 * costs, step)])
        before, after = midmeans(spread(counts, layout))
        errors.append(abs(float(after / before) - 1.01))
    return 100.0 * max(errors)


def seen_by_clock(costs: FloatArray, step: int) -> IntArray:
    """Return the bucket counts of costs, `WEIGHT` calls each, as the clock shows them."""
    below = np.floor(costs / step)
    upper_share = costs / step - below
    weights = np.rint(WEIGHT * upper_share)
    seen = np.concatenate([below, below + 1]) * step
    buckets = np.searchsorted(bucket_uppers(), seen, side="right")
    calls = np.bincount(
        buckets, weights=np.concatenate([WEIGHT - weights, weights]), minlength=BUCKET_COUNT
    )
    return calls.astype(np.int64)
