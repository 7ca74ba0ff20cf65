# SPDX-License-Identifier: MIT
"""The second table of channels, and the sentences about its pace."""

from typing import Any

import msgspec
import pytest

from sockmeter.judge.assess import assess
from sockmeter.model.arms import Arm
from sockmeter.model.runs import Look, Run
from sockmeter.model.segments import Segment
from sockmeter.report.scenario_channels import channels_figures, pace_sentences
from sockmeter.report.view import make_view
from tests.builders import make_design, make_histogram, make_round, make_run, make_segment

PARTS = ("calls", "empty", "find", "counting", "residual")
HZ = 2.6e9  # of the builders' clock


def make_reader(arm: int, burst_ticks: int, **counters: int) -> Segment:
    """Make a segment of ten bursts of five messages, in 100 ms: 50 calls, 50 empty, 10 looks."""
    fields: dict[str, Any] = {
        "elapsed_ns": 100_000_000,
        "thread_cpu_ns": 2_000,
        "counters": {"sent": 50, "lost": 0, "ticks": 10, "missed_ticks": 0, "late": 0}
        | {"counting_ns": 500, "longest_stall_ns": 0}
        | counters,
        "histograms": {
            "burst": make_histogram(*[burst_ticks] * 10),
            "burst_messages": make_histogram(*[5] * 10, unit="messages"),
            "find": make_histogram(*[26] * 10),
            "empty": make_histogram(*[13] * 50),
            "latency": make_histogram(*[200] * 50, unit="ns"),
            "wake_late": make_histogram(*[20] * 10, unit="ns"),
            "sender_late": make_histogram(*[20] * 50, unit="ns"),
        },
    }
    return make_segment(arm, [26] * 50, **fields)


def make_channels_run(**counters: int) -> Run:
    factors: dict[str, int | str | bool] = {"duration": "1s"}
    arms = [Arm(scenario="channels", call=call, factors=factors) for call in ("recv", "recvmsg")]
    rounds = [
        make_round(
            number, [make_reader(0, 100), make_reader(1, 120, **counters), make_reader(2, 100)]
        )
        for number in range(1, 13)
    ]
    design = make_design(scenario="channels", arms=arms, looks=[Look(12, 0.05)])
    return make_run(rounds, design=design)


@pytest.mark.parametrize("stalled_ns", [0, 1_500])
def test_the_parts_of_the_cpu_time_and_the_rest_are_all_of_it(stalled_ns: int) -> None:
    """Calls times mean, for each kind; what is left is named, and what a stall put into calls."""
    run = make_channels_run(stalled_ns=stalled_ns)
    _, row = channels_figures(run, assess(run)).rows
    share = {name: float(str(row[f"{name}_percent"])) for name in ("cpu", "stalled", *PARTS)}
    assert share["cpu"] + share["stalled"] == pytest.approx(sum(share[name] for name in PARTS))
    assert 100 * 50 * 26 / HZ / 0.1 == pytest.approx(share["calls"])
    assert 100 * 2_000 / 1e8 == pytest.approx(share["cpu"])
    assert 100 * stalled_ns / 1e8 == pytest.approx(share["stalled"])


def test_bursts_are_compared_by_what_a_message_takes_of_them() -> None:
    """120 ticks for five messages against 100, in every round alike."""
    run = make_channels_run()
    first, second = channels_figures(run, assess(run)).rows
    assert first["burst_per_message_against"] is None
    assert "+20.0 % [+20.0, +20.0]" == second["burst_per_message_against"]


def test_bursts_of_several_arms_share_the_error_once() -> None:
    """Eight rounds settle five comparisons: 2 / 2^8 is less than a fifth of 5 %."""
    arms = [Arm(scenario="channels", call="recv", factors={"duration": "1s"})] * 6
    rounds = [
        make_round(number, [make_reader(arm, 100 + 10 * arm) for arm in range(7)])
        for number in range(1, 9)
    ]
    design = make_design(scenario="channels", arms=arms, looks=[Look(8, 0.05)])
    run = make_run(rounds, design=design)
    rows = channels_figures(run, assess(run)).rows
    assert "+50.0 % [+50.0, +50.0]" == rows[5]["burst_per_message_against"]


def test_bursts_are_compared_where_no_call_can_be() -> None:
    """Every arm takes what came to several sockets, the baseline too."""
    factors: dict[str, int | str | bool] = {"duration": "1s", "ring": "plain", "batch": 32}
    run = make_channels_run()
    arms = [Arm(scenario="channels", call="uring-recv", factors=factors)] * 2
    run = msgspec.structs.replace(run, design=msgspec.structs.replace(run.design, arms=arms))
    assessment = assess(run)
    rows = channels_figures(run, assessment).rows
    assert "+20.0 % [+20.0, +20.0]" == rows[1]["burst_per_message_against"]
    assert "12 rounds" == make_view(run, assessment).basis


def test_a_reader_that_kept_the_pace_is_not_mentioned() -> None:
    assert [] == list(pace_sentences(make_channels_run(), ["recv", "recvmsg"]))


def test_missed_ticks_are_said() -> None:
    (sentence,) = pace_sentences(make_channels_run(missed_ticks=2, late=3), ["recv", "recvmsg"])
    assert sentence.startswith("recvmsg did not keep the pace: 24 of 144 ticks missed, 0 of 600")


@pytest.mark.parametrize(
    ("ordinary", "who"), [((0, 1), "Every arm"), ((1,), "recvmsg"), ((), None)]
)
def test_readers_without_priority_share_a_sentence(
    ordinary: tuple[int, ...], who: str | None
) -> None:
    """An arm each would bury what else is said."""
    run = make_channels_run()
    rounds = [
        msgspec.structs.replace(
            finished,
            segments=[
                msgspec.structs.replace(each, fifo_priority=0 if each.arm in ordinary else 50)
                for each in finished.segments
            ],
        )
        for finished in run.rounds
    ]
    said = pace_sentences(msgspec.structs.replace(run, rounds=rounds), ["recv", "recvmsg"])
    words = ": the reader ran without real-time priority; see: sockmeter doctor."
    assert ([] if who is None else [who + words]) == list(said)


def test_a_reader_that_stood_still_may_have_been_throttled() -> None:
    run = make_channels_run(longest_stall_ns=50_000_000)
    (sentence,) = pace_sentences(run, ["recv", "recvmsg"])
    assert "stood still for 50 ms" in sentence
    assert "sched_rt_runtime_us" in sentence


def test_more_than_a_thousandth_lost_voids_the_arm() -> None:
    """What arrived was not the load that was planned; the verdict is taken back."""
    assessment = assess(make_channels_run(lost=1))
    assert "2.0% of the messages were lost" == assessment.arms[1].faults.void
    assert assessment.arms[0].faults.void is None


def test_a_ring_that_takes_from_one_socket_a_call_is_compared_with_other_calls() -> None:
    run = make_channels_run()
    arms = list(run.design.arms)
    arms[1] = Arm(
        scenario="channels",
        call="uring-recv",
        factors={"duration": "1s", "ring": "plain", "batch": 1},
    )
    run = msgspec.structs.replace(run, design=msgspec.structs.replace(run.design, arms=arms))
    comparison = assess(run).arms[1].comparison
    assert comparison is not None
    assert comparison.headline.interval is not None


def test_a_call_that_takes_a_whole_burst_is_no_match_for_one_that_takes_a_message() -> None:
    """Its cost stands in the table; the verdict is left to the bursts."""
    run = make_channels_run()
    arms = list(run.design.arms)
    arms[1] = Arm(
        scenario="channels",
        call="uring-recv-multishot",
        factors={"duration": "1s", "ring": "defer-taskrun"},
    )
    run = msgspec.structs.replace(run, design=msgspec.structs.replace(run.design, arms=arms))
    comparison = assess(run).arms[1].comparison
    assert comparison is not None
    assert "compare the bursts" in str(comparison.headline.reason)
