# SPDX-License-Identifier: MIT
"""Raw costs keep their number, their exact sum and their extremes, whatever buckets hold them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sockmeter.files.imports.content import Options
from sockmeter.model.buckets import bucket_lowers, bucket_of
from sockmeter.model.errors import RunFileError
from sockmeter.model.imported import Form
from sockmeter.model.units import Unit
from tests.files.imports.sources import DATA, import_sample, import_text


def test_a_file_of_two_columns_is_two_columns() -> None:
    lines = (DATA / "receive.csv").read_text(encoding="utf-8").splitlines()[1:]
    costs = [[int(cell) for cell in line.split(",")] for line in lines]
    imported = import_sample("receive.csv")
    assert Form.VALUES == imported.form
    assert Unit.NS == imported.unit
    for column, values in zip(imported.columns, zip(*costs, strict=True), strict=True):
        assert len(values) == column.calls
        assert (sum(values), min(values), max(values)) == (column.sum, column.least, column.most)


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=50))
def test_integers_fall_into_the_buckets_of_the_probe(costs: list[int]) -> None:
    column = import_text("\n".join(map(str, costs)), Options(form=Form.VALUES)).columns[0]
    expected = sorted({bucket_lowers()[bucket_of(cost)] for cost in costs})
    assert expected == column.lowers
    assert (len(costs), sum(costs)) == (column.calls, column.sum)


@given(st.lists(st.floats(0, 1e12), min_size=1, max_size=50))
def test_every_cost_lies_in_a_bucket_and_the_sum_is_exact(costs: list[float]) -> None:
    column = import_text("\n".join(map(repr, costs)), Options(form=Form.VALUES)).columns[0]
    for cost in costs:
        assert any(
            low <= cost < (high or math.inf)
            for low, high in zip(column.lowers, column.uppers, strict=True)
        )
    assert math.fsum(costs) == pytest.approx(column.sum, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("1040\n1066\n-3\n", "line 3: column 1: -3 is a negative cost"),
        ("1040\n1066\nfast\n", "line 3: column 1: 'fast' is not a number"),
        ("1040\nnan\n1066\n", "line 2: column 1: nan is not a cost"),
        ("1040\n1066\n9e99\n", "line 3: column 1: 9e99 is too large a cost"),
        ("a,b\n1,2\n3\n", "line 3: ragged: 1 cells, where the first row has 2"),
        ("a,b\n1,2\n3,4\na,b\n", "line 4: column a: 'a' is not a number"),
        ("a_ns,b_us\n1,2\n", "mixed units: line 1 .a_ns. says ns, line 1 .b_us. says us"),
        ("a,a\n1,2\n", "line 1: two columns have the same heading"),
        ("a\n", "no rows: only a header"),
    ],
)
def test_a_value_that_is_no_cost_names_its_line(text: str, what: str) -> None:
    with pytest.raises(RunFileError, match=what):
        import_text(text, Options(form=Form.VALUES))


def test_comments_and_empty_lines_are_no_values() -> None:
    imported = import_text("# on a quiet machine\n1040\n\n1066\n1040\n")
    assert ["on a quiet machine"] == imported.said
    assert 3 == imported.columns[0].calls
