# SPDX-License-Identifier: MIT
"""The headline verdicts of a run that may stop at its looks, and at nothing else."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.intervals import Interval, hodges_lehmann
from sockmeter.judge.looks import check_looks, look_ahead
from sockmeter.judge.verdict import Verdict, judge_interval, undecided
from sockmeter.model.runs import Look

IntervalOf = Callable[[FloatArray, float], Interval]  # log ratios over rounds, two-sided error


@dataclass(frozen=True, slots=True)
class Headline:
    """The verdicts of all pairs at the look where the run was judged."""

    rounds: int  # the first so many kept rounds were used
    alpha: float  # two-sided error of every interval
    cut_short: str | None  # why no verdict is due: the run ended between looks; else None
    verdicts: tuple[Verdict, ...]  # a verdict for each pair

    @property
    def is_conclusive(self) -> bool:
        """Whether every pair is settled, so that the run stops here."""
        return self.cut_short is None and all(verdict.is_conclusive for verdict in self.verdicts)


def judge_headline(
    log_ratios: FloatArray,
    looks: Sequence[Look],
    effect: float,
    *,
    interval_of: IntervalOf = hodges_lehmann,
) -> Headline:
    """Judge log ratios of arms to the baseline, shape (pairs, rounds), at the looks reached.

    The first look at which every pair is conclusive is the last: rounds after it do not count.
    Rounds past a look without reaching the next (the run was interrupted) give intervals, at the
    error of that next look, but no verdict. `looks` are those of one pair, already divided.
    """
    check_looks(looks)
    rounds = log_ratios.shape[1]
    reached = [look for look in looks if look.rounds <= rounds]
    for look in reached:
        headline = _at_look(log_ratios, look, effect, interval_of)
        if headline.is_conclusive:
            return headline
    ahead = look_ahead(looks, rounds)
    if reached and (ahead is None or reached[-1].rounds == rounds):
        return _at_look(log_ratios, reached[-1], effect, interval_of)
    return _between_looks(log_ratios, ahead or looks[0], effect, interval_of)


def _at_look(
    log_ratios: FloatArray, look: Look, effect: float, interval_of: IntervalOf
) -> Headline:
    intervals = (interval_of(pair[: look.rounds], look.alpha) for pair in log_ratios)
    verdicts = tuple(judge_interval(interval, effect) for interval in intervals)
    return Headline(rounds=look.rounds, alpha=look.alpha, cut_short=None, verdicts=verdicts)


def _between_looks(
    log_ratios: FloatArray, ahead: Look, effect: float, interval_of: IntervalOf
) -> Headline:
    rounds = log_ratios.shape[1]
    reason = f"the run ended after {rounds} rounds, before its look at {ahead.rounds}"
    verdicts = tuple(
        undecided(
            reason,
            effect,
            interval=interval_of(pair, ahead.alpha),
            more_rounds=ahead.rounds - rounds,
        )
        for pair in log_ratios
    )
    return Headline(rounds=rounds, alpha=ahead.alpha, cut_short=reason, verdicts=verdicts)
