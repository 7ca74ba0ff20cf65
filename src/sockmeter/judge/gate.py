# SPDX-License-Identifier: MIT
"""A gate for continuous integration: does a verdict let a change pass?"""

import math
from enum import StrEnum

from sockmeter.judge.verdict import Verdict, Word


class Passage(StrEnum):
    """What the gate says of one comparison."""

    PASSED = "passed"
    FAILED = "failed"  # a regression is resolved
    OPEN = "open"  # neither a regression nor its absence is resolved


def judge_passage(verdict: Verdict, threshold: float | None) -> Passage:
    """Return whether a change passes.

    Without a threshold, the verdict slower fails. With one (a fraction), a cost that rose by more
    than it fails, one that surely did not passes, and an interval that holds the threshold leaves
    the question open.
    """
    if verdict.word is Word.UNDECIDED or verdict.interval is None:
        return Passage.OPEN
    if threshold is None:
        if verdict.word is Word.SLOWER:
            return Passage.FAILED
        return Passage.PASSED if verdict.is_conclusive else Passage.OPEN
    bound = math.log1p(threshold)
    if verdict.interval.low > bound:
        return Passage.FAILED
    return Passage.PASSED if verdict.interval.high <= bound else Passage.OPEN
