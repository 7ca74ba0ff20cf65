# SPDX-License-Identifier: MIT
"""What disturbed an arm's segments; said for every arm, and used to drop none of them.

Dropping by what a segment measured would be a rule that knows the arms.
"""

import msgspec
import numpy as np

from sockmeter.judge.cells import Cells
from sockmeter.judge.columns import Column
from sockmeter.judge.statistics import quantiles

TAIL_EXCESS = 1.5


class Contamination(msgspec.Struct, frozen=True, kw_only=True):
    """How many of an arm's segments were disturbed, and by what."""

    segments: int
    switched: int  # segments with an involuntary context switch
    involuntary_switches: int  # over all segments
    stolen: int | None  # segments with steal; None where it could not be read in any
    steal_ns: float | None  # over the segments where it could be read
    heavy_tailed: int  # segments whose p99 / p50 is over 1.5 times that of the middle segment


def find_contamination(column: Column, cells: Cells) -> Contamination:
    """Return what disturbed the segments of a column; `cells` are its own."""
    middle, high = quantiles(cells, [0.5, 0.99]).T
    tails = high / middle
    is_known = ~np.isnan(column.steal_ns)
    steal_ns = column.steal_ns[is_known]
    return Contamination(
        segments=column.rounds,
        switched=int(np.count_nonzero(column.involuntary_switches)),
        involuntary_switches=int(column.involuntary_switches.sum()),
        stolen=int(np.count_nonzero(steal_ns)) if is_known.any() else None,
        steal_ns=float(steal_ns.sum()) if is_known.any() else None,
        heavy_tailed=int(np.count_nonzero(tails > TAIL_EXCESS * np.median(tails))),
    )
