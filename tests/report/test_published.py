# SPDX-License-Identifier: MIT
"""What is shown of an imported measurement: golden files, and the sentences that bound it."""

import csv
import io
from collections.abc import Callable

import msgspec
import pytest

from sockmeter.files.imports.content import Options
from sockmeter.judge.published import assess_published
from sockmeter.report.published import PublishedView, cost_words, make_published_view
from sockmeter.report.published_tables import (
    draw_published,
    draw_published_markdown,
    published_csv,
)
from tests.files.imports.sources import LAIGHT, import_bytes, import_sample
from tests.report.test_renderings import render

Golden = Callable[[str, str], None]


def make_laight_view() -> PublishedView:
    imported = import_bytes(LAIGHT.read_bytes())
    return make_published_view(imported, assess_published(imported))


def make_sample_view(name: str, options: Options | None = None) -> PublishedView:
    imported = import_sample(name, options)
    return make_published_view(imported, assess_published(imported))


def test_the_published_table_as_a_terminal_shows_it(golden: Golden) -> None:
    golden("import-laight.txt", render(draw_published(make_laight_view()), width=160))


def test_the_published_table_as_markdown(golden: Golden) -> None:
    golden("import-laight.md", draw_published_markdown(make_laight_view()))


def test_the_published_table_as_csv(golden: Golden) -> None:
    drawn = published_csv(make_laight_view())
    golden("import-laight.csv", drawn)
    assert {6} == {len(line) for line in csv.reader(io.StringIO(drawn))}


def test_the_published_table_as_json(golden: Golden) -> None:
    encoded = msgspec.json.encode(make_laight_view())
    golden("import-laight.json", msgspec.json.format(encoded).decode() + "\n")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("bpftrace.txt", Options(unit="ns")),
        ("receive.hlog", Options()),
        ("recvfrom.hgrm", Options(unit="us")),
        ("receive.csv", Options()),
        ("netperf-all.txt", Options()),
        ("udpgso-tx.txt", Options()),
        ("msg_zerocopy-tx-z.txt", Options()),
        ("io_uring-tx.txt", Options()),
    ],
)
def test_every_form_has_a_picture(name: str, options: Options, golden: Golden) -> None:
    golden(f"import-{name}.txt", render(draw_published(make_sample_view(name, options)), width=160))


def test_a_unit_that_nobody_says_is_said_to_be_unsaid() -> None:
    sentences = make_sample_view("recvfrom.hgrm").sentences
    assert "Nothing says the unit of these costs: --unit names it." in sentences


def test_a_rate_is_never_called_a_difference() -> None:
    view = make_sample_view("udpgso-tx.txt")
    assert [] == view.pairs
    assert any("nothing here can tell a difference" in sentence for sentence in view.sentences)


@pytest.mark.parametrize(
    ("cost", "words"),
    [(0.873, "0.873"), (2890.06, "2890.1"), (8256, "8256.0"), (12345.6, "12,346")],
)
def test_costs_have_as_many_digits_as_they_deserve(cost: float, words: str) -> None:
    assert words == cost_words(cost)
