# SPDX-License-Identifier: MIT
"""The whole judgement of a run."""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import pytest

from sockmeter.judge.columns import Column
from sockmeter.judge.compare import Judgement, is_conclusive, judge_run
from sockmeter.judge.counts import ExactChange, Mode
from sockmeter.judge.statistics import SHIFT_PROBABILITIES
from sockmeter.judge.verdict import Word
from sockmeter.model.runs import Look
from sockmeter.plan.designs import LOOKS
from tests.judge.builders import WHOLE, fixed_look, make_column, make_costs


def judge(columns: Sequence[Column | None], **fields: Any) -> Judgement:
    settings: dict[str, Any] = {
        "a2": None,
        "layout": WHOLE,
        "looks": fixed_look(20),
        "effect": 0.01,
        "rounds_dropped": 0,
        "generator": np.random.default_rng(1),
    }
    return judge_run(columns, **(settings | fields))


def make_arm(seed: int, scale: float = 1.0, **fields: Any) -> Column:
    return make_column(make_costs(seed, scale=scale), **fields)


def stops(columns: Sequence[Column | None], looks: Sequence[Look] = LOOKS) -> bool:
    return is_conclusive(columns, layout=WHOLE, looks=looks, effect=0.01)


def words_of(judgement: Judgement) -> list[Word]:
    return [comparison.headline.word for comparison in judgement.comparisons]


def test_each_arm_is_judged_against_the_first_column() -> None:
    judgement = judge([make_arm(1), make_arm(2, 1.05), make_arm(3, 0.95), make_arm(4)])
    assert [Word.SLOWER, Word.FASTER, Word.NO_DIFFERENCE] == words_of(judgement)
    assert judgement.is_conclusive
    assert 4 == len(judgement.summaries)


def test_a_copy_of_the_baseline_is_a_check_and_not_a_pair() -> None:
    """It takes no share of the error, whatever it says; the arms share it."""
    columns = [make_arm(1), make_arm(2, 1.05)]
    for copy in (None, make_arm(3)):
        assert 0.05 == judge(columns, a2=copy).alpha
    judgement = judge(columns, a2=make_arm(3))
    assert judgement.a2 is not None
    assert Word.NO_DIFFERENCE == judgement.a2.headline.word
    assert not judgement.is_a2_different


def test_a_copy_that_is_judged_different_is_said() -> None:
    assert judge([make_arm(1), make_arm(2)], a2=make_arm(3, 1.05)).is_a2_different


@pytest.mark.parametrize(("planned", "alpha"), [(None, 0.025), (5, 0.01)])
def test_the_error_is_divided_by_the_pairs_that_were_planned(
    planned: int | None, alpha: float
) -> None:
    columns = [make_arm(1), make_arm(2), None]
    assert alpha == judge(columns, planned_pairs=planned).alpha


def test_everything_of_a_pair_is_there() -> None:
    comparison = judge([make_arm(1), make_arm(2, 1.05)]).comparisons[0]
    assert comparison.shown is not None
    assert 0.05 == pytest.approx(comparison.shown.median.estimate, abs=0.01)
    assert comparison.tails is not None
    assert Word.SLOWER == comparison.tails.p99.word
    assert list(SHIFT_PROBABILITIES) == [point.probability for point in comparison.shift]
    assert all(point.interval.low > 0 for point in comparison.shift)
    assert comparison.mix is not None
    assert 55 == pytest.approx(comparison.mix.mix + comparison.mix.within, rel=0.2)


def test_a_refused_arm_is_undecided_and_the_others_are_judged() -> None:
    judgement = judge([make_arm(1), None, make_arm(2, 1.05)])
    assert [Word.UNDECIDED, Word.SLOWER] == words_of(judgement)
    assert "the arm was refused" == judgement.comparisons[0].headline.reason
    assert judgement.summaries[1] is None
    assert judgement.comparisons[0].shown is None


def test_a_refused_baseline_decides_nothing() -> None:
    judgement = judge([None, make_arm(1)], a2=make_arm(2))
    assert [Word.UNDECIDED] == words_of(judgement)
    assert "the baseline: the arm was refused" == judgement.comparisons[0].headline.reason
    assert (None, False) == (judgement.cap, judgement.is_conclusive)


def test_an_arm_that_recorded_nothing_in_a_round_is_undecided() -> None:
    empty = make_arm(2)
    empty.count[3] = 0
    judgement = judge([make_arm(1), empty])
    assert "no call was recorded in 1 of 20 rounds" == judgement.comparisons[0].headline.reason


@pytest.mark.parametrize(("dropped", "word"), [(2, Word.SLOWER), (3, Word.UNDECIDED)])
def test_too_many_dropped_rounds_leave_no_verdict(dropped: int, word: Word) -> None:
    """Two of 22 are 9 %; three of 23 are 13 %, and every verdict of the run is withdrawn."""
    judgement = judge([make_arm(1), make_arm(2, 1.05)], rounds_dropped=dropped)
    comparison = judgement.comparisons[0]
    assert comparison.tails is not None
    assert [word, word] == [comparison.headline.word, comparison.tails.p99.word]
    assert comparison.headline.interval is not None
    assert (word is Word.SLOWER) == judgement.is_conclusive


def test_a_run_cut_short_shows_intervals_and_no_verdict() -> None:
    judgement = judge([make_arm(1), make_arm(2, 1.05)], looks=fixed_look(40))
    comparison = judgement.comparisons[0]
    assert not judgement.is_at_look
    assert "the run ended after 20 rounds, before its look at 40" == comparison.headline.reason
    assert comparison.headline.interval is not None
    assert comparison.tails is not None
    assert Word.UNDECIDED == comparison.tails.capped_mean.word


def test_rounds_after_the_settling_look_are_not_used() -> None:
    long = [make_column(make_costs(seed, rounds=30, scale=s)) for seed, s in ((1, 1.0), (2, 1.05))]
    judgement = judge(long, looks=LOOKS)
    assert (20, 30) == (judgement.rounds, judgement.rounds_kept)
    summary = judgement.summaries[0]
    assert summary is not None
    assert 20 * 2000 == summary.calls


def test_the_cap_is_ten_medians_of_round_one_unless_the_probe_had_one() -> None:
    fresh = [make_arm(1), make_arm(2)]
    assert 10_900 == pytest.approx(judge(fresh).cap, rel=0.03)
    given = [make_arm(seed, cap=np.r_[0.0, np.full(19, 9000.0)]) for seed in (1, 2)]
    assert 9000.0 == judge(given).cap


def test_counted_costs_are_compared_exactly() -> None:
    before, after = (make_arm(1, modes=(Mode(cost=cost, share=0.9),) * 20) for cost in (1768, 1566))
    assert ExactChange(baseline=1768, arm=1566) == judge([before, after]).comparisons[0].exact


def test_the_same_seed_gives_the_same_judgement() -> None:
    columns = [make_arm(1), make_arm(2, 1.01)]
    assert judge(columns) == judge(columns)


def test_a_judgement_is_plain_json() -> None:
    """An interval over too few rounds has infinite ends, which are null."""
    few = [make_column(make_costs(seed, rounds=3)) for seed in (1, 2)]
    judgement = judge(few, looks=fixed_look(3))
    assert b'"low":null' in msgspec.json.encode(judgement)


def test_a_run_stops_at_a_look_where_every_arm_is_settled() -> None:
    settled, unsettled = make_arm(2, 1.05), make_column(make_costs(3, noise=0.1))
    assert stops([make_arm(1), settled])
    assert not stops([make_arm(1), settled, unsettled])
    assert stops([make_arm(1), settled, None])
    assert not stops([None, settled])


def test_a_run_does_not_stop_between_looks() -> None:
    columns = [make_arm(1), make_arm(2, 1.05)]
    assert not stops(columns, fixed_look(21))
    assert not stops([column.first(19) for column in columns], fixed_look(20))


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="differ in rounds"):
        judge([make_arm(1), make_arm(2).first(19)])


def test_a_run_of_the_baseline_alone_has_a_summary_and_no_pair() -> None:
    judgement = judge([make_arm(1)], a2=make_arm(2))
    assert ((), 1) == (judgement.comparisons, len(judgement.summaries))
    assert judgement.a2 is not None
    assert Word.NO_DIFFERENCE == judgement.a2.headline.word
