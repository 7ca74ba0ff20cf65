# SPDX-License-Identifier: MIT
"""What a self-test found, in words."""

from sockmeter.judge.selftest import is_surely_broken
from sockmeter.model.selftests import Detection, Selftest
from sockmeter.report.tables import Cell, Table
from sockmeter.report.wording import percent, plural, signed_percent


def selftest_table(selftest: Selftest) -> Table:
    """Return false alarms and power, a line a question."""
    fixed = f"{selftest.call} against itself, {selftest.rounds_per_trial} rounds"
    rows = [
        _row(
            fixed,
            selftest.trials,
            selftest.slower,
            selftest.faster,
            selftest.no_difference,
        )
    ]
    if selftest.looked_mean_rounds is not None:
        rounds = selftest.looked_mean_rounds
        rows.append(
            _row(
                f"the same, stopping at its looks (after {rounds:.0f} rounds in the mean)",
                selftest.looked_trials,
                selftest.looked_slower,
                selftest.looked_faster,
                selftest.looked_no_difference,
            )
        )
    rows += [_detection(each) for each in selftest.detections]
    return Table(
        title=f"Self-test of the judge on {selftest.call}",
        columns=["question", "trials", "slower", "faster", "no difference"],
        rows=rows,
    )


def selftest_sentences(selftest: Selftest) -> list[str]:
    """Return what it means for a measurement here."""
    sentences = []
    alarms = selftest.slower + selftest.faster
    if selftest.trials:
        seen = f"{alarms} of {plural(selftest.trials, 'trial')} of identical arms"
        sentences.append(
            f"WARNING: {seen} were judged different, far more than the 5 % that are allowed: "
            "verdicts cannot be trusted here."
            if is_surely_broken(selftest)
            else f"{seen} were judged different; 5 % are allowed for."
        )
    if selftest.noise_floor is not None:
        sentences.append(
            f"Here, {selftest.rounds_per_trial} rounds resolve {percent(selftest.noise_floor)}."
        )
    if selftest.busy:
        sentences.append(f"{plural(selftest.busy, 'neighbour')} kept the machine busy on purpose.")
    return sentences


def _row(question: str, trials: int, slower: int, faster: int, no_difference: int) -> list[Cell]:
    counts = [_count(number, trials) for number in (slower, faster, no_difference)]
    return [Cell(question), Cell(f"{trials:,}"), *counts]


def _detection(detection: Detection) -> list[Cell]:
    injection = detection.injection
    question = (
        f"{percent(injection.nominal)} of work injected ({injection.multiplies} multiplies, "
        f"{percent(injection.share)}), seen as {signed_percent(detection.estimate)}"
    )
    found = _count(detection.slower, detection.trials)
    return [Cell(question), Cell(f"{detection.trials:,}"), found, Cell(""), Cell("")]


def _count(number: int, trials: int) -> Cell:
    return Cell(f"{number:,} ({number / trials:.0%})" if trials else "–")
