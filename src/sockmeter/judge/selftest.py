# SPDX-License-Identifier: MIT
"""Judges the judge: rounds of identical arms and of arms with known work, cut into trials.

Rounds are independent pairs, so a long run is many short ones laid end to end: consecutive blocks
of rounds are trials, none of which shares a round with another.
"""

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.assess import midmeans_of
from sockmeter.judge.intervals import hodges_lehmann
from sockmeter.judge.sequential import judge_headline
from sockmeter.judge.verdict import Verdict, Word, judge_interval
from sockmeter.model.errors import JudgementError
from sockmeter.model.runs import Look, Run
from sockmeter.model.selftests import Detection, Injection, Selftest
from sockmeter.plan.designs import ALPHA, EFFECT, LOOKS

TRIAL_ROUNDS = 20
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


def size_injections(run: Run, work: Sequence[int], nominal: Sequence[float]) -> list[Injection]:
    """Return the multiplies that come nearest to each nominal share of the call.

    `run` is a calibration whose three arms inject `work`: none, a few, and many multiplies.
    Entering the chain costs something too. Raises JudgementError where its slope drowns in noise.
    """
    plain, few, many = (midmeans_of(run, arm) for arm in range(3))
    if plain.size == 0:
        raise JudgementError("no round of the calibration was kept", mend="see: sockmeter doctor")
    # Differences within rounds: the level of a round is worth nothing against another's.
    slope = float(np.median(many - few)) / (work[2] - work[1])
    if slope <= 0:
        raise JudgementError(
            f"{work[2]} multiplies cost no more than {work[1]}: the calibration drowns in noise",
            mend="see: sockmeter doctor",
        )
    level = float(np.median(plain))
    entry = float(np.median(few - plain)) - work[1] * slope
    return [_size(share, level, entry, slope) for share in nominal]


def _size(nominal: float, level: float, entry: float, slope: float) -> Injection:
    multiplies = max(round((nominal * level - entry) / slope), 1)
    share = (entry + multiplies * slope) / level
    return Injection(nominal=nominal, share=share, multiplies=multiplies)


def judge_selftest(run: Run, injections: Sequence[Injection]) -> Selftest:
    """Judge the plain call's copy and every injection against the plain call.

    `run` holds the plain call, each injection in order, and the copy. When, where and how long it
    was measured is for the caller to add. Raises JudgementError for less than one trial.
    """
    midmeans = [midmeans_of(run, arm) for arm in range(len(run.design.arms) + 1)]
    if midmeans[0].size < TRIAL_ROUNDS:
        raise JudgementError(
            f"{midmeans[0].size} rounds: a trial needs {TRIAL_ROUNDS}",
            mend="give it more --seconds",
        )
    baseline, *loaded, copy = map(np.log, midmeans)
    same = fixed_trials(copy - baseline, EFFECT)
    looked = looked_trials(copy - baseline, LOOKS, EFFECT)
    return Selftest(
        call=run.design.arms[0].call,
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


def is_surely_broken(selftest: Selftest) -> bool:
    """Say whether so many false alarms cannot be chance in a judge that holds its 5 %."""
    alarms = selftest.slower + selftest.faster
    return tail_of_binomial(selftest.trials, alarms, ALPHA) < SURELY_BROKEN


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
