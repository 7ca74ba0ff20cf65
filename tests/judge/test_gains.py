# SPDX-License-Identifier: MIT
"""What a byte costs all in, judged: against which arm, at which error, and when not."""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import pytest

from sockmeter.judge.assess import assess
from sockmeter.judge.gains import Gains
from sockmeter.judge.intervals import sign_interval
from sockmeter.judge.verdict import Word
from sockmeter.model.arms import Arm
from sockmeter.model.runs import Look, Round, Run
from sockmeter.model.segments import Refusal
from tests.builders import (
    make_clock,
    make_design,
    make_instrument,
    make_round,
    make_run,
    make_segment,
    make_zerocopy,
)

LOOKS = (Look(12, 0.02), Look(24, 0.03))


def make_arm(size: int, **factors: int | str) -> Arm:
    common: dict[str, int | str] = {"family": "udp4", "size": size, "zerocopy": "no"}
    return Arm(scenario="zerocopy", call="send", factors={**common, **factors})


COPIES = [make_arm(64), make_arm(1024)]
ZEROCOPY = [make_arm(size, zerocopy="poll", limit=1) for size in (64, 1024)]


def make_sends_run(
    costs: Sequence[Sequence[int]], *, arms: Sequence[Arm] = (*COPIES, *ZEROCOPY), **fields: Any
) -> Run:
    """Make a run whose arm `a` has sends of `costs[a][r]` ticks in round `r`, the last its A2.

    Looking for a notification costs a zerocopy send 800 ticks more.
    """
    rounds: list[Round] = []
    for number in range(len(costs[0])):
        segments = []
        for index, each in enumerate(costs):
            arm = arms[index] if index < len(arms) else arms[0]
            sent = {"bytes": 10 * int(arm.factors["size"])}
            is_copy = arm.factors["zerocopy"] == "no"
            make = make_segment if is_copy else make_zerocopy
            segment = make(values=[each[number]] * 10, **sent)
            segments.append(msgspec.structs.replace(segment, arm=index))
        rounds.append(make_round(number + 1, segments))
    design = make_design(scenario="zerocopy", arms=list(arms), looks=list(LOOKS), calls=10)
    instrument = make_instrument(clock=make_clock(quantum=1))
    return make_run(rounds, **({"design": design, "instrument": instrument} | fields))


def gains_in(run: Run) -> Gains:
    gains = assess(run).gains
    assert gains is not None
    return gains


def level(cost: int, rounds: int = 12) -> list[int]:
    """Return costs around a level, none like the one before."""
    return [cost + number % 3 for number in range(rounds)]


def words_of(gains: Gains) -> dict[int, Word]:
    return {arm: gain.verdict.word for arm, gain in gains.arms.items()}


def test_zerocopy_is_set_against_its_own_copy_and_a_copy_against_the_first() -> None:
    """A byte of the larger message is cheaper than one of the first either way, and yet dearer."""
    gains = gains_in(make_sends_run([*map(level, (2000, 4000, 1000, 4000, 2000))]))
    assert {1: (0, False), 2: (0, True), 3: (1, True)} == {
        arm: (gain.against, gain.is_own_copy) for arm, gain in gains.arms.items()
    }
    assert {1: Word.FASTER, 2: Word.FASTER, 3: Word.SLOWER} == words_of(gains)


def test_every_arm_that_sent_has_the_cost_of_a_byte_in_its_median_round() -> None:
    """The first too; the middle of twelve rounds lies 1 tick above the level."""
    gains = gains_in(make_sends_run([*map(level, (2000, 4000, 1000, 4000, 2000))]))
    costs = {0: 2001 / 64, 1: 4001 / 1024, 2: 1801 / 64, 3: 4801 / 1024}
    assert costs == pytest.approx(gains.per_byte)


def test_an_arm_whose_copy_did_not_send_has_a_cost_and_no_verdict() -> None:
    run = make_sends_run([*map(level, (2000, 4000, 1000, 4000, 2000))])
    rounds = [
        msgspec.structs.replace(
            finished, segments=[each for each in finished.segments if each.arm != 1]
        )
        for finished in run.rounds
    ]
    gains = gains_in(msgspec.structs.replace(run, rounds=rounds))
    assert {0, 2, 3} == gains.per_byte.keys()
    assert {2} == gains.arms.keys()


def test_a_difference_within_the_bound_is_none() -> None:
    """1,200 and 800 of looking are the 2,000 of the copy."""
    gains = gains_in(make_sends_run([*map(level, (2000, 4000, 1200, 3200, 2000))]))
    assert {1: Word.FASTER, 2: Word.NO_DIFFERENCE, 3: Word.NO_DIFFERENCE} == words_of(gains)


def test_the_error_of_the_look_is_shared_by_the_comparisons_of_the_run() -> None:
    """Three of them; the interval is that of the sign test over the rounds that were judged."""
    run = make_sends_run([*map(level, (2000, 4000, 1000, 4000, 2000))])
    gains = gains_in(run)
    interval = gains.arms[3].verdict.interval
    assert interval is not None
    assert pytest.approx(0.02 / 3) == interval.alpha == gains.alpha
    ratios = np.log([(cost + 800) / cost for cost in level(4000)])
    expected = sign_interval(ratios, 0.02 / 3)
    assert pytest.approx((expected.low, expected.high)) == (interval.low, interval.high)


def test_a_stalled_round_decides_nothing() -> None:
    """In one of twelve a send cost as much as all others together, and more."""
    stalled = level(1000)
    stalled[4] = 260_000_000
    gains = gains_in(make_sends_run([level(2000), level(4000), stalled, level(4000), level(2000)]))
    assert Word.FASTER is words_of(gains)[2]


def test_a_copy_that_is_judged_different_by_the_byte_is_told() -> None:
    gains = gains_in(make_sends_run([*map(level, (2000, 4000, 1000, 4000, 2100))]))
    assert gains.a2 is not None
    assert Word.SLOWER is gains.a2.word


def test_between_looks_there_is_an_interval_and_no_verdict() -> None:
    """At the error of the look to come."""
    costs = [level(cost, rounds=8) for cost in (2000, 4000, 1000, 4000, 2000)]
    verdict = gains_in(make_sends_run(costs)).arms[2].verdict
    assert Word.UNDECIDED is verdict.word
    assert "the run ended after 8 rounds, before its look at 12" == verdict.reason
    assert verdict.interval is not None


def test_arms_are_judged_at_a_look_though_the_first_was_refused() -> None:
    """The calls have nothing that they can be set against; a larger message has its copy."""
    run = make_sends_run([*map(level, (2000, 4000, 1000, 4000, 2000))])
    refusal = Refusal(arm=0, step="socket", errno="EAFNOSUPPORT", text="not supported")
    rounds = [
        msgspec.structs.replace(
            finished,
            refusals=[refusal],
            segments=[segment for segment in finished.segments if segment.arm in (1, 2, 3)],
        )
        for finished in run.rounds
    ]
    gains = gains_in(msgspec.structs.replace(run, rounds=rounds))
    assert {3: Word.SLOWER} == words_of(gains)
    assert gains.a2 is None


def test_a_void_arm_is_undecided_and_keeps_its_interval() -> None:
    run = make_sends_run([*map(level, (2000, 4000, 1000, 4000, 2000))])
    rounds = [
        msgspec.structs.replace(
            finished,
            segments=[
                msgspec.structs.replace(segment, short=10 * (segment.arm == 1))
                for segment in finished.segments
            ],
        )
        for finished in run.rounds
    ]
    gains = gains_in(msgspec.structs.replace(run, rounds=rounds))
    own, copied = gains.arms[1], gains.arms[3]
    assert "100.0% of the calls moved less than asked" == own.verdict.reason
    assert "what it is set against is void: 100.0% of the calls moved less than asked" == (
        copied.verdict.reason
    )
    assert copied.verdict.interval is not None


def test_other_scenarios_have_none() -> None:
    assert None is assess(make_run([make_round(1, [make_segment()])])).gains
