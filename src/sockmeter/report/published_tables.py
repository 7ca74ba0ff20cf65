# SPDX-License-Identifier: MIT
"""The tables of an imported measurement, and how each format draws them."""

import csv
import io
import math
import statistics
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from sockmeter.judge.coarse import Bounds
from sockmeter.judge.published import Change, ColumnFigures
from sockmeter.report.fitting import draw_text
from sockmeter.report.published import (
    PublishedView,
    cost_words,
    edge_words,
    pair_words,
    unit_words,
)
from sockmeter.report.tables import Cell, Table, draw_markdown
from sockmeter.report.wording import range_words, signed_percent

NOTHING = Cell("–")
STATED = ("min", "mean", "p50", "p90", "p99", "max", "sd")


def draw_published(view: PublishedView) -> Group:
    """Return what a terminal shows of an imported measurement."""
    parts: list[RenderableType] = [Text(title(view), style="bold")]
    parts += [Text(line, style="dim") for line in view.said]
    parts += [draw_text(table) for table in published_tables(view)]
    parts += [Text(sentence) for sentence in view.sentences]
    return Group(*parts)


def draw_published_markdown(view: PublishedView) -> str:
    """Return it for a pull request."""
    tables = "\n".join(draw_markdown(table) for table in published_tables(view))
    notes = "\n".join(f"- {sentence}" for sentence in view.sentences)
    return f"**{title(view)}**\n\n{tables}\n{notes}\n\n`{view.command}`\n"


def title(view: PublishedView) -> str:
    """Return what was imported, in one line."""
    unit = (
        (f"{unit_words(view.unit)} a call" if view.unit else "unit not said")
        if view.columns or view.stated
        else None
    )
    parts = (f"imported: {view.source}", view.form, unit, view.edge)
    return " · ".join(part for part in parts if part)


def published_tables(view: PublishedView) -> list[Table]:
    """Return the tables that the view has something for."""
    tables = []
    if view.columns:
        tables.append(_columns_table(view))
    if view.pairs:
        tables.append(_pairs_table(view))
    if view.stated:
        tables.append(_stated_table(view))
    if view.rates:
        tables.append(_rates_table(view))
    return tables


def _columns_table(view: PublishedView) -> Table:
    columns = ["column", "calls", "median", "p99"]
    if view.cap is not None:
        edge = edge_words(view.cap)
        columns += [f"E[min(x, {edge})]", f"from {edge} up"]
    return Table(
        title="",
        columns=[*columns, "mean"],
        rows=[_column_row(column, view.cap) for column in view.columns],
    )


def _column_row(column: ColumnFigures, cap: float | None) -> list[Cell]:
    cells = [
        Cell(column.label),
        Cell(f"{column.calls:,}"),
        _bounds_cell(column.median),
        _bounds_cell(column.p99),
    ]
    if cap is not None:
        share = f"{100 * column.overflow_share:.3f} %" if column.overflow else "none"
        cells += [_mean_cell(column.capped_mean), Cell(share)]
    exact = column.exact_mean
    return [*cells, _mean_cell(column.mean) if exact is None else Cell(cost_words(exact))]


def _bounds_cell(bounds: Bounds) -> Cell:
    return Cell(f"≥ {edge_words(bounds.low)}" if bounds.point is None else cost_words(bounds.point))


def _mean_cell(bounds: Bounds) -> Cell:
    if bounds.point is None:
        return Cell("no upper bound")
    return Cell(f"{cost_words(bounds.point)} ± {cost_words((bounds.high - bounds.low) / 2)}")


def _pairs_table(view: PublishedView) -> Table:
    mean = "mean" if view.cap is None else f"E[min(x, {edge_words(view.cap)})]"
    return Table(
        title="Differences, one run of each; in brackets what the buckets leave open",
        columns=["column", "median", mean, "verdict"],
        rows=[
            [
                Cell(pair_words(view.columns, pair)),
                _change_cell(pair.median),
                _change_cell(pair.capped_mean),
                Cell(str(pair.verdict.word), "yellow"),
            ]
            for pair in view.pairs
        ],
        wordy=frozenset({0, 3}),
    )


def _change_cell(change: Change) -> Cell:
    if change.point is None:
        return Cell(f"at least {signed_percent(change.low)}" if change.low > -1 else "not known")
    return Cell(range_words(change.point, change.low, change.high))


def _stated_table(view: PublishedView) -> Table:
    names = [name for name in STATED if any(name in one.figures for one in view.stated)]
    return Table(
        title="Stated by the source",
        columns=["column", *names],
        rows=[
            [
                Cell(one.label),
                *(
                    Cell(cost_words(one.figures[name])) if name in one.figures else NOTHING
                    for name in names
                ),
            ]
            for one in view.stated
        ],
    )


def _rates_table(view: PublishedView) -> Table:
    return Table(
        title="Rates and totals; MB is a million bytes",
        columns=["what", "middle", "least", "most", "lines", "unit", "corrected"],
        rows=[
            [
                Cell(rate.name),
                Cell(_rate(statistics.median(rate.values))),
                Cell(_rate(min(rate.values))),
                Cell(_rate(max(rate.values))),
                Cell(f"{len(rate.values):,}"),
                Cell(rate.unit),
                Cell(rate.corrected or "–"),
            ]
            for rate in view.rates
        ],
        wordy=frozenset({0, 5, 6}),
    )


def _rate(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def published_csv(view: PublishedView) -> str:
    """Return every figure on a line of its own; absent bounds are empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["what", "figure", "low", "value", "high", "unit"])
    writer.writerows(_lines(view))
    return stream.getvalue()


def _lines(view: PublishedView) -> Iterator[list[object]]:
    unit = view.unit or ""
    for column in view.columns:
        yield [column.label, "calls", None, column.calls, None, "calls"]
        yield [column.label, "overflow", None, column.overflow_share, None, "fraction"]
        for name in ("median", "p90", "p99", "mean"):
            yield [column.label, name, *_ends(getattr(column, name)), unit]
        if view.cap is not None:
            name = f"E[min(x, {view.cap:g})]"
            yield [column.label, name, *_ends(column.capped_mean), unit]
        if column.exact_mean is not None:
            yield [column.label, "exact mean", None, column.exact_mean, None, unit]
        for peak in column.peaks or ():
            name = "peak" if peak.closes_right else "peak rising into the overflow"
            yield [column.label, name, peak.lower, None, peak.upper, unit]
    for pair in view.pairs:
        words = pair_words(view.columns, pair)
        yield [words, "change of the median", *_change_ends(pair.median), "fraction"]
        yield [words, "change of the capped mean", *_change_ends(pair.capped_mean), "fraction"]
        yield [words, str(pair.verdict.word), None, None, None, None]
    for one in view.stated:
        for name, value in one.figures.items():
            yield [one.label, f"{name}, stated", None, value, None, unit]
    for rate in view.rates:
        for value in rate.values:
            yield [rate.name, "rate", None, value, None, rate.unit]


def _ends(bounds: Bounds) -> list[float | None]:
    return [bounds.low, bounds.point, _finite(bounds.high)]


def _change_ends(change: Change) -> list[float | None]:
    return [change.low, change.point, _finite(change.high)]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
