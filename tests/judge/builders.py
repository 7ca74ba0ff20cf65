# SPDX-License-Identifier: MIT
"""Builders for the judge's arrays: costs in, columns and cells out."""

from typing import Any

import numpy as np

from sockmeter.judge.arrays import FloatArray, IntArray
from sockmeter.judge.cells import Cells, Layout, spread
from sockmeter.judge.columns import Column
from sockmeter.model.buckets import BUCKET_COUNT, bucket_lowers, bucket_uppers
from sockmeter.model.runs import Look
from sockmeter.plan.designs import ALPHA

WHOLE = Layout(bucket_lowers(), bucket_uppers(), 1)


def count_costs(costs: IntArray) -> IntArray:
    """Return the probe's bucket counts of costs of shape (rounds, calls)."""
    places = np.searchsorted(bucket_uppers(), costs, side="right")
    return np.stack([np.bincount(row, minlength=BUCKET_COUNT) for row in places])


def make_cells(costs: IntArray, quantum: float | None = 1) -> Cells:
    return spread(count_costs(costs), Layout(bucket_lowers(), bucket_uppers(), quantum))


def make_column(costs: IntArray, **fields: Any) -> Column:
    """Make the column of an arm whose calls cost this, shape (rounds, calls)."""
    rounds = costs.shape[0]
    none = np.zeros(rounds, dtype=np.int64)
    defaults: dict[str, Any] = {
        "counts": count_costs(costs),
        "count": np.full(rounds, costs.shape[1]),
        "sum": costs.sum(axis=1),
        "least": costs.min(axis=1),
        "most": costs.max(axis=1),
        "over_cap_count": none,
        "over_cap_sum": none,
        "cap": np.zeros(rounds),
        "position": none,
        "involuntary_switches": none,
        "steal_ns": np.zeros(rounds),
    }
    return Column(**(defaults | fields))


def make_costs(
    seed: int, *, rounds: int = 20, calls: int = 2000, scale: float = 1.0, noise: float = 0.003
) -> IntArray:
    """Draw costs of two modes, near 1000 and 1300, each round with its own speed."""
    generator = np.random.default_rng(seed)
    fast = generator.lognormal(np.log(1000), 0.06, (rounds, calls))
    slow = generator.lognormal(np.log(1300), 0.08, (rounds, calls))
    speed = np.exp(generator.normal(0.0, noise, (rounds, 1)))
    costs = np.where(generator.random((rounds, calls)) < 0.6, fast, slow) * scale * speed
    return np.rint(costs).astype(np.int64)


def make_log_ratios(seed: int, rounds: int, change: float = 0.0, noise: float = 0.01) -> FloatArray:
    return np.random.default_rng(seed).normal(change, noise, rounds)


def fixed_look(rounds: int) -> tuple[Look]:
    """Return the schedule of a run of fixed length: one look, at its end, with all the error."""
    return (Look(rounds, ALPHA),)
