# SPDX-License-Identifier: MIT
"""The table for a commit message, of arms whose calls are no match for one another."""

import msgspec
import pytest

from sockmeter.judge.assess import assess
from sockmeter.model.arms import Arm
from sockmeter.model.errors import JudgementError
from sockmeter.model.runs import Run
from sockmeter.report.commit import draw_commit
from sockmeter.report.view import View, make_view
from tests.report.test_scenario_channels import make_channels_run

MULTISHOT = Arm(
    scenario="channels",
    call="uring-recv-multishot",
    factors={"duration": "1s", "ring": "defer-taskrun"},
)


def view_of(run: Run) -> View:
    return make_view(run, assess(run))


def with_multishot(at: int) -> Run:
    """Make a run whose second arm's bursts take 20 % more, with a multishot in one place."""
    run = make_channels_run()
    arms = list(run.design.arms)
    arms[at] = MULTISHOT
    return msgspec.structs.replace(run, design=msgspec.structs.replace(run.design, arms=arms))


def test_a_call_that_is_no_match_is_undecided_and_the_reason_stands_below() -> None:
    text = draw_commit(view_of(with_multishot(1)))
    assert 72 >= max(map(len, text.splitlines()))
    assert "bracket" not in text
    assert ["uring-recv-multishot", "26", "undecided"] in [
        line.split() for line in text.splitlines()
    ]
    assert (
        "uring-recv-multishot: undecided: a call takes what came to all sockets:\n"
        "  compare the bursts" in text
    )


@pytest.mark.parametrize("at", [0, 1])
def test_bursts_are_compared_whichever_arm_is_the_baseline(at: int) -> None:
    """100 ticks for five messages, and 120."""
    text = draw_commit(view_of(with_multishot(at)))
    _, bursts = text.split("TSC ticks per message of a burst (mean)")
    first, second = [line.split() for line in bursts.splitlines()[3:5]]
    assert "20" == first[1]
    assert ["24", "+20.0%", "[+20.0,", "+20.0]"] == second[1:]


def test_a_baseline_that_is_no_match_is_checked_by_its_bursts() -> None:
    """The copy's bursts cost what the baseline's do."""
    view = view_of(with_multishot(0))
    assert [] == view.doubts
    assert view.reservations[0].startswith(
        "Check: a second copy of uring-recv-multishot, by its bursts, shows 0.00 % [0.00, 0.00], no"
    )


def test_bursts_short_of_the_last_look_make_no_table() -> None:
    run = with_multishot(0)
    short = msgspec.structs.replace(run, rounds=run.rounds[:11])
    with pytest.raises(JudgementError, match="the run ended after 11 rounds, at no look"):
        draw_commit(view_of(short))


def test_what_the_pace_was_stands_under_the_table() -> None:
    text = draw_commit(view_of(make_channels_run(missed_ticks=2, late=3)))
    assert "recvmsg did not keep the pace: 24 of 144 ticks missed, 0 of 600" in text


def test_the_first_arm_has_bursts_and_nothing_to_set_them_against() -> None:
    first, second = view_of(make_channels_run()).bursts
    assert first is not None
    assert second is not None
    assert (20, None) == (first.per_message, first.alpha)
    assert second.estimate == pytest.approx(0.2)
