# SPDX-License-Identifier: MIT
"""The law of one call on the simulated machine: two modes and a tail, all lognormal.

A segment's calls are independent draws, so its histogram is one multinomial draw over the buckets'
exact probabilities: no call is drawn by itself.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from sockmeter.judge.arrays import FloatArray, IntArray
from sockmeter.judge.cells import Layout
from sockmeter.model.buckets import bucket_lowers, bucket_of, bucket_uppers

CALLS = 10_000  # per segment

FAST = (1000.0, 0.06)  # median in ticks, sigma of the logarithm
SLOW = (1300.0, 0.08)
TAIL = (3000.0, 0.60)  # interrupts, softirqs, cold caches
FAST_SHARE = 0.60  # of the calls that are not in the tail
TAIL_SHARE = 0.005

FIRST_BUCKET, END_BUCKET = bucket_of(400), bucket_of(1 << 16)
LOWERS = bucket_lowers()[FIRST_BUCKET:END_BUCKET]
UPPERS = bucket_uppers()[FIRST_BUCKET:END_BUCKET]
LAYOUT = Layout(LOWERS, UPPERS, None)


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """What differs between segments; every array has the same shape."""

    scale: FloatArray  # factor on every call
    fast_share: FloatArray  # of the calls outside the tail
    tail_share: FloatArray


def draw_counts(segments: Segments, generator: np.random.Generator) -> IntArray:
    """Return bucket counts of `CALLS` calls, shape (segments, buckets), for flat segments."""
    batches = [
        generator.multinomial(CALLS, _probabilities(segments, batch))
        for batch in np.array_split(np.arange(segments.scale.size), segments.scale.size // 2000 + 1)
    ]
    return np.concatenate(batches)


def stratified_costs(scale: float, calls: int) -> FloatArray:
    """Return `calls` costs of the quiet law at evenly spaced quantiles: no noise."""
    shares = (
        (FAST, FAST_SHARE * (1 - TAIL_SHARE)),
        (SLOW, (1 - FAST_SHARE) * (1 - TAIL_SHARE)),
        (TAIL, TAIL_SHARE),
    )
    return np.concatenate(
        [_quantiles(mode, round(share * calls)) * scale for mode, share in shares]
    )


def _probabilities(segments: Segments, batch: IntArray) -> FloatArray:
    edges = np.log(np.append(LOWERS, UPPERS[-1]) / segments.scale[batch, None])
    fast, slow, tail = (_below(mode, edges) for mode in (FAST, SLOW, TAIL))
    fast_share = segments.fast_share[batch, None]
    tail_share = segments.tail_share[batch, None]
    below = (1 - tail_share) * (fast_share * fast + (1 - fast_share) * slow) + tail_share * tail
    below[:, 0], below[:, -1] = 0.0, 1.0
    return np.diff(below, axis=1)


def _below(mode: tuple[float, float], log_edges: FloatArray) -> FloatArray:
    return np.asarray(ndtr((log_edges - np.log(mode[0])) / mode[1]))


def _quantiles(mode: tuple[float, float], calls: int) -> FloatArray:
    probabilities = (np.arange(calls) + 0.5) / calls
    return np.asarray(mode[0] * np.exp(mode[1] * ndtri(probabilities)))
