# SPDX-License-Identifier: MIT
"""Runs of the simulated machine put before the judge."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.cells import Cells, spread
from sockmeter.judge.intervals import Interval
from sockmeter.judge.sequential import judge_headline
from sockmeter.judge.statistics import midmeans
from sockmeter.judge.verdict import Verdict, Word
from sockmeter.model.runs import Look
from tests.judge.builders import fixed_look
from tests.simulation.law import LAYOUT, Segments, draw_counts
from tests.simulation.machine import Machine, Runs, make_runs

EFFECT = 0.01


@dataclass(frozen=True, slots=True)
class Tally:
    """What the judge said about many runs of the same truth."""

    verdicts: tuple[Verdict, ...]
    true_log_ratio: float

    def count(self, *words: Word) -> int:
        """Number of runs that were given one of the words."""
        return sum(verdict.word in words for verdict in self.verdicts)

    def share(self, *words: Word) -> float:
        """Share of the runs that were given one of the words."""
        return self.count(*words) / len(self.verdicts)

    @property
    def mean_rounds(self) -> float:
        """Rounds at the stop, on average."""
        return float(np.mean([_interval(verdict).rounds for verdict in self.verdicts]))

    @property
    def coverage(self) -> float:
        """Share of the runs whose last interval holds the truth."""
        intervals = [_interval(verdict) for verdict in self.verdicts]
        return float(np.mean([i.low <= self.true_log_ratio <= i.high for i in intervals]))


def try_fixed(
    machine: Machine,
    rounds: int,
    runs: int,
    seed: int,
    *,
    true_change: float = 0.0,
    columns: int = 3,
) -> Tally:
    """Judge runs of a fixed number of rounds, all the error spent at their end."""
    return try_looks(
        machine, fixed_look(rounds), runs, seed, true_change=true_change, columns=columns
    )


def try_looks(
    machine: Machine,
    looks: Sequence[Look],
    runs: int,
    seed: int,
    *,
    true_change: float = 0.0,
    columns: int = 3,
) -> Tally:
    """Judge runs that stop at the first conclusive look."""
    generator = np.random.default_rng(seed)
    simulated = make_runs(
        machine,
        generator,
        runs=runs,
        rounds=looks[-1].rounds,
        true_change=true_change,
        columns=columns,
    )
    log_ratios = log_ratios_of(simulated, generator)
    verdicts = (judge_headline(pair[None, :], looks, EFFECT).verdicts[0] for pair in log_ratios)
    return Tally(tuple(verdicts), float(np.log1p(true_change)))


def log_ratios_of(runs: Runs, generator: np.random.Generator) -> FloatArray:
    """Return the midmeans' log ratio of arm to baseline, shape (runs, rounds)."""
    baseline, arm = (midmeans(cells_of(runs, column, generator)) for column in (0, 1))
    return np.log(arm / baseline).reshape(runs.position.shape[:2])


def cells_of(runs: Runs, column: int, generator: np.random.Generator) -> Cells:
    """Draw one column's calls in all rounds of all runs, a row for each."""
    flat = Segments(
        *(
            values[:, :, column].ravel()
            for values in (
                runs.segments.scale,
                runs.segments.fast_share,
                runs.segments.tail_share,
            )
        )
    )
    return spread(draw_counts(flat, generator), LAYOUT)


def _interval(verdict: Verdict) -> Interval:
    if verdict.interval is None:
        raise ValueError("a simulated run was judged without an interval")
    return verdict.interval
