# SPDX-License-Identifier: MIT
"""What a byte costs all in, judged: zerocopy against the copy of the same message.

What a round says here is a mean, for sends and looks share no distribution, and a stall may be most
of it. The interval is therefore that of the sign test over rounds, which such a round moves by one
place. Errors, looks, and the smallest difference that matters are those of the calls.
"""

from collections.abc import Mapping

import msgspec
import numpy as np

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.compare import Judgement, why_withdrawn
from sockmeter.judge.intervals import sign_interval
from sockmeter.judge.looks import divided_looks
from sockmeter.judge.sending import byte_log_ratios
from sockmeter.judge.sequential import Headline, judge_headline
from sockmeter.judge.soundness import find_faults, segments_of
from sockmeter.judge.verdict import Verdict, judge_interval, withdrawn
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

    arms: tuple[Gain | None, ...]  # as in the design; None for the first, and for what sent nothing
    a2: Verdict | None  # of the copy of the first arm; None where there is none
    alpha: float  # two-sided error of every interval; with those of the other looks 5 % in all


def gains_of(run: Run, judgement: Judgement) -> Gains | None:
    """Judge the cost of a byte in every arm, at the look where the calls were judged.

    Where those could not be, for want of a first arm, the looks are gone through anew. None for
    other scenarios, and where no two arms sent in every round.
    """
    if run.design.scenario not in SCENARIOS:
        return None
    references = _references(run)
    ratios = _ratios(run, references, judgement)
    copy = ratios.pop(len(run.design.arms), None)
    if not ratios:
        return None
    headline = _headline(run, ratios, judgement)
    verdicts = dict(zip(ratios, headline.verdicts, strict=True))
    if copy is not None:
        interval = sign_interval(copy[: headline.rounds], headline.alpha)
        verdicts[len(run.design.arms)] = judge_interval(interval, run.design.effect)
    kept = _kept(run)
    for arm, verdict in verdicts.items():
        reason = why_withdrawn(headline, kept, judgement.rounds_dropped) or _void_reason(
            run, arm, references[arm]
        )
        if reason is not None:
            verdicts[arm] = withdrawn(verdict, reason)
    return Gains(
        arms=tuple(
            Gain(
                against=references[arm],
                is_own_copy=copy_of(run.design.arms, arm) is not None,
                verdict=verdicts[arm],
            )
            if arm in ratios
            else None
            for arm in range(len(run.design.arms))
        ),
        a2=verdicts.get(len(run.design.arms)),
        alpha=headline.alpha,
    )


def _references(run: Run) -> Mapping[int, int]:
    """Return what each arm but the first is set against, and the first arm's copy with them."""
    arms = run.design.arms
    copies = {arm: copy_of(arms, arm) for arm in range(1, len(arms))}
    return {arm: copy or 0 for arm, copy in copies.items()} | {len(arms): 0}


def _ratios(run: Run, references: Mapping[int, int], judgement: Judgement) -> dict[int, FloatArray]:
    """Return the log ratios of the arms that sent in every round, as many rounds as were judged."""
    ratios = {}
    for arm, against in references.items():
        found = byte_log_ratios(segments_of(run, against), segments_of(run, arm))
        if found is not None and found.size == _kept(run):
            ratios[arm] = found[: judgement.rounds or found.size]
    return ratios


def _headline(run: Run, ratios: Mapping[int, FloatArray], judgement: Judgement) -> Headline:
    looks = divided_looks(run.design.looks, planned_pairs(run.design))
    return judge_headline(
        np.array(list(ratios.values())),
        [look for look in looks if look.rounds >= judgement.rounds],
        run.design.effect,
        interval_of=sign_interval,
    )


def _kept(run: Run) -> int:
    return sum(finished.dropped is None for finished in run.rounds)


def _void_reason(run: Run, arm: int, against: int) -> str | None:
    own, other = find_faults(run, arm).void, find_faults(run, against).void
    return own or (other and f"what it is set against is void: {other}")
