# SPDX-License-Identifier: MIT
"""A real arm whose calls do not all cost the same, as a person reads it."""

from collections.abc import Callable

import msgspec
import pytest

from sockmeter.explain.distribution import Distribution, distribution
from sockmeter.model.counted import Shape
from sockmeter.report.functions_distribution import (
    distribution_sentences,
    distribution_table,
    ordinal,
)
from sockmeter.report.tables import draw_text
from tests.explain.make_profiles import PROFILES
from tests.explain.test_distribution import REFILL, Recorded, make_distribution
from tests.report.test_renderings import render

Golden = Callable[[str, str], None]


def read_distribution() -> Distribution:
    recorded = msgspec.json.decode(
        (PROFILES / "debian-6.1-recvfrom-all.json").read_bytes(), type=Recorded
    )
    shapes = [Shape(cost=cost, calls=n, profile=profile) for cost, n, profile in recorded.shapes]
    return distribution(recorded.values, shapes)


def test_a_whole_arm(golden: Golden) -> None:
    """The commonest cost, what differs from it and why, the mean, and the same as sentences."""
    found = read_distribution()
    drawn = render(draw_text(distribution_table(found, "recvfrom, all 160 calls")))
    golden(
        "explain-distribution.txt",
        drawn + "".join(f"{sentence}\n" for sentence in distribution_sentences(found)),
    )


def test_a_regular_cause_says_every_how_many_calls() -> None:
    found = make_distribution(([100] * 31 + [100 + REFILL]) * 20)
    assert ["every 32nd call refills the slab: +2,480"] == distribution_sentences(found)


def test_an_irregular_cause_says_one_in_how_many_calls() -> None:
    costs = [100] * 200
    for place in (3, 10, 40, 111, 150):
        costs[place] += 20
    assert ["1 in 40 calls refills the slab: +20"] == distribution_sentences(
        make_distribution(costs)
    )


def test_causes_that_are_not_named_still_add_to_the_mean() -> None:
    table = distribution_table(read_distribution(), "recvfrom", most=1)
    assert ["3 more causes", "49", "", "", "−12.65", ""] == [cell.text for cell in table.rows[2]]


@pytest.mark.parametrize(
    ("position", "words"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (11, "11th"),
        (32, "32nd"),
        (112, "112th"),
        (1000, "1,000th"),
    ],
)
def test_ordinals(position: int, words: str) -> None:
    assert words == ordinal(position)
