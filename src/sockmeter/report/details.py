# SPDX-License-Identifier: MIT
"""What stands behind the first table: the shift of every quantile, and the machine."""

from collections.abc import Sequence

from sockmeter.judge.accounting import Accounting, account
from sockmeter.judge.assess import Assessment
from sockmeter.judge.intervals import Interval
from sockmeter.judge.shift import ShiftPoint
from sockmeter.judge.tails import TAIL_EFFECT
from sockmeter.judge.verdict import Verdict
from sockmeter.model.environment import Environment
from sockmeter.model.runs import Run
from sockmeter.report.tables import Cell, Table
from sockmeter.report.wording import interval_words, percent, verdict_words


def shift_table(assessment: Assessment, labels: Sequence[str]) -> Table | None:
    """Return each quantile's difference; None where no arm was compared.

    The band is simultaneous: with the error of the table, none of the rows is wrong.
    """
    columns: list[tuple[str, tuple[ShiftPoint, ...]]] = [
        (label, outcome.comparison.shift)
        for label, outcome in zip(labels, assessment.arms, strict=True)
        if outcome.comparison is not None and outcome.comparison.shift
    ]
    if not columns:
        return None
    probabilities = [point.probability for point in columns[0][1]]
    return Table(
        title=f"Difference of each quantile against {labels[0]}, one band for all",
        columns=["quantile", *(label for label, _ in columns)],
        rows=[
            [
                Cell(f"{probability:.0%}"),
                *(_interval_cell(points[index].interval) for _, points in columns),
            ]
            for index, probability in enumerate(probabilities)
        ],
    )


def statistics_table(assessment: Assessment, labels: Sequence[str]) -> Table | None:
    """Return the differences of the other statistics, which are shown and not judged."""
    rows = [
        [
            Cell(label),
            _interval_cell(shown.median),
            _interval_cell(shown.cheapest_90),
            _interval_cell(shown.mean),
        ]
        for label, outcome in zip(labels, assessment.arms, strict=True)
        if outcome.comparison is not None and (shown := outcome.comparison.shown) is not None
    ]
    if not rows:
        return None
    return Table(
        title=f"Other statistics against {labels[0]}, not judged",
        columns=["call", "median", "cheapest 90 %", "plain mean"],
        rows=rows,
    )


def tails_table(assessment: Assessment, labels: Sequence[str]) -> Table | None:
    """Return the verdicts on the dear calls."""
    rows = [
        [
            Cell(label),
            _verdict_cell(tails.p99),
            _verdict_cell(tails.capped_mean),
            _verdict_cell(tails.rate_over_cap),
        ]
        for label, outcome in zip(labels, assessment.arms, strict=True)
        if outcome.comparison is not None and (tails := outcome.comparison.tails) is not None
    ]
    if not rows:
        return None
    return Table(
        title=f"Tails against {labels[0]}, judged at ±{percent(TAIL_EFFECT)}; "
        f"the cap is {assessment.judgement.cap:,.0f}",
        columns=["call", "p99", "capped mean", "rate over the cap"],
        rows=rows,
        wordy=frozenset(range(4)),
    )


def peaks_table(assessment: Assessment, labels: Sequence[str], unit: str) -> Table | None:
    """Return where the calls of each arm gather; None where every arm has one peak."""
    rows = []
    summaries = [(label, arm.summary) for label, arm in zip(labels, assessment.arms, strict=True)]
    for label, summary in summaries:
        for number, peak in enumerate(summary.peaks if summary else ()):
            closing = "" if peak.closes_right else "rises into the overflow"
            rows.append(
                [
                    Cell(label if number == 0 else ""),
                    Cell(f"{peak.lower:,.0f}"),
                    Cell(f"{peak.share:.1%}"),
                    Cell(f"{peak.z:,.1f}"),
                    Cell(closing),
                ]
            )
    if len(rows) <= sum(summary is not None for _, summary in summaries):
        return None
    return Table(
        title="Peaks: where calls gather, by persistence",
        columns=["call", f"at\n{unit}", "share of\ncalls", "z", ""],
        rows=rows,
        wordy=frozenset({0, 4}),
    )


def mix_sentences(assessment: Assessment, labels: Sequence[str], unit: str) -> list[str]:
    """Return what part of each difference is calls that changed mode (Kitagawa and Oaxaca)."""
    return [
        f"{label}: of the change, {comparison.mix.mix:+,.0f} {unit} are calls that moved between "
        f"peaks and {comparison.mix.within:+,.0f} {unit} are peaks that moved."
        for label, outcome in zip(labels, assessment.arms, strict=True)
        if (comparison := outcome.comparison) is not None and comparison.mix is not None
    ]


def accounting_table(run: Run, labels: Sequence[str]) -> Table:
    """Return where the time of each arm went, by the calls' clock and by the kernel's."""
    rows = []
    for arm, label in enumerate(labels):
        spent = account(run, arm)
        if spent is not None:
            rows.append([Cell(label), *map(Cell, _accounting_cells(spent))])
    return Table(
        title="Where the time went: the calls' clock against the kernel's",
        columns=[
            "call",
            "elapsed\nms",
            "on CPU",
            "in calls\nof CPU time",
            "involuntary\nswitches",
            "steal\nms",
        ],
        rows=rows,
    )


def _accounting_cells(spent: Accounting) -> list[str]:
    steal = "unknown" if spent.steal_ns is None else f"{spent.steal_ns / 1e6:,.0f}"
    return [
        f"{spent.elapsed_ns / 1e6:,.0f}",
        _share(spent.share_on_cpu),
        _share(spent.share_in_calls),
        f"{spent.involuntary_switches:,}",
        steal,
    ]


def _share(share: float | None) -> str:
    return "unknown" if share is None else f"{share:.1%}"


def machine_table(environment: Environment) -> Table:
    """Return every fact about the machine, and why those are missing that are."""
    rows = []
    for name, fact in environment.facts.items():
        text = (
            f"(missing: {fact.missing})"
            if fact.value is None
            else ", ".join(fact.value)
            if isinstance(fact.value, list)
            else str(fact.value)
        )
        rows.append([Cell(name), Cell(f"{text} {fact.unit}" if fact.unit else text)])
    return Table(title="Machine", columns=["fact", "value"], rows=rows, wordy=frozenset({0, 1}))


def _interval_cell(interval: Interval) -> Cell:
    return Cell(interval_words(interval))


def _verdict_cell(verdict: Verdict) -> Cell:
    seen = f"{interval_words(verdict.interval)} " if verdict.interval else ""
    return Cell(f"{seen}{verdict_words(verdict)}")
