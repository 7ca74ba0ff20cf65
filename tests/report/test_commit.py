# SPDX-License-Identifier: MIT
"""The table for a commit message: ASCII, 72 columns, and refused where nothing is proved."""

from collections.abc import Callable

import msgspec
import pytest

from sockmeter.judge.assess import assess
from sockmeter.judge.gate import Passage
from sockmeter.model.arms import Arm
from sockmeter.model.environment import Environment, Fact
from sockmeter.model.errors import JudgementError, PlanError
from sockmeter.model.segments import Refusal
from sockmeter.model.units import Unit
from sockmeter.report.amdahl import amdahl_sentences, parse_rate, with_rate
from sockmeter.report.commit import draw_commit
from sockmeter.report.gate_files import Gated, draw_annotations, draw_junit
from sockmeter.report.view import make_view
from tests.builders import make_arm, make_design, make_round, make_run
from tests.report.make_views import make_receive_run, make_receive_view


def test_the_commit_table_fits_a_commit_message(golden: Callable[[str, str], None]) -> None:
    _, _, view = make_receive_view()
    table = draw_commit(view)
    golden("receive-commit.txt", table)
    assert table.isascii()
    assert max(map(len, table.splitlines())) <= 72


def test_a_long_label_still_fits() -> None:
    arms = [
        make_arm("recvmsg", control="timestamp", name=True, connected=True, batch=n, work=n)
        for n in (1, 2, 3)
    ]
    _, _, view = make_receive_view(design=make_design(arms=[*arms, make_arm("null")], calls=500))
    assert max(map(len, draw_commit(view).splitlines())) <= 72


def test_too_few_rounds_are_refused() -> None:
    run = make_receive_run()
    _, _, view = make_receive_view(rounds=run.rounds[:10])
    with pytest.raises(JudgementError, match="the run ended after 10 rounds, at no look"):
        draw_commit(view)


def test_a_refused_baseline_is_the_only_reason_and_measuring_again_no_way_out() -> None:
    """The words are those of text: with what moves the limit."""
    arms = [Arm(scenario="bulk", call="sendmsg-gso", factors={"size": 1473, "segments": 44})]
    refusal = Refusal(arm=0, step="call", errno="EMSGSIZE", text="Message too long")
    run = make_run([make_round(1, [], refusals=[refusal])], design=make_design(arms=arms))
    with pytest.raises(JudgementError) as raised:
        draw_commit(make_view(run, assess(run)))
    assert (
        "no table for a commit message: sendmsg-gso is refused: call: EMSGSIZE, Message too long; "
        "a segment of 1,473 bytes and its headers exceed the MTU: --mtu or --size"
    ) == str(raised.value)


def test_a_traced_run_is_refused() -> None:
    environment = Environment(facts={"process.traced": Fact(value=True)})
    _, _, view = make_receive_view(environment=environment)
    with pytest.raises(JudgementError, match="a tracer was attached"):
        draw_commit(view)


def test_rows_of_a_batch_are_said_to_be_of_a_message() -> None:
    _, _, view = make_receive_view()
    first, *others = view.rows
    batches = [msgspec.structs.replace(row, per_message=130.0) for row in others]
    mixed = msgspec.structs.replace(view, rows=[first, *batches])
    assert "ticks per call, of batches per message (midmean)" in draw_commit(mixed)
    whole = msgspec.structs.replace(view, rows=batches)
    assert "ticks per message (midmean)" in draw_commit(whole)


def test_a_void_arm_is_refused() -> None:
    run = make_receive_run()
    rounds = [
        msgspec.structs.replace(
            finished,
            segments=[
                msgspec.structs.replace(each, short=each.calls) for each in finished.segments
            ],
        )
        for finished in run.rounds
    ]
    _, _, view = make_receive_view(rounds=rounds)
    with pytest.raises(JudgementError, match="recvfrom is void"):
        draw_commit(view)


def test_a_rate_turns_costs_into_shares_of_a_core() -> None:
    """A mean of 1,070 ticks of 2.6 GHz, 52 of them ours: at 22,500 a second 0.88 % of a core."""
    _, _, view = make_receive_view()
    first, second = amdahl_sentences(view, 22_500)
    assert "At 22,500 messages a second recvfrom takes 0.88 % of one core." == first
    assert second.startswith("With recvmsg it is 1 %: 0.13 % of a core more")


def test_a_rate_beyond_a_core_says_so() -> None:
    _, _, view = make_receive_view()
    assert "one core cannot keep this rate" in amdahl_sentences(view, 1e7)[0]


def test_cycles_are_no_time() -> None:
    _, _, view = make_receive_view()
    cycles = msgspec.structs.replace(view, unit=Unit.CYCLES, clock_hz=None)
    (sentence,) = amdahl_sentences(cycles, 1000)
    assert "no share of a core can be given" in sentence


@pytest.mark.parametrize(
    ("text", "rate_hz"),
    [("22500/s", 22500), ("22.5k/s", 22500), ("1M", 1e6), ("22,500", 22500), ("0", None)]
    + [(bad, None) for bad in ("", "fast", "-1", "1e3", "nan", "k")],
)
def test_rates_are_read(text: str, rate_hz: float | None) -> None:
    assert rate_hz == parse_rate(text)


def test_a_rate_that_is_none_is_a_plan_error() -> None:
    _, _, view = make_receive_view()
    with pytest.raises(PlanError, match="--rate fast"):
        with_rate(view, "fast")


GATED = [
    Gated(label="recvfrom", passage=Passage.FAILED, words="+5.0 % [+4.0, +6.0]: slower"),
    Gated(label="recvmsg", passage=Passage.OPEN, words="inconclusive"),
    Gated(label="read", passage=Passage.PASSED, words="no difference beyond ±1 %"),
]


def test_the_gate_is_written_as_junit(golden: Callable[[str, str], None]) -> None:
    golden("gate.xml", draw_junit(GATED, suite="sockmeter"))


def test_the_gate_is_written_as_annotations(golden: Callable[[str, str], None]) -> None:
    golden("gate.annotations", draw_annotations(GATED))
