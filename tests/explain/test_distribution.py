# SPDX-License-Identifier: MIT
"""The commonest cost leads; what the rest adds to the mean, and why, sums exactly."""

from collections import Counter
from fractions import Fraction
from itertools import groupby

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sockmeter.explain.distribution import Distribution, Group, distribution
from sockmeter.model.counted import Shape
from sockmeter.model.profiles import Profile
from tests.explain.make_profiles import PROFILES, make_node, make_profile

REFILL = 2480


class Recorded(msgspec.Struct):
    """A real segment, as tests/data/profiles/README.md says."""

    values: list[tuple[int, int]]
    shapes: list[tuple[int, int, Profile]]


def make_distribution(costs: list[int], extra: str = "___slab_alloc") -> Distribution:
    """Return the distribution of calls of those costs: 100 in a call, the rest in `extra`."""
    values = [(cost, len(list(run))) for cost, run in groupby(costs)]
    shapes = [
        Shape(cost=cost, calls=calls, profile=make_shape(cost, calls, extra))
        for cost, calls in Counter(costs).items()
    ]
    return distribution(values, shapes)


def make_shape(cost: int, calls: int, extra: str) -> Profile:
    base = make_node("udp_recvmsg", entries=calls, kinds={".": min(cost, 100) * calls})
    more = make_node(extra, entries=calls, kinds={".": (cost - 100) * calls})
    return make_profile(*([base, more] if cost > 100 else [base]), calls=calls)


def only(found: Distribution) -> Group:
    (group,) = found.rest
    return group


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(90, 130), min_size=1, max_size=200))
def test_the_mean_is_the_modal_cost_and_what_the_rest_adds(costs: list[int]) -> None:
    """Exactly, and no call is left out."""
    found = make_distribution(costs)
    assert Fraction(sum(costs), len(costs)) == found.mean
    assert found.mean == found.cost + sum(group.weight for group in found.rest)
    assert len(costs) == found.modal.calls + sum(group.calls for group in found.rest)
    assert 1 == found.modal.share + sum(group.share for group in found.rest)
    for group in found.rest:
        assert group.extra == sum(row.change.clock for row in group.functions)


def test_one_in_thirty_two_refills_the_slab() -> None:
    """And the whole sequence repeats with it."""
    found = make_distribution(([100] * 31 + [100 + REFILL]) * 20)
    refill = only(found)
    assert ("refills the slab", 20, 32) == (refill.cause, refill.calls, refill.every)
    assert [REFILL, Fraction(1, 32)] == [refill.extra, refill.share]
    assert 32 == found.period
    assert ["___slab_alloc"] == [row.name for row in refill.functions]


def test_calls_in_bursts_have_a_period_and_no_rhythm() -> None:
    """Two dear calls in a row, every ten: no distance is the same, the sequence still repeats."""
    found = make_distribution(([100] * 8 + [150] * 2) * 12)
    assert (None, 10) == (only(found).every, found.period)


def test_a_stray_tick_hides_no_period() -> None:
    costs = ([100] * 7 + [110]) * 40
    costs[101] = 5000
    assert 8 == make_distribution(costs).period


def test_what_never_repeats_has_no_period() -> None:
    costs = [100] * 200
    for place in (3, 10, 40, 111, 150):
        costs[place] = 120
    found = make_distribution(costs)
    assert (None, None) == (only(found).every, found.period)


def test_equal_calls_are_one_cost() -> None:
    found = make_distribution([100] * 50)
    assert (100, (), None) == (found.cost, found.rest, found.period)


def test_of_two_costs_as_common_the_smaller_is_modal() -> None:
    assert 100 == make_distribution([120, 100] * 5).cost


def test_calls_of_many_costs_together_have_a_mean() -> None:
    """What the counter kept as one shape: two calls of 300 and 500, and no cost of its own."""
    rest = Shape(
        cost=None,
        calls=2,
        profile=make_profile(
            make_node("udp_recvmsg", kinds={".": 200}),
            make_node("___slab_alloc", kinds={".": 600}),
            calls=2,
        ),
    )
    common = Shape(cost=100, calls=8, profile=make_shape(100, 8, "kfree"))
    found = distribution([(100, 4), (300, 1), (100, 4), (500, 1)], [common, rest])
    group = only(found)
    assert [300, 160] == [group.extra, found.mean]
    assert (None, 2) == (group.costs, group.calls)


@pytest.mark.parametrize("values", [[(100, 7)], [(100, 8), (120, 1)], [(120, 8)]])
def test_values_and_shapes_of_other_calls_are_refused(values: list[tuple[int, int]]) -> None:
    shape = Shape(cost=100, calls=8, profile=make_shape(100, 8, "kfree"))
    with pytest.raises(ValueError, match="calls"):
        distribution(values, [shape])


def test_a_cheaper_call_says_what_it_spared() -> None:
    found = make_distribution([150] * 9 + [100], extra="__slab_free")
    assert ("spares __slab_free", Fraction(-50)) == (only(found).cause, only(found).extra)


def test_a_real_arm_is_explained() -> None:
    """Debian's 6.1, recvfrom: bursts of 32, and a slab of the sender's that fills in two."""
    recorded = msgspec.json.decode(
        (PROFILES / "debian-6.1-recvfrom-all.json").read_bytes(), type=Recorded
    )
    shapes = [Shape(cost=cost, calls=n, profile=profile) for cost, n, profile in recorded.shapes]
    found = distribution(recorded.values, shapes)
    assert (1867, 64, 64) == (found.cost, found.modal.calls, found.period)
    memory = next(group for group in found.rest if group.cause == "gives socket memory back")
    assert (32, (1769, 1769)) == (memory.every, memory.costs)
