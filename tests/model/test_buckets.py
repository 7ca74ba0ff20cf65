# SPDX-License-Identifier: MIT
"""The layout of the probe's histograms, against the formula of docs/wire.md."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sockmeter.model.buckets import BUCKET_COUNT, bucket_lowers, bucket_of, bucket_uppers
from sockmeter.model.environment import Fact


@given(st.integers(0, 2**32 - 1))
def test_a_value_lies_in_its_bucket(value: int) -> None:
    bucket = bucket_of(value)
    assert bucket_lowers()[bucket] <= value < bucket_uppers()[bucket]


@given(st.integers(128, BUCKET_COUNT - 1))
def test_a_bucket_begins_where_the_wire_format_says(index: int) -> None:
    exponent = index // 128 - 1
    assert (index - 128 * exponent) * 2**exponent == bucket_lowers()[index]


def test_small_values_have_a_bucket_each() -> None:
    assert list(range(256)) == [bucket_of(value) for value in range(256)]


def test_no_bucket_is_wider_than_a_128th_of_its_values() -> None:
    widths = bucket_uppers() - bucket_lowers()
    assert (widths <= (bucket_lowers() / 128).clip(min=1)).all()


def test_the_last_bucket_ends_at_two_to_the_32() -> None:
    assert 2.0**32 == bucket_uppers()[-1]


@pytest.mark.parametrize("value", [-1, 2**32])
def test_a_value_outside_has_no_bucket(value: int) -> None:
    with pytest.raises(ValueError, match="outside"):
        bucket_of(value)


@pytest.mark.parametrize("fields", [{}, {"value": 1, "missing": "why"}])
def test_a_fact_has_a_value_or_a_reason(fields: dict[str, int | str]) -> None:
    with pytest.raises(ValueError, match="either a value or the reason"):
        Fact(**fields)  # type: ignore[arg-type]
