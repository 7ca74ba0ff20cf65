# SPDX-License-Identifier: MIT
"""What a byte costs all in, beside what it is set against: a judged arm as it is shown."""

import msgspec
import numpy as np

from sockmeter.judge.assess import Assessment
from sockmeter.judge.gains import Gain
from sockmeter.judge.sending import byte_costs
from sockmeter.judge.soundness import segments_of
from sockmeter.model.runs import Run
from sockmeter.report.differences import Difference, make_difference


class AllIn(msgspec.Struct, frozen=True, kw_only=True):
    """One arm: the sends, and every look for a notification.

    Costs are those of the median round, in the view's unit: one that was stalled does not show.
    """

    per_byte: float
    baseline_per_byte: float
    baseline_row: int  # the row that the difference is against
    is_own_copy: bool  # that row copies the same message; else it is the first
    difference: Difference


def make_all_in(run: Run, assessment: Assessment, index: int) -> AllIn | None:
    """Return what is shown of an arm; None where it is not judged by the byte."""
    gain = assessment.gains.arms[index] if assessment.gains else None
    if gain is None:
        return None
    return AllIn(
        per_byte=_median(run, index, gain),
        baseline_per_byte=_median(run, gain.against, gain),
        baseline_row=gain.against,
        is_own_copy=gain.is_own_copy,
        difference=make_difference(gain.verdict),
    )


def _median(run: Run, index: int, gain: Gain) -> float:
    """Return what a byte of an arm cost in the median of the rounds that were judged."""
    costs, interval = byte_costs(segments_of(run, index)), gain.verdict.interval
    if costs is None or interval is None:
        raise ValueError("an arm that is judged by the byte has sent some in every round")
    return float(np.median(costs[: interval.rounds]))
