# SPDX-License-Identifier: MIT
"""Two arms of a run as a run of their own, so that any arm can be the baseline."""

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from sockmeter.model.runs import Look, Round, Run
from sockmeter.model.segments import Refusal, Segment
from sockmeter.plan.designs import planned_pairs

Placed = TypeVar("Placed", Segment, Refusal)


def select_arms(run: Run, baseline: int, arm: int) -> Run:
    """Return the run of these two arm indices; the copy of the baseline stays only with its own.

    The run was planned with more pairs, so the error of each look stays divided by their number.
    """
    last = len(run.design.arms)
    places = {baseline: 0, arm: 1}
    if baseline == 0:
        places[last] = 2
    pairs = planned_pairs(run.design)
    design = msgspec.structs.replace(
        run.design,
        arms=[run.design.arms[baseline], run.design.arms[arm]],
        looks=[Look(look.rounds, look.alpha / pairs) for look in run.design.looks],
    )
    rounds = [_select(finished, places) for finished in run.rounds]
    return msgspec.structs.replace(run, design=design, rounds=rounds)


def _select(finished: Round, places: Mapping[int, int]) -> Round:
    return msgspec.structs.replace(
        finished,
        order=[places[arm] for arm in finished.order if arm in places],
        segments=_placed(finished.segments, places),
        refusals=_placed(finished.refusals, places),
    )


def _placed(items: list[Placed], places: Mapping[int, int]) -> list[Placed]:
    return [
        msgspec.structs.replace(item, arm=places[item.arm]) for item in items if item.arm in places
    ]
