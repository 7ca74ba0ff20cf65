# SPDX-License-Identifier: MIT
"""Exact counts are judged without interval and without error."""

import math
from fractions import Fraction

from sockmeter.judge.counted import change_between, costs_of, verdict_of, void_reason
from sockmeter.judge.counts import ExactChange, Mode
from sockmeter.judge.gate import Passage, judge_passage
from sockmeter.judge.verdict import Word
from sockmeter.model.arms import Arm
from tests.builders import make_arm
from tests.counted_builders import make_counted_arm, make_refused_arm


def test_the_commonest_cost_leads_and_the_mean_is_exact() -> None:
    """Of two costs as common the smaller; the mean is a fraction, not rounded."""
    costs = costs_of(make_counted_arm([1768, 1768, 1900, 1770, 1770, 1768, 1770]))
    assert costs is not None
    assert Mode(cost=1768, share=3 / 7) == costs.mode
    assert Fraction(3 * 1768 + 3 * 1770 + 1900, 7) == costs.mean
    assert {1768: 3, 1770: 3, 1900: 1} == costs.calls_of


def test_a_change_is_that_of_the_commonest_costs() -> None:
    """And call by call, which tells a shift of all calls from another mixture."""
    change = change_between(
        make_counted_arm([1768, 1768, 1900]), make_counted_arm([1566, 1566, 1698])
    )
    assert change is not None
    assert ExactChange(baseline=1768, arm=1566) == change.mode
    assert Mode(cost=-202, share=1.0) == change.paired
    assert Fraction(-202) == change.mean


def test_a_batch_is_compared_by_what_a_message_costs() -> None:
    """Thirty-two messages of 1,000 against calls of 1,250 are a fifth less, not 2,460 % more."""
    arm = make_arm("recvmmsg", batch=32)
    change = change_between(make_counted_arm([1250]), make_counted_arm([32_000], arm))
    assert change is not None
    assert (True, Fraction(4, 5)) == (change.is_per_message, change.ratio)
    assert Word.FASTER == verdict_of(change).word
    other = change_between(make_counted_arm([64_000], arm), make_counted_arm([32_000], arm))
    assert other is not None
    assert (False, Fraction(1, 2)) == (other.is_per_message, other.ratio)


def test_a_call_that_takes_from_several_sockets_has_no_match() -> None:
    many = Arm(
        scenario="channels",
        call="uring-recv",
        factors={"ring": "plain", "batch": 8, "duration": "1s"},
    )
    assert change_between(make_counted_arm([1250]), make_counted_arm([9000], many)) is None


def test_identical_means_every_call_in_order() -> None:
    """The same costs in another order are a change that the commonest cost does not show."""
    one, same, other = (make_counted_arm(costs) for costs in ([5, 5, 9], [5, 5, 9], [5, 9, 5]))
    assert [True, False] == [
        change is not None and change.is_identical
        for change in (change_between(one, same), change_between(one, other))
    ]


def test_arms_of_other_numbers_of_calls_are_not_paired() -> None:
    """Only the commonest cost and the mean are compared."""
    change = change_between(make_counted_arm([5, 5]), make_counted_arm([4, 4, 4]))
    assert change is not None
    assert (None, -1) == (change.paired, change.mode.change)


def test_calls_that_failed_void_an_arm() -> None:
    """They did something else; so does one that moved less than asked."""
    failed = make_counted_arm([853, 853], failed={"EAGAIN": 2})
    short = make_counted_arm([853, 853], short=1)
    assert "100.0% of the calls failed, most with EAGAIN" == void_reason(failed)
    assert "50.0% of the calls moved less than asked" == void_reason(short)
    assert [None] * 3 == [
        change_between(make_counted_arm([1768]), arm) for arm in (failed, short, make_refused_arm())
    ]


def test_a_gate_takes_an_exact_change() -> None:
    """One instruction more is slower; a threshold is held against the exact ratio."""
    slower = verdict_of(change_between(make_counted_arm([1000]), make_counted_arm([1001])))
    faster = verdict_of(change_between(make_counted_arm([1000]), make_counted_arm([999])))
    same = verdict_of(change_between(make_counted_arm([1000]), make_counted_arm([1000])))
    assert [Word.SLOWER, Word.FASTER, Word.NO_DIFFERENCE, Word.UNDECIDED] == [
        verdict.word for verdict in (slower, faster, same, verdict_of(None))
    ]
    assert [Passage.FAILED, Passage.PASSED, Passage.PASSED, Passage.OPEN] == [
        judge_passage(verdict, None) for verdict in (slower, faster, same, verdict_of(None))
    ]
    assert [Passage.PASSED, Passage.FAILED] == [
        judge_passage(slower, threshold) for threshold in (0.002, 0.0005)
    ]
    assert slower.interval is not None
    assert math.log(1.001) == slower.interval.estimate
