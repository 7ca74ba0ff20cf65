# SPDX-License-Identifier: MIT
"""A request becomes a design, or an error that names the option."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sockmeter.model.errors import PlanError
from sockmeter.model.runs import Look
from sockmeter.plan.designs import LOOKS, Request, make_design, make_looks, parse_effect
from sockmeter.plan.planfile import parse_plan, read_request
from sockmeter.plan.schedule import draw_orders, flip_seed


def read_plan(text: str) -> Request:
    return read_request(parse_plan(text, "plan.toml"), "plan.toml")


def test_the_default_schedule_spends_five_percent_over_three_looks() -> None:
    """20, 40 and 80 rounds at 1, 1.5 and 2.5 %."""
    assert [Look(20, 0.010), Look(40, 0.015), Look(80, 0.025)] == make_looks(None, None)
    assert 0.05 == pytest.approx(sum(look.alpha for look in LOOKS))


def test_rounds_is_one_look_at_five_percent() -> None:
    assert [Look(12, 0.05)] == make_looks(12, None)


def test_a_schedule_of_ones_own_names_its_errors_or_shares_them() -> None:
    assert [Look(10, 0.01), Look(30, 0.04)] == make_looks(None, "10:1%,30:0.04")
    assert [Look(10, 0.025), Look(30, 0.025)] == make_looks(None, "10,30")
    assert list(LOOKS) == make_looks(None, "20:1%,40:1.5%,80:2.5%")


@pytest.mark.parametrize("looks", ["40,20", "20,20", "20:3%,40:3%", "3,20", "x", "20:", "20:0"])
def test_a_schedule_that_would_not_hold_five_percent_is_refused(looks: str) -> None:
    with pytest.raises(PlanError, match="--looks"):
        make_looks(None, looks)


def test_rounds_and_looks_exclude_each_other() -> None:
    with pytest.raises(PlanError, match="exclude"):
        make_looks(20, "20,40")


def test_percent_and_fraction_are_the_same_effect() -> None:
    assert parse_effect("1%") == parse_effect("0.01") == 0.01


@pytest.mark.parametrize("text", ["", "0", "100%", "-1%", "nan", "1e-2", "٣%"])
def test_an_effect_outside_its_range_is_refused(text: str) -> None:
    with pytest.raises(PlanError, match="--effect"):
        parse_effect(text)


@given(st.text())
def test_any_text_is_an_effect_or_a_plan_error(text: str) -> None:
    try:
        effect = parse_effect(text)
    except PlanError:
        return
    assert 0 < effect < 1


@given(st.text())
def test_any_text_is_a_plan_or_a_plan_error(text: str) -> None:
    try:
        read_plan(text)
    except PlanError as error:
        assert "plan.toml" in str(error)


@given(
    st.dictionaries(
        st.sampled_from(["family", "size", "batch", "name", "control", "connected", "cpu", "x"]),
        st.lists(st.text(max_size=6) | st.integers().map(str), max_size=3),
    )
)
def test_any_request_is_a_design_or_a_plan_error(factors: dict[str, list[str]]) -> None:
    request = Request(scenario="recv", call=["recvfrom", "recvmmsg", "null"], factors=factors)
    try:
        design = make_design(request)
    except PlanError:
        return
    assert design.arms[0].call == "recvfrom"


def test_a_plan_file_has_the_words_of_the_command_line() -> None:
    """The same request from a file as from options, lists and commas alike."""
    text = """
    scenario = "recv"
    call = ["recvfrom", "recvmsg"]
    size = [64, 1400]
    name = "yes,no"
    rounds = 12
    effect = "2%"
    """
    expected = Request(
        scenario="recv",
        call=["recvfrom", "recvmsg"],
        factors={"size": ["64", "1400"], "name": ["yes", "no"]},
        rounds=12,
        effect="2%",
    )
    assert expected == read_plan(text)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("scenario = ", "not TOML"),
        ('scenario = "recv"', "no call"),
        ('scenario = "foo"', "unknown scenario 'foo'"),
        ('scenario = "recv"\ncall = "recv"\nsizes = 64', "unknown key 'sizes'"),
        ('scenario = "recv"\ncall = []', "empty list"),
        ('scenario = "recv"\ncall = "recv"\nrounds = "many"', "not a whole number"),
        ('scenario = "recv"\ncall = "recv"\nsize = 6.4', "size = 6.4"),
        ('scenario = "recv"\ncall = "recv,,read"', "a value is empty"),
    ],
)
def test_a_wrong_plan_file_is_one_clear_line(text: str, what: str) -> None:
    with pytest.raises(PlanError) as caught:
        read_plan(text)
    assert what in str(caught.value)
    assert "\n" not in str(caught.value).strip()


def test_the_same_seed_draws_the_same_orders() -> None:
    first, again, other = (draw_orders(3, seed) for seed in (7, 7, 8))
    orders = [next(first) for _ in range(50)]
    assert orders == [next(again) for _ in range(50)]
    assert orders != [next(other) for _ in range(50)]


def test_every_order_is_drawn_about_equally_often() -> None:
    """Two arms with the A2 copy have six orders; 6,000 draws give each 1,000 ± 5 sigma."""
    draws = draw_orders(2, 1)
    counts: dict[tuple[int, ...], int] = {}
    for _ in range(6000):
        order = tuple(next(draws))
        counts[order] = counts.get(order, 0) + 1
    assert 6 == len(counts)
    assert all(abs(count - 1000) < 5 * (6000 * 5 / 36) ** 0.5 for count in counts.values())


def test_a_burst_holds_the_largest_batch() -> None:
    """128 messages a call are queued without being asked; a queue of 64 is refused."""
    words = {"scenario": "recv", "call": "recvmmsg", "batch": "1,128"}
    assert 128 == make_design(read_request(words, "the command line")).queue
    with pytest.raises(PlanError, match="--queue 64: a call takes 128 messages"):
        make_design(read_request(words | {"queue": 64}, "the command line"))


def test_the_flips_of_the_shift_function_are_no_copy_of_the_orders() -> None:
    orders = np.random.default_rng(7).permutation(100)
    assert list(orders) != list(np.random.default_rng(flip_seed(7)).permutation(100))
    assert next(draw_orders(99, 7)) != list(np.random.default_rng(flip_seed(7)).permutation(100))
