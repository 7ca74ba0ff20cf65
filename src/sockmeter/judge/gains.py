# SPDX-License-Identifier: MIT
"""What a byte costs all in, judged: zerocopy against the copy of the same message.

What a round says here is a mean, for sends and looks share no distribution, and a stall may be most
of it. The interval is therefore that of the sign test over rounds, which such a round moves by one
place. Errors, looks, and the smallest difference that matters are those of the calls.
"""

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.compare import Judgement, why_withdrawn
from sockmeter.judge.intervals import sign_interval
from sockmeter.judge.looks import divided_looks
from sockmeter.judge.sending import byte_costs
from sockmeter.judge.sequential import Headline, judge_headline
from sockmeter.judge.soundness import count_dropped, find_faults, segments_of
from sockmeter.judge.verdict import Verdict, judge_interval, withdrawn
from sockmeter.model.arms import Arm
from sockmeter.model.runs import Run
from sockmeter.plan.designs import planned_pairs
from sockmeter.plan.outbound import SCENARIOS, copy_of


class Gain(msgspec.Struct, frozen=True, kw_only=True):
    """What a byte costs in one arm, all in, against another."""

    against: int  # that arm
    is_own_copy: bool  # it copies the same message; else it is the first arm
    verdict: Verdict


class Gains(msgspec.Struct, frozen=True, kw_only=True):
    """The arms of a run of bulk or zerocopy, judged all in."""

    per_byte: dict[int, float]  # by arm that sent: clock units, of the median judged round
    arms: dict[int, Gain]  # by arm that sent, as did what it is set against
    a2: Verdict | None  # of the copy of the first arm; None where there is none
    alpha: float  # two-sided error of every interval; with those of the other looks 5 % in all


def gains_of(run: Run, judgement: Judgement) -> Gains | None:
    """Judge the cost of a byte in every arm, at the look where the calls were judged.

    Where those could not be, for want of a first arm, the looks are gone through anew. None for
    other scenarios, and where no two arms sent in every round.
    """
    if run.design.scenario not in SCENARIOS:
        return None
    costs = _costs(run, judgement)
    references = {
        arm: (against, is_own_copy)
        for arm, (against, is_own_copy) in _references(run.design.arms).items()
        if arm in costs and against in costs
    }
    if not references:
        return None
    ratios = [_log_ratios(costs, arm, against) for arm, (against, _) in references.items()]
    headline = _headline(run, ratios, judgement)
    return Gains(
        per_byte={
            arm: float(np.median(costs[arm][: headline.rounds]))
            for arm in range(len(run.design.arms))
            if arm in costs
        },
        arms={
            arm: Gain(
                against=against,
                is_own_copy=is_own_copy,
                verdict=_unless_withdrawn(run, headline, verdict, (arm, against)),
            )
            for (arm, (against, is_own_copy)), verdict in zip(
                references.items(), headline.verdicts, strict=True
            )
        },
        a2=_judge_a2(run, costs, headline),
        alpha=headline.alpha,
    )


def _costs(run: Run, judgement: Judgement) -> dict[int, FloatArray]:
    """Return what a byte cost in each round, as many as were judged, by arm that sent in all kept.

    Those of A2 stand behind the last arm's.
    """
    kept = len(run.rounds) - count_dropped(run)
    each = {arm: byte_costs(segments_of(run, arm)) for arm in range(len(run.design.arms) + 1)}
    return {
        arm: costs[: judgement.rounds or kept]
        for arm, costs in each.items()
        if costs is not None and costs.size == kept
    }


def _references(arms: Sequence[Arm]) -> dict[int, tuple[int, bool]]:
    """Return what each arm but the first is set against, and whether that is its own copy."""
    copies = {arm: copy_of(arms, arm) for arm in range(1, len(arms))}
    return {arm: (0, False) if copy is None else (copy, True) for arm, copy in copies.items()}


def _log_ratios(costs: Mapping[int, FloatArray], arm: int, against: int) -> FloatArray:
    return np.asarray(np.log(costs[arm] / costs[against]))


def _headline(run: Run, ratios: Sequence[FloatArray], judgement: Judgement) -> Headline:
    looks = divided_looks(run.design.looks, planned_pairs(run.design))
    return judge_headline(
        np.array(ratios),
        [look for look in looks if look.rounds >= judgement.rounds],
        run.design.effect,
        interval_of=sign_interval,
    )


def _judge_a2(run: Run, costs: Mapping[int, FloatArray], headline: Headline) -> Verdict | None:
    """Judge the copy of the first arm over the rounds, and at the error, of the others."""
    a2 = len(run.design.arms)
    if not {0, a2} <= costs.keys():
        return None
    interval = sign_interval(_log_ratios(costs, a2, 0)[: headline.rounds], headline.alpha)
    verdict = judge_interval(interval, run.design.effect)
    return _unless_withdrawn(run, headline, verdict, (a2, 0))


def _unless_withdrawn(
    run: Run, headline: Headline, verdict: Verdict, pair: tuple[int, int]
) -> Verdict:
    """Return a verdict on an arm and what it is set against, undecided where none may stand."""
    dropped = count_dropped(run)
    kept = len(run.rounds) - dropped
    reason = why_withdrawn(headline, kept, dropped) or _void_reason(run, *pair)
    return verdict if reason is None else withdrawn(verdict, reason)


def _void_reason(run: Run, arm: int, against: int) -> str | None:
    own, other = find_faults(run, arm).void, find_faults(run, against).void
    return own or (other and f"what it is set against is void: {other}")
