# SPDX-License-Identifier: MIT
"""A run is judged as a whole: refused, void and empty arms each say what they are."""

from sockmeter.judge.assess import assess, choose_cap, is_settled
from sockmeter.judge.verdict import Word
from sockmeter.model.runs import Run
from sockmeter.model.segments import Refusal, Segment
from tests.builders import make_arm, make_design, make_round, make_run, make_segment

FLAT = tuple(range(1000, 1100))
DEARER = tuple(range(1100, 1200))


def make_rounds_run(*segments: Segment, rounds: int = 20) -> Run:
    """Make a run whose every round holds these segments and a copy of the baseline's costs."""
    arms = [make_arm() for _ in segments]
    copy = make_segment(len(segments), FLAT)
    return make_run(
        [make_round(number, [*segments, copy]) for number in range(1, rounds + 1)],
        design=make_design(arms=arms),
    )


def test_an_arm_that_costs_ten_percent_more_is_slower() -> None:
    run = make_rounds_run(make_segment(0, FLAT), make_segment(1, DEARER))
    comparison = assess(run).arms[1].comparison
    assert comparison is not None
    assert Word.SLOWER == comparison.headline.word


def test_the_baseline_has_nothing_to_be_compared_with() -> None:
    run = make_rounds_run(make_segment(0, FLAT), make_segment(1, DEARER))
    assert assess(run).arms[0].comparison is None


def test_a_call_that_fails_voids_its_arm_and_no_other() -> None:
    """Two of a hundred calls answered EAGAIN: what they cost is not what a receive costs."""
    failing = make_segment(1, DEARER, failed={"EAGAIN": 2})
    run = make_rounds_run(make_segment(0, FLAT), failing, make_segment(2, DEARER))
    arms = assess(run).arms
    assert "2.0% of the calls failed, most with EAGAIN" == arms[1].faults.void
    assert {"EAGAIN": 40} == arms[1].faults.failed
    words = [arm.comparison and arm.comparison.headline.word for arm in arms[1:]]
    assert [Word.UNDECIDED, Word.SLOWER] == words


def test_short_calls_void_the_arm() -> None:
    run = make_rounds_run(make_segment(0, FLAT), make_segment(1, DEARER, short=1))
    assert "1.0% of the calls moved less than asked" == assess(run).arms[1].faults.void


def test_a_void_baseline_decides_nothing() -> None:
    run = make_rounds_run(make_segment(0, FLAT, short=50), make_segment(1, DEARER))
    comparison = assess(run).arms[1].comparison
    assert comparison is not None
    assert Word.UNDECIDED == comparison.headline.word
    assert "the baseline: 50.0% of the calls moved less than asked" == (comparison.headline.reason)


def test_a_refused_arm_says_so_and_the_others_are_judged() -> None:
    refusal = Refusal(arm=1, step="call", errno="ENOSYS", text="Function not implemented")
    segments = [make_segment(0, FLAT), make_segment(2, DEARER), make_segment(3, FLAT)]
    run = make_run(
        [make_round(number, segments, refusals=[refusal]) for number in range(1, 21)],
        design=make_design(arms=[make_arm(), make_arm(), make_arm()]),
    )
    arms = assess(run).arms
    assert refusal == arms[1].refusal
    assert arms[2].comparison is not None
    assert Word.SLOWER == arms[2].comparison.headline.word


def test_the_empty_bracket_is_shown_and_not_compared() -> None:
    """It costs a twentieth of a call: a verdict on that would only mislead."""
    segments = [make_segment(0, FLAT), make_segment(1, [52] * 100), make_segment(2, FLAT)]
    run = make_run(
        [make_round(number, segments) for number in range(1, 21)],
        design=make_design(arms=[make_arm(), make_arm("null")]),
    )
    bracket = assess(run).arms[1]
    assert bracket.comparison is None
    assert bracket.summary is not None
    assert 52 == round(bracket.summary.median)


def test_a_settled_run_stops_at_its_look_and_not_before() -> None:
    segments = (make_segment(0, FLAT), make_segment(1, DEARER))
    assert [False, True] == [is_settled(make_rounds_run(*segments, rounds=r)) for r in (19, 20)]


def test_the_cap_is_ten_times_the_pooled_median_of_the_first_round() -> None:
    """Costs of 1000 to 1199 over both arms have their middle at 1100, within a clock step."""
    run = make_rounds_run(make_segment(0, FLAT), make_segment(1, DEARER), rounds=1)
    assert abs(choose_cap(run) - 11_000) <= 260


def test_a_batch_is_compared_by_what_a_message_costs() -> None:
    """Eight messages in a call of 8,800 cost as much each as one in a call of 1,100."""
    batch = make_segment(1, [8 * cost for cost in DEARER], datagrams=800)
    copy = make_segment(2, FLAT)
    run = make_run(
        [make_round(number, [make_segment(0, DEARER), batch, copy]) for number in range(1, 21)],
        design=make_design(arms=[make_arm(), make_arm("recvmmsg", batch=8)]),
    )
    outcome = assess(run).arms[1]
    assert outcome.comparison is not None
    assert Word.NO_DIFFERENCE == outcome.comparison.headline.word
    assert outcome.summary is not None
    assert abs(9196 - outcome.summary.midmean) < 26  # one step of the clock
