# SPDX-License-Identifier: MIT
"""The second table of a run, in every format."""

import csv
import io

import msgspec

from sockmeter.report.csv_rows import draw_csv
from sockmeter.report.figures import FigureColumn, Figures, figures_table
from sockmeter.report.text import draw_view_markdown
from sockmeter.report.view import View
from tests.report.make_views import make_receive_view


def make_figures_view() -> View:
    """Return a view of four arms, the last without a figure of either kind."""
    columns = [
        FigureColumn(key="sent_mb_per_s", head="sent\nMB/s", digits=1),
        FigureColumn(key="sink", head="sink"),
    ]
    rows: list[dict[str, int | float | str | None]] = [
        {"sent_mb_per_s": 1234.56, "sink": "ifb"},
        {"sent_mb_per_s": 7.0, "sink": "ifb"},
        {"sent_mb_per_s": None, "sink": "ifb"},
        {},
    ]
    _, _, view = make_receive_view()
    figures = Figures(title="Sent", columns=columns, rows=rows)
    return msgspec.structs.replace(view, figures=figures)


def test_a_table_has_a_row_an_arm_and_a_dash_for_nothing() -> None:
    view = make_figures_view()
    assert view.figures is not None
    table = figures_table(view.figures, [row.label for row in view.rows])
    assert ["call", "sent\nMB/s", "sink"] == table.columns
    assert ["recvfrom", "1,234.6", "ifb"] == [cell.text for cell in table.rows[0]]
    assert ["null", "–", "–"] == [cell.text for cell in table.rows[3]]
    assert frozenset({0, 2}) == table.wordy


def test_a_table_has_a_true_minus_and_no_sign_before_zero() -> None:
    rows: list[dict[str, int | float | str | None]] = [{"rest": -1.75}, {"rest": -0.001}]
    columns = [FigureColumn(key="rest", head="rest", digits=2)]
    table = figures_table(Figures(title="", columns=columns, rows=rows), ["a", "b"])
    assert ["−1.75", "0.00"] == [row[1].text for row in table.rows]


def test_csv_has_the_figures_as_further_columns() -> None:
    rows = list(csv.DictReader(io.StringIO(draw_csv(make_figures_view()))))
    assert ["1234.56", "7.0", "", ""] == [row["sent_mb_per_s"] for row in rows]


def test_json_has_the_figures_as_numbers() -> None:
    figures = msgspec.json.decode(msgspec.json.encode(make_figures_view()))["figures"]
    assert 1234.56 == figures["rows"][0]["sent_mb_per_s"]


def test_markdown_has_the_second_table_under_the_first() -> None:
    drawn = draw_view_markdown(make_figures_view())
    assert drawn.index("against recvfrom") < drawn.index("sent MB/s")
    assert "| recvmsg | 7.0 | ifb |" in drawn
