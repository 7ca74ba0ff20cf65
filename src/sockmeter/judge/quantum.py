# SPDX-License-Identifier: MIT
"""The step in which a clock moves, found in what it measured.

A clock of step q fills only the buckets that hold a multiple of q and leaves the others empty. A
smooth law would fill them all, each with a chance of about its width over q to be one that holds.
"""

from enum import StrEnum

import msgspec
import numpy as np

from sockmeter.judge.arrays import BoolArray, FloatArray, IntArray

FITTING_SHARE = 0.99  # of calls that must lie in buckets with a multiple
NOTICED_SHARE = 0.0005  # buckets with a smaller share of the calls prove nothing
LARGEST_STEP = 1_024  # a coarser step than that of any clock in use is not looked for
CHANCE = 0.001  # that a smooth law looks quantised, over all candidates


class QuantumSource(StrEnum):
    """Where a quantum comes from."""

    STATED = "stated"  # by whoever kept the clock, and the calls agree
    DETECTED = "detected"  # in the calls
    UNIT = "unit"  # nothing coarser than the clock's own unit was seen


class Quantum(msgspec.Struct, frozen=True, kw_only=True):
    """The step of a clock."""

    step: int  # clock units
    source: QuantumSource
    share: float  # of the calls in buckets that hold a multiple of the step


def find_quantum(
    counts: IntArray, lowers: FloatArray, uppers: FloatArray, stated: int | None = None
) -> Quantum:
    """Return the quantum of a clock from calls by bucket, shape (buckets,), of all segments.

    A stated one is used if at least 99 % of the calls agree with it and it is more than 1; else the
    largest step that the calls prove, and 1 where they prove none. ValueError without a call.
    """
    if counts.sum() == 0:
        raise ValueError("no call, so no quantum")
    if stated is not None and stated > 1:
        share = _share(counts, _holds(lowers, uppers, stated))
        if share >= FITTING_SHARE:
            return Quantum(step=stated, source=QuantumSource.STATED, share=share)
    noticed = counts >= max(NOTICED_SHARE * counts.sum(), 1)
    middle = float(np.average((lowers + uppers) / 2, weights=counts))
    largest = min(max(int(middle / 4), 2), LARGEST_STEP)
    for step in range(largest, 1, -1):
        holds = _holds(lowers, uppers, step)
        share = _share(counts, holds)
        if share < FITTING_SHARE or not holds[noticed].all():
            continue
        widths = (uppers - lowers)[noticed]
        if np.log(np.minimum(widths / step, 1.0)).sum() < np.log(CHANCE / largest):
            return Quantum(step=step, source=QuantumSource.DETECTED, share=share)
    return Quantum(
        step=1, source=QuantumSource.UNIT, share=_share(counts, _holds(lowers, uppers, 1))
    )


def _holds(lowers: FloatArray, uppers: FloatArray, step: int) -> BoolArray:
    return np.ceil(lowers / step) * step < uppers


def _share(counts: IntArray, holds: BoolArray) -> float:
    return float(counts[holds].sum() / counts.sum())
