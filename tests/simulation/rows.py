# SPDX-License-Identifier: MIT
"""The acceptance table: what a correct judge reaches on the simulated machine."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.stats import wilcoxon

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.intervals import hodges_lehmann
from sockmeter.judge.shift import shift_function
from sockmeter.judge.statistics import SHIFT_PROBABILITIES, quantiles
from sockmeter.judge.verdict import Word, judge_interval
from sockmeter.plan.designs import LOOKS
from tests.simulation.bucket_error import worst_reading_error
from tests.simulation.machine import Machine, make_runs
from tests.simulation.means import words_by_the_mean
from tests.simulation.trials import EFFECT, cells_of, log_ratios_of, try_fixed, try_looks

DIFFERENT = (Word.SLOWER, Word.FASTER)


@dataclass(frozen=True, slots=True)
class Reached:
    """One bound and what was reached."""

    check: str
    bound: str
    value: float
    holds: bool


def at_most(check: str, value: float, bound: float) -> Reached:
    """Return the outcome of an upper bound."""
    return Reached(check, f"<= {bound:g}", value, value <= bound)


def at_least(check: str, value: float, bound: float) -> Reached:
    """Return the outcome of a lower bound."""
    return Reached(check, f">= {bound:g}", value, value >= bound)


def identical_arms(
    machine: Machine, seed: int, *, runs: int = 1000, bound: int = 67
) -> list[Reached]:
    """Judge A/A runs of 20 rounds."""
    different = try_fixed(machine, 20, runs, seed).count(*DIFFERENT)
    return [at_most(f"A/A {machine}, 20 rounds, of {runs}: different", different, bound)]


def identical_arms_with_looks(seed: int) -> list[Reached]:
    """Judge 200 A/A runs that may stop at their looks."""
    tally = try_looks(Machine.S4, LOOKS, 200, seed)
    return [
        at_most("A/A S4, looks, of 200: slower", tally.count(Word.SLOWER), 6),
        at_most("A/A S4, looks, of 200: different", tally.count(*DIFFERENT), 9),
        at_least("A/A S4, looks: share no difference", tally.share(Word.NO_DIFFERENCE), 0.95),
        at_least("A/A S4, looks: coverage at the stop", tally.coverage, 0.95),
    ]


def power_at_the_effect(seed: int) -> list[Reached]:
    """Judge 1,000 runs of a true +1 %, which is the effect itself, with looks."""
    tally = try_looks(Machine.S4, LOOKS, 1000, seed, true_change=EFFECT)
    return [
        at_least("+1 % S4, looks: share slower within 80 rounds", tally.share(Word.SLOWER), 0.95),
        at_most("+1 % S4, looks: mean rounds", tally.mean_rounds, 45),
        at_most("truth at X: share no difference", tally.share(Word.NO_DIFFERENCE), 0.05),
        at_least("truth at X: coverage at the stop", tally.coverage, 0.95),
    ]


def power_beyond_the_effect(seed: int) -> list[Reached]:
    """Judge 1,000 runs each of +2 % and +5 % on S4, and 10,000 of +1 % on S0.

    On a quiet machine a true change of X itself is called "no difference" as often as the upper end
    misses the truth, 2.4 % at 10 rounds: the bound lies so close that 1,000 runs would miss it by
    chance once in eight seeds.
    """
    twice = try_fixed(Machine.S4, 20, 1000, seed, true_change=0.02)
    five = try_fixed(Machine.S4, 20, 1000, seed + 1, true_change=0.05)
    quiet = try_fixed(Machine.S0, 10, 10_000, seed + 2, true_change=EFFECT)
    return [
        at_least("+2 % S4, 20 rounds: share slower", twice.share(Word.SLOWER), 0.95),
        at_least("+5 % S4, 20 rounds: share slower", five.share(Word.SLOWER), 0.97),
        at_least("+1 % S0, 10 rounds: share slower", quiet.share(Word.SLOWER), 0.97),
    ]


def resonance(seed: int) -> list[Reached]:
    """Judge 200 A/A runs of two columns, so that every round has one segment of either phase."""
    tally = try_fixed(Machine.S5, 20, 200, seed, columns=2)
    return [at_most("period-2 A/A, of 200: different", tally.count(*DIFFERENT), 18)]


def means_of_identical_arms(
    seed: int, *, machines: Iterable[Machine] = tuple(Machine), runs: int = 1000, bound: int = 67
) -> list[Reached]:
    """Judge A/A runs by the means of their rounds, and runs of a true +1 %, which is the effect."""
    reached = []
    for machine in machines:
        words = words_by_the_mean(machine, seed, runs=runs)
        different = sum(word in DIFFERENT for word in words)
        reached.append(at_most(f"A/A {machine} by means, of {runs}: different", different, bound))
    words = words_by_the_mean(Machine.S4, seed + 1, runs=runs, true_change=EFFECT)
    share = words.count(Word.NO_DIFFERENCE) / runs
    return [*reached, at_most("truth at X by means: share no difference", share, 0.05)]


def shift_of_identical_arms(seed: int, *, runs: int = 1000, bound: int = 67) -> list[Reached]:
    """Count the A/A runs in which the band leaves out 0 at any quantile."""
    generator = np.random.default_rng(seed)
    simulated = make_runs(Machine.S4, generator, runs=runs, rounds=20)
    before, after = (
        quantiles(cells_of(simulated, column, generator), SHIFT_PROBABILITIES) for column in (0, 1)
    )
    log_ratios = np.log(after / before).reshape(runs, 20, len(SHIFT_PROBABILITIES))
    false = _runs_with_a_false_quantile(log_ratios, generator)
    return [at_most(f"shift A/A S4, of {runs}: any false quantile", false, bound)]


def shift_of_independent_quantiles(
    seed: int, *, runs: int = 1000, bound: int = 67
) -> list[Reached]:
    """Do the same where every quantile moves by itself: there the signs of d matter most."""
    generator = np.random.default_rng(seed)
    log_ratios = generator.normal(0.0, 0.01, (runs, 20, len(SHIFT_PROBABILITIES)))
    false = _runs_with_a_false_quantile(log_ratios, generator)
    return [at_most(f"shift A/A independent, of {runs}: any false", false, bound)]


def _runs_with_a_false_quantile(log_ratios: FloatArray, generator: np.random.Generator) -> int:
    return sum(
        any(
            point.interval.excludes_zero
            for point in shift_function(run, SHIFT_PROBABILITIES, 0.05, generator)
        )
        for run in log_ratios
    )


def forecasts_followed(seed: int) -> list[Reached]:
    """Follow "N more rounds" of the inconclusive ones of 360 runs of 20 rounds.

    The true change is none, half the effect (the hardest to settle) and the effect itself.
    """
    generator = np.random.default_rng(seed)
    alpha, most = LOOKS[0].alpha, 400
    followed, conclusive = 0, 0
    for true_change in (0.0, EFFECT / 2, EFFECT):
        runs = make_runs(Machine.S4, generator, runs=120, rounds=most, true_change=true_change)
        for log_ratios in log_ratios_of(runs, generator):
            first = judge_interval(hodges_lehmann(log_ratios[:20], alpha), EFFECT, most_rounds=most)
            if first.word is not Word.INCONCLUSIVE or first.more_rounds is None:
                continue
            longer = hodges_lehmann(log_ratios[: 20 + first.more_rounds], alpha)
            followed += 1
            conclusive += judge_interval(longer, EFFECT).is_conclusive
    return [at_least(f"forecasts followed ({followed}): conclusive", conclusive / followed, 0.75)]


def exact_intervals(seed: int) -> list[Reached]:
    """Invert SciPy's exact signed-rank test on random rounds, and compare the ends."""
    generator = np.random.default_rng(seed)
    worst = 0.0
    for rounds, alpha in (
        (6, 0.05),
        (8, 0.05),
        (10, 0.05),
        (20, 0.01),
        (20, 0.05),
        (40, 0.015),
        (80, 0.025),
    ):
        log_ratios = generator.standard_t(3, rounds)
        interval = hodges_lehmann(log_ratios, alpha)
        low, high = inverted_wilcoxon(log_ratios, alpha)
        worst = max(worst, abs(interval.low - low), abs(interval.high - high))
    return [at_most("interval against inverted scipy.stats.wilcoxon", worst, 1e-9)]


def bucket_errors(seed: int) -> list[Reached]:
    """Read a true +1 % through buckets and clock, at costs all over the scale; in points."""
    generator = np.random.default_rng(seed)
    return [
        at_most(
            f"+1 %, clock step {step}: error in points", worst_reading_error(step, generator), 0.02
        )
        for step in (1, 26)
    ]


def inverted_wilcoxon(log_ratios: FloatArray, alpha: float) -> tuple[float, float]:
    """Return the ends of the set of shifts that the exact test does not reject, by bisection."""

    def rejects(shift: float) -> bool:
        return bool(wilcoxon(log_ratios - shift, method="exact").pvalue <= alpha)

    def end(outside: float, inside: float) -> float:
        while abs(outside - inside) > 1e-11:
            middle = (outside + inside) / 2
            outside, inside = (middle, inside) if rejects(middle) else (outside, middle)
        return (outside + inside) / 2

    centre = float(np.median(log_ratios))
    reach = float(np.ptp(log_ratios)) + 1.0
    return end(centre - reach, centre), end(centre + reach, centre)


ROWS: dict[str, Callable[[int], list[Reached]]] = {
    **{f"identical-{machine}": partial(identical_arms, machine) for machine in Machine},
    "looks": identical_arms_with_looks,
    "power-1": power_at_the_effect,
    "power": power_beyond_the_effect,
    "resonance": resonance,
    "means": means_of_identical_arms,
    "shift": shift_of_identical_arms,
    "shift-independent": shift_of_independent_quantiles,
    "forecast": forecasts_followed,
    "exact": exact_intervals,
    "buckets": bucket_errors,
}
