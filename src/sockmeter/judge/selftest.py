# SPDX-License-Identifier: MIT
"""Judges the judge: rounds of identical arms and of arms with known work, cut into trials.

Rounds are independent pairs, so a long run is many short ones laid end to end: consecutive blocks
of rounds are trials, none of which shares a round with another.
"""

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.intervals import hodges_lehmann
from sockmeter.judge.sequential import judge_headline
from sockmeter.judge.verdict import Verdict, Word, judge_interval
from sockmeter.model.runs import Look
from sockmeter.model.selftests import Detection, Injection, Selftest
from sockmeter.plan.designs import ALPHA, LOOKS

TRIAL_ROUNDS = 20
EFFECT = 0.01
SURELY_BROKEN = 1e-4  # chance of so many false alarms if the judge held its 5 %


class Trials(msgspec.Struct, frozen=True, kw_only=True):
    """The verdicts of consecutive trials of one pair of arms."""

    words: tuple[Word, ...]
    rounds: tuple[int, ...]  # that each trial used
    estimates: tuple[float, ...]  # log ratios
    half_widths: tuple[float, ...]  # log ratios

    def count(self, word: Word) -> int:
        """Return how many trials ended with this verdict."""
        return sum(each is word for each in self.words)


def judge_selftest(
    call: str, midmeans: Sequence[FloatArray], injections: Sequence[Injection]
) -> Selftest:
    """Judge the plain call's copy and every injection against the plain call.

    `midmeans` holds an array of shape (rounds,) for the plain call, each injection in order, and
    the copy. When, where and how long it was measured is for the caller to add.
    """
    baseline, *loaded, copy = (np.log(levels) for levels in midmeans)
    same = fixed_trials(copy - baseline, EFFECT)
    looked = looked_trials(copy - baseline, LOOKS, EFFECT)
    return Selftest(
        call=call,
        rounds_per_trial=TRIAL_ROUNDS,
        trials=len(same.words),
        slower=same.count(Word.SLOWER),
        faster=same.count(Word.FASTER),
        no_difference=same.count(Word.NO_DIFFERENCE),
        looked_trials=len(looked.words),
        looked_slower=looked.count(Word.SLOWER),
        looked_faster=looked.count(Word.FASTER),
        looked_no_difference=looked.count(Word.NO_DIFFERENCE),
        looked_mean_rounds=float(np.mean(looked.rounds)) if looked.rounds else None,
        noise_floor=float(np.expm1(np.median(same.half_widths))),
        detections=[
            _detection(injection, fixed_trials(arm - baseline, EFFECT))
            for injection, arm in zip(injections, loaded, strict=True)
        ],
    )


def fixed_trials(log_ratios: FloatArray, effect: float, *, rounds: int = TRIAL_ROUNDS) -> Trials:
    """Judge every whole block of `rounds` of the pair, shape (rounds,), at 5 %."""
    whole = len(log_ratios) // rounds * rounds
    blocks = log_ratios[:whole].reshape(-1, rounds)
    verdicts = [judge_interval(hodges_lehmann(block, ALPHA), effect) for block in blocks]
    return _trials(verdicts, [rounds] * len(verdicts))


def looked_trials(log_ratios: FloatArray, looks: Sequence[Look], effect: float) -> Trials:
    """Judge trial after trial as a run with looks would: each begins where the last one stopped.

    A rest too short to reach the last look is left out: it could only stop early.
    """
    verdicts, lengths = [], []
    for verdict, rounds in _sequential(log_ratios, looks, effect):
        verdicts.append(verdict)
        lengths.append(rounds)
    return _trials(verdicts, lengths)


def tail_of_binomial(trials: int, events: int, share: float) -> float:
    """Return the chance of at least `events` in `trials`, each with probability `share`."""
    if events <= 0:
        return 1.0
    counts = np.arange(1, trials + 1)
    steps = np.log(trials - counts + 1) - np.log(counts) + np.log(share) - np.log1p(-share)
    logs = trials * np.log1p(-share) + np.concatenate([[0.0], np.cumsum(steps)])
    return float(np.exp(logs[events:]).sum())


def _detection(injection: Injection, trials: Trials) -> Detection:
    return Detection(
        injection=injection,
        trials=len(trials.words),
        slower=trials.count(Word.SLOWER),
        estimate=float(np.expm1(np.median(trials.estimates))),
    )


def _sequential(
    log_ratios: FloatArray, looks: Sequence[Look], effect: float
) -> Iterator[tuple[Verdict, int]]:
    start = 0
    while start + looks[-1].rounds <= len(log_ratios):
        rest = log_ratios[start : start + looks[-1].rounds]
        headline = judge_headline(rest[np.newaxis, :], looks, effect)
        start += headline.rounds
        yield headline.verdicts[0], headline.rounds


def _trials(verdicts: Sequence[Verdict], rounds: Sequence[int]) -> Trials:
    intervals = [verdict.interval for verdict in verdicts if verdict.interval is not None]
    return Trials(
        words=tuple(verdict.word for verdict in verdicts),
        rounds=tuple(rounds),
        estimates=tuple(interval.estimate for interval in intervals),
        half_widths=tuple(interval.half_width for interval in intervals),
    )
