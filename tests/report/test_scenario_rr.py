# SPDX-License-Identifier: MIT
"""The second table of rr: rates per second, parts per transaction."""

import msgspec

from sockmeter.judge.assess import assess
from sockmeter.model.arms import Arm
from sockmeter.model.runs import Run
from sockmeter.report.scenario_rr import rr_figures
from tests.builders import make_design, make_histogram, make_round, make_run, make_segment


def make_rr_run() -> Run:
    """Make six rounds of two arms: a conversation of 100 transactions in 10 ms, and null."""
    arms = [Arm(scenario="rr", call=call, factors={}) for call in ("recv", "null")]
    rounds = []
    for number in range(1, 7):
        talk = make_segment(
            0,
            histograms={
                "request": make_histogram(*[30] * 100),
                "response": make_histogram(*[70, 90] * 50),
            },
            counters={"empty_polls": 250, "peer_cpu_ns": 5_000_000},
        )
        null = make_segment(1, counters={"empty_polls": 0})
        again = msgspec.structs.replace(talk, arm=2)
        rounds.append(make_round(number, [talk, null, again]))
    return make_run(rounds, design=make_design(scenario="rr", arms=arms))


def test_a_conversation_has_its_rate_and_its_parts() -> None:
    run = make_rr_run()
    talk, _ = rr_figures(run, assess(run)).rows
    assert 10_000 == talk["transactions_per_s"]
    assert 2.5 == talk["empty_polls"]
    assert 99_000 == talk["cpu_ns"]
    assert 50_000 == talk["peer_cpu_ns"]
    assert 30.5 == talk["request_median_ticks"]


def test_null_has_no_peer_and_no_parts() -> None:
    run = make_rr_run()
    _, null = rr_figures(run, assess(run)).rows
    assert {"transactions_per_s", "empty_polls", "cpu_ns"} == set(null)
