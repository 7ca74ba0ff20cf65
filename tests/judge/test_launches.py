# SPDX-License-Identifier: MIT
"""Runs against runs: the launch is the unit, eight alternating pairs make a verdict."""

from typing import Any

import msgspec
import pytest

from sockmeter.judge.across import compare_runs
from sockmeter.judge.assess import assess
from sockmeter.judge.gate import Passage, judge_passage
from sockmeter.judge.intervals import Interval
from sockmeter.judge.launches import LEAST_PAIRS, are_alternating, judge_launches
from sockmeter.judge.selection import select_arms
from sockmeter.judge.verdict import Word, judge_interval, undecided
from sockmeter.model.errors import JudgementError
from sockmeter.model.runs import Run
from sockmeter.model.units import Unit
from tests.builders import (
    make_arm,
    make_clock,
    make_design,
    make_instrument,
    make_round,
    make_run,
    make_segment,
)

EIGHT = [7.0 + 0.001 * index for index in range(8)]


def make_launch(cost: int, hour: int, **fields: Any) -> Run:
    """Make a run of six rounds whose two arms cost about `cost` and a tenth more."""
    rounds = [
        make_round(
            number,
            [
                make_segment(0, range(cost, cost + 100)),
                make_segment(1, range(cost + cost // 10, cost + cost // 10 + 100)),
                make_segment(2, range(cost, cost + 100)),
            ],
        )
        for number in range(1, 7)
    ]
    return make_run(**({"rounds": rounds, "started_at": f"2026-11-30T{hour:02}:00"} | fields))


def test_eight_pairs_that_all_rose_are_slower() -> None:
    after = [level + 0.05 for level in EIGHT]
    verdict = judge_launches(EIGHT, after, is_alternating=True, effect=0.01)
    assert Word.SLOWER == verdict.word


def test_seven_pairs_are_undecided_and_say_how_many_are_missing() -> None:
    after = [level + 0.05 for level in EIGHT]
    verdict = judge_launches(EIGHT[:7], after[:7], is_alternating=True, effect=0.01)
    assert Word.UNDECIDED == verdict.word
    assert LEAST_PAIRS - 7 == verdict.more_rounds
    assert "8 pairs of launches are needed for a verdict on the change, not 7" == verdict.reason


def test_launches_one_side_after_the_other_are_undecided() -> None:
    """A machine that warms up makes all of the second side slower, whatever changed."""
    after = [level + 0.05 for level in EIGHT]
    verdict = judge_launches(EIGHT, after, is_alternating=False, effect=0.01)
    assert Word.UNDECIDED == verdict.word
    assert verdict.reason is not None
    assert "not alternated" in verdict.reason


@pytest.mark.parametrize(
    ("before", "after", "alternating"),
    [
        (["01", "03", "05"], ["02", "04", "06"], True),
        (["01", "04", "05"], ["02", "03", "06"], True),
        (["01", "02"], ["03", "04"], False),
        (["01", "02", "05"], ["03", "04", "06"], False),
        (["01"], ["02", "03"], False),
    ],
)
def test_alternation_is_seen_in_the_times(
    before: list[str], after: list[str], alternating: bool
) -> None:
    assert alternating == are_alternating(before, after)


def test_every_shared_arm_is_compared() -> None:
    """Sixteen launches in turn, the later of each pair 10 % dearer."""
    before = [make_launch(1000, hour) for hour in range(0, 16, 2)]
    after = [make_launch(1100, hour) for hour in range(1, 17, 2)]
    compared = compare_runs(before, after, 0.01)
    assert ["recvfrom", "recvmsg"] == [each.arm.call for each in compared]
    assert [Word.SLOWER, Word.SLOWER] == [each.verdict.word for each in compared]


def test_the_order_of_the_files_does_not_matter() -> None:
    before = [make_launch(1000 + hour, hour) for hour in range(0, 16, 2)]
    after = [make_launch(1100 + hour, hour) for hour in range(1, 17, 2)]
    backwards = compare_runs(before[::-1], after[::-1], 0.01)
    assert backwards == compare_runs(before, after, 0.01)


def test_ticks_and_cycles_are_not_compared() -> None:
    cycles = make_instrument(clock=make_clock(unit=Unit.CYCLES, name="cycles", clock_hz=None))
    with pytest.raises(JudgementError, match=r"clocks differ: ticks .* against cycles"):
        compare_runs([make_launch(1000, 0)], [make_launch(1000, 1, instrument=cycles)], 0.01)


def test_ticks_of_another_rate_are_not_compared() -> None:
    other = make_instrument(clock=make_clock(clock_hz=3.0e9))
    with pytest.raises(JudgementError, match=r"2\.600 GHz.*3\.000 GHz"):
        compare_runs([make_launch(1000, 0)], [make_launch(1000, 1, instrument=other)], 0.01)


def test_runs_that_share_no_arm_say_what_they_hold() -> None:
    other = make_design(arms=[make_arm("read"), make_arm("readv")])
    with pytest.raises(JudgementError, match=r"recvfrom, recvmsg \| read, readv"):
        compare_runs([make_launch(1000, 0)], [make_launch(1000, 1, design=other)], 0.01)


def test_a_run_without_rounds_shares_no_arm() -> None:
    with pytest.raises(JudgementError, match="share no measured arm"):
        compare_runs([make_launch(1000, 0)], [make_launch(1000, 1, rounds=[])], 0.01)


def test_any_two_arms_of_a_run_can_be_compared() -> None:
    """recvmsg as the baseline: recvfrom is a tenth cheaper; the copy was recvfrom's and is gone."""
    rounds = make_launch(1000, 0).rounds * 4
    assessment = assess(select_arms(make_launch(1000, 0, rounds=rounds), 1, 0))
    comparison = assessment.arms[1].comparison
    assert comparison is not None
    assert Word.FASTER == comparison.headline.word
    assert assessment.judgement.a2 is None


def test_a_run_whose_calls_failed_decides_nothing() -> None:
    """Nine calls in ten answered EAGAIN in one of sixteen runs."""
    before = [make_launch(1000, hour) for hour in range(0, 16, 2)]
    after = [make_launch(1100, hour) for hour in range(1, 17, 2)]
    rounds = [
        msgspec.structs.replace(
            finished,
            segments=[
                msgspec.structs.replace(each, failed={"EAGAIN": 90}) for each in finished.segments
            ],
        )
        for finished in after[3].rounds
    ]
    after[3] = msgspec.structs.replace(after[3], rounds=rounds)
    verdicts = [each.verdict for each in compare_runs(before, after, 0.01)]
    assert [Word.UNDECIDED] * 2 == [verdict.word for verdict in verdicts]
    assert verdicts[0].reason is not None
    assert "90.0% of the calls failed, most with EAGAIN" in verdicts[0].reason


def test_a_run_whose_baseline_differs_from_its_copy_decides_nothing() -> None:
    before = [make_launch(1000, hour) for hour in range(0, 16, 2)]
    after = [make_launch(1100, hour) for hour in range(1, 17, 2)]
    rounds = [
        make_round(
            number, [make_segment(arm, range(cost, cost + 100)) for arm, cost in enumerate(costs)]
        )
        for number, costs in enumerate([(1100, 1210, 1300)] * 6, start=1)
    ]
    after[0] = msgspec.structs.replace(after[0], rounds=rounds)
    verdict = compare_runs(before, after, 0.01)[0].verdict
    assert Word.UNDECIDED == verdict.word
    assert verdict.reason is not None
    assert "the baseline differs from its own copy" in verdict.reason


def test_an_inconclusive_comparison_asks_for_pairs_of_launches() -> None:
    after = [level + 0.01 * (-1) ** place for place, level in enumerate(EIGHT)]
    verdict = judge_launches(EIGHT, after, is_alternating=True, effect=0.01)
    assert Word.INCONCLUSIVE == verdict.word
    assert "pair of launches" == verdict.unit


def make_interval(low: float, high: float) -> Interval:
    middle = (low + high) / 2
    return Interval(estimate=middle, low=low, high=high, k=53, alpha=0.05, rounds=20)


@pytest.mark.parametrize(
    ("low", "high", "threshold", "passage"),
    [
        (0.02, 0.03, None, Passage.FAILED),
        (-0.03, -0.02, None, Passage.PASSED),
        (-0.001, 0.001, None, Passage.PASSED),
        (-0.02, 0.03, None, Passage.OPEN),
        (0.02, 0.03, 0.05, Passage.PASSED),
        (0.06, 0.07, 0.05, Passage.FAILED),
        (0.04, 0.06, 0.05, Passage.OPEN),
    ],
)
def test_the_gate_lets_pass_what_surely_stays_under_its_threshold(
    low: float, high: float, threshold: float | None, passage: Passage
) -> None:
    assert passage == judge_passage(judge_interval(make_interval(low, high), 0.01), threshold)


def test_an_undecided_comparison_leaves_the_gate_open() -> None:
    assert Passage.OPEN == judge_passage(undecided("too few", 0.01), None)
