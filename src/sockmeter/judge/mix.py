# SPDX-License-Identifier: MIT
"""A shift between two distributions of several modes, split in two.

Part of it may be that calls moved from one mode to another, part that the modes themselves moved:
Kitagawa, Journal of the American Statistical Association 50 (1955) 1168, with Oaxaca's averaging
of the weights (International Economic Review 14 (1973) 693), so that the two parts add up.
"""

from collections.abc import Sequence

import msgspec
import numpy as np

from sockmeter.judge.arrays import BoolArray, FloatArray
from sockmeter.judge.cells import Cells
from sockmeter.judge.peaks import Peak


class Mode(msgspec.Struct, frozen=True, kw_only=True):
    """One mode of a distribution: the calls from valley to valley."""

    share: float  # of all calls, 0 ... 1
    mean: float  # clock units, of costs cut at the cap


class MixSplit(msgspec.Struct, frozen=True, kw_only=True):
    """The shift of the capped mean from baseline to arm, in clock units: total = mix + within."""

    mix: float  # calls that changed mode
    within: float  # modes that changed cost
    baseline: tuple[Mode, ...]
    arm: tuple[Mode, ...]


def split_shift(baseline: Sequence[Mode], arm: Sequence[Mode]) -> MixSplit:
    """Split the shift between distributions of equally many modes, matched in their order.

    ValueError where they have different numbers of modes.
    """
    if len(baseline) != len(arm):
        raise ValueError(f"{len(baseline)} modes cannot be matched with {len(arm)}")
    pairs = list(zip(baseline, arm, strict=True))
    return MixSplit(
        mix=sum((new.share - old.share) * (new.mean + old.mean) / 2 for old, new in pairs),
        within=sum((new.mean - old.mean) * (new.share + old.share) / 2 for old, new in pairs),
        baseline=tuple(baseline),
        arm=tuple(arm),
    )


def modes_of(cells: Cells, peaks: Sequence[Peak], cap: float) -> tuple[Mode, ...]:
    """Return the modes of all rounds' calls together, cut at the peaks' valleys."""
    calls = cells.counts.sum(axis=0)
    costs = np.minimum((cells.lowers + cells.uppers) / 2, cap)
    places = np.searchsorted([peak.valley_lower for peak in peaks[1:]], cells.lowers, side="right")
    return tuple(_mode(calls, costs, places == place) for place in range(len(peaks)))


def _mode(calls: FloatArray, costs: FloatArray, inside: BoolArray) -> Mode:
    return Mode(
        share=float(calls[inside].sum() / calls.sum()),
        mean=float(np.average(costs[inside], weights=calls[inside])),
    )
