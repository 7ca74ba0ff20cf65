# SPDX-License-Identifier: MIT
"""What is shown of an imported measurement, and the sentences that say what it cannot show."""

import math
from collections.abc import Iterator, Sequence

import msgspec

from sockmeter.judge.peaks import CAUTIOUS_DISPERSION, Peak
from sockmeter.judge.published import ColumnFigures, PairFigures, PublishedFigures
from sockmeter.model.imported import ImportedRun, Rate
from sockmeter.model.units import Unit

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
MANY = 6  # columns above which a sentence does not name each


class Stated(msgspec.Struct, frozen=True, kw_only=True):
    """Figures that the source states about a column and that nothing here can check."""

    label: str
    figures: dict[str, float]  # in the view's unit


class PublishedView(msgspec.Struct, frozen=True, kw_only=True):
    """An imported measurement as it is shown."""

    source: str
    form: str
    unit: Unit | None
    edge: str | None
    said: list[str]
    cap: float | None  # of E[min(x, cap)]; None where every cost is bounded
    columns: list[ColumnFigures]
    pairs: list[PairFigures]  # places are into `columns`
    stated: list[Stated]
    rates: list[Rate]
    sentences: list[str]
    command: str


def make_published_view(run: ImportedRun, figures: PublishedFigures) -> PublishedView:
    """Return what is shown of an imported run and its figures."""
    return PublishedView(
        source=run.source,
        form=str(run.form),
        unit=run.unit,
        edge=run.edge,
        said=run.said,
        cap=figures.cap,
        columns=list(figures.columns),
        pairs=list(figures.pairs),
        stated=[
            Stated(label=column.label, figures=column.stated)
            for column in run.columns
            if column.stated
        ],
        rates=run.rates,
        sentences=[*_shown(run, figures), *_not_shown(run, figures), *run.remarks],
        command=run.command,
    )


def cost_words(cost: float) -> str:
    """Return a cost as 1.04, 2890.1 or 12,345."""
    if abs(cost) < 10:
        return f"{cost:.3g}"
    return f"{cost:,.0f}" if cost >= 10_000 else f"{cost:.1f}"


def edge_words(edge: float) -> str:
    """Return a bucket's edge as 8256, 12,345 or 0.5."""
    return cost_words(edge).removesuffix(".0")


def unit_words(unit: Unit | None) -> str:
    """Return a unit as it stands after a number and a space."""
    return {None: "of an unsaid unit", Unit.TICKS: "TSC ticks"}.get(unit, str(unit))


def pair_words(view_columns: Sequence[ColumnFigures], pair: PairFigures) -> str:
    """Return `recvmsg against recvfrom`."""
    return f"{view_columns[pair.other].label} against {view_columns[pair.baseline].label}"


def _shown(run: ImportedRun, figures: PublishedFigures) -> Iterator[str]:
    yield from _peaks(figures.columns)
    unit = unit_words(run.unit)
    for pair in figures.pairs[:MANY]:
        if pair.mix is not None:
            total = pair.mix.mix + pair.mix.within
            yield (
                f"{pair_words(figures.columns, pair)}: of {_signed(total)} {unit} between the "
                f"means, {_signed(pair.mix.mix)} are calls that changed peak and "
                f"{_signed(pair.mix.within)} are peaks that moved."
            )


def _peaks(columns: Sequence[ColumnFigures]) -> Iterator[str]:
    known = [(column.label, column.peaks) for column in columns if column.peaks]
    if not known:
        return
    counts = {sum(peak.closes_right for peak in peaks) for _, peaks in known}
    if len(counts) == 1:
        count = counts.pop()
        each = "; ".join(f"{label} {_places(peaks)}" for label, peaks in known[:MANY])
        more = "; …" if len(known) > MANY else ""
        where = _how_many(len(known)) if len(known) > 1 else "the column"
        yield f"{_number(count).capitalize()} peak{_s(count)} in {where}: {each}{more}."
        return
    for label, peaks in known[:MANY]:
        count = sum(peak.closes_right for peak in peaks)
        yield f"{label}: {_number(count)} peak{_s(count)}, {_places(peaks)}."


def _places(peaks: Sequence[Peak]) -> str:
    """Return `1856 + 2752 (+ 8000, rising into the overflow)`."""
    closed = " + ".join(edge_words(peak.lower) for peak in peaks if peak.closes_right)
    rising = ", ".join(edge_words(peak.lower) for peak in peaks if not peak.closes_right)
    return f"{closed} (+ {rising}, rising into the overflow)" if rising else closed


def _not_shown(run: ImportedRun, figures: PublishedFigures) -> Iterator[str]:
    columns = figures.columns
    yield from _open_ends(columns)
    yield from _resolution(columns, run.unit)
    yield from _undecided(figures)
    assumed = [column for column in columns if column.phi == CAUTIOUS_DISPERSION]
    if assumed:
        yield (
            "One run of a column does not tell how its counts scatter: a peak had to stand out of "
            f"{CAUTIOUS_DISPERSION:g} times the variance of chance."
        )
    for column in columns:
        if column.quantum is not None:
            yield f"{column.label}: the clock moves in steps of {column.quantum}."
    if any(column.stated for column in run.columns):
        yield "What the source states of a distribution that it does not show is not judged."
    if run.rates:
        yield "A rate has no distribution: nothing here can tell a difference from its scatter."
    if run.unit is None and run.columns:
        yield "Nothing says the unit of these costs: --unit names it."


def _open_ends(columns: Sequence[ColumnFigures]) -> Iterator[str]:
    opened = [column for column in columns if column.overflow]
    if opened:
        shares = sorted(column.overflow_share for column in opened)
        span = _span([f"{100 * share:.3f}" for share in (shares[0], shares[-1])])
        where = (
            "in any column"
            if len(opened) == len(columns)
            else f"in {', '.join(column.label for column in opened)}"
        )
        yield (
            f"The plain mean has no upper bound {where}: {span} % of the calls lie in an open "
            "bucket and may have cost anything."
        )
    by_edge: dict[float, list[str]] = {}
    for column in columns:
        if math.isinf(column.p99.high):
            by_edge.setdefault(column.p99.low, []).append(column.label)
    for edge, labels in by_edge.items():
        yield f"The p99 of {' and '.join(labels)} is only known to be ≥ {edge_words(edge)}."


def _resolution(columns: Sequence[ColumnFigures], unit: Unit | None) -> Iterator[str]:
    coarse = [
        (column.median_width, column.median_width / column.median.point)
        for column in columns
        if column.median_width is not None and column.median.point
    ]
    coarse = [(width, share) for width, share in coarse if share > 0.01]
    if coarse:
        widths = _span([edge_words(edge) for edge in (min(coarse)[0], max(coarse)[0])])
        shares = sorted(share for _, share in coarse)
        span = _span([f"{100 * share:.1f}" for share in (shares[0], shares[-1])])
        yield (
            f"A median is known to its bucket only, {widths} {unit_words(unit)} or {span} % of it; "
            "within that it is interpolated."
        )


def _undecided(figures: PublishedFigures) -> Iterator[str]:
    if not figures.pairs:
        return
    verdict = figures.pairs[0].verdict
    subject = "The difference is" if len(figures.pairs) == 1 else "Every difference is"
    yield (
        f"{subject} {verdict.word}, {verdict.reason}; that is {verdict.more_rounds} more runs of "
        "each at least, in random order."
    )


def _how_many(columns: int) -> str:
    return "both columns" if columns == 2 else f"all {_number(columns)} columns"


def _number(number: int) -> str:
    return NUMBERS[number] if number < len(NUMBERS) else str(number)


def _s(number: int) -> str:
    return "" if number == 1 else "s"


def _span(ends: list[str]) -> str:
    return ends[0] if ends[0] == ends[-1] else f"{ends[0]} to {ends[-1]}"


def _signed(cost: float) -> str:
    sign = "+" if cost > 0 else "−"
    return f"{sign}{cost_words(abs(cost))}"
