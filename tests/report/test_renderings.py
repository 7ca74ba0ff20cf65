# SPDX-License-Identifier: MIT
"""Everything rendered has a golden file; rewrite them with: pytest --update-golden."""

import csv
import io
from collections.abc import Callable

import msgspec
import pytest
from rich.console import Console, RenderableType

from sockmeter.judge.assess import cells_of
from sockmeter.model.environment import Environment, Fact
from sockmeter.model.runs import EndingKind
from sockmeter.model.segments import Refusal
from sockmeter.report.csv_rows import draw_csv
from sockmeter.report.details import machine_table, shift_table, statistics_table, tails_table
from sockmeter.report.dossier import draw_dossier
from sockmeter.report.fitting import draw_text
from sockmeter.report.labels import arm_labels
from sockmeter.report.overlay import draw_overlay
from sockmeter.report.text import draw_view, draw_view_markdown
from tests.builders import make_arm, make_design, make_ending, make_round
from tests.report.make_views import make_receive_run, make_receive_view

Golden = Callable[[str, str], None]


def render(drawn: RenderableType | None, width: int = 120) -> str:
    assert drawn is not None
    console = Console(file=io.StringIO(), width=width, highlight=False, color_system=None)
    with console.capture() as capture:
        console.print(drawn)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def test_the_first_screen_is_a_table_and_a_few_sentences(golden: Golden) -> None:
    _, _, view = make_receive_view()
    golden("receive.txt", render(draw_view(view)))


def test_the_markdown_is_for_a_pull_request(golden: Golden) -> None:
    _, _, view = make_receive_view()
    golden("receive.md", draw_view_markdown(view))


def test_the_csv_has_a_line_an_arm_with_units_in_its_header(golden: Golden) -> None:
    _, _, view = make_receive_view()
    drawn = draw_csv(view)
    golden("receive.csv", drawn)
    lines = list(csv.reader(io.StringIO(drawn)))
    assert [len(lines[0])] * 5 == [len(line) for line in lines]


def test_the_json_holds_every_number_of_the_table(golden: Golden) -> None:
    _, _, view = make_receive_view()
    golden("receive.json", msgspec.json.format(msgspec.json.encode(view)).decode() + "\n")


def test_every_quantile_is_shown_with_one_band(golden: Golden) -> None:
    run, assessment, _ = make_receive_view()
    table = shift_table(assessment, arm_labels(run.design.arms))
    assert table is not None
    golden("receive-shift.txt", render(draw_text(table)))


def test_the_other_statistics_are_shown(golden: Golden) -> None:
    run, assessment, _ = make_receive_view()
    table = statistics_table(assessment, arm_labels(run.design.arms))
    assert table is not None
    golden("receive-statistics.txt", render(draw_text(table)))


def test_the_tails_are_shown_with_their_verdicts(golden: Golden) -> None:
    run, assessment, _ = make_receive_view()
    table = tails_table(assessment, arm_labels(run.design.arms))
    assert table is not None
    golden("receive-tails.txt", render(draw_text(table)))


def test_the_distributions_are_drawn_over_each_other(golden: Golden) -> None:
    run = make_receive_run()
    labels = arm_labels(run.design.arms)
    cells = cells_of(run)
    drawn = draw_overlay(list(cells.values()), [labels[arm] for arm in cells], "ticks", 100)
    golden("receive-overlay.txt", drawn + "\n")
    assert all(len(line) <= 100 for line in drawn.splitlines())


def test_a_missing_fact_says_why() -> None:
    facts = {
        "kernel.release": Fact(value="6.1.0"),
        "cpu.governor": Fact(missing="no cpufreq in this guest"),
        "sysctl.net.core.rmem_max": Fact(value=212992, unit="bytes"),
    }
    drawn = render(draw_text(machine_table(Environment(facts=facts))))
    assert "(missing: no cpufreq in this guest)" in drawn
    assert "212992 bytes" in drawn


@pytest.mark.parametrize(
    ("ending", "sentence"),
    [
        (None, "The run was cut short; its 20 finished rounds are shown."),
        (EndingKind.INTERRUPTED, "Interrupted after 20 rounds; all of them are kept."),
        (EndingKind.FAILED, "The run failed after 20 rounds: the probe is gone."),
    ],
)
def test_an_early_end_is_said(ending: EndingKind | None, sentence: str) -> None:
    end = ending and make_ending(kind=ending, detail="the probe is gone")
    _, _, view = make_receive_view(ending=end)
    assert sentence in view.sentences


def test_a_dropped_round_is_counted_with_its_reason() -> None:
    run = make_receive_run()
    dropped = make_round(21, dropped="the clock ran back")
    _, _, view = make_receive_view(rounds=[*run.rounds, dropped])
    assert "1 round (4.8 %) dropped whole; the last because the clock ran back." in view.sentences


def test_a_run_that_was_refused_whole_says_so_once_an_arm() -> None:
    """It has no costs to explain, and no copy of the baseline to judge."""
    refusals = [
        Refusal(arm=arm, step="io_uring", errno="EPERM", text="not allowed") for arm in range(3)
    ]
    design = make_design(arms=[make_arm("uring-recv"), make_arm("uring-recvmsg")])
    _, _, view = make_receive_view(design=design, rounds=[make_round(1, [], refusals=refusals)])
    assert [] == view.sentences
    assert "1 round of 5,000 calls an arm" in view.basis
    assert 2 == render(draw_view(view)).count("not allowed")


def test_a_different_copy_of_the_baseline_leads_the_sentences() -> None:
    """A2 ten percent dearer than the baseline: nothing under it can be trusted."""
    run = make_receive_run()
    rounds = [
        msgspec.structs.replace(
            finished,
            segments=[
                msgspec.structs.replace(finished.segments[1], arm=4)
                if segment.arm == 4
                else segment
                for segment in finished.segments
            ],
        )
        for finished in run.rounds
    ]
    _, _, view = make_receive_view(rounds=rounds)
    (warning,) = view.warnings
    assert warning.startswith("a second copy of recvfrom, measured beside it, was judged slower")
    assert "WARNING: a second copy" in render(draw_view(view))
    assert "a second copy of the baseline was judged different from it" in view.doubts


def test_the_dossier_holds_everything(golden: Golden) -> None:
    run, assessment, _ = make_receive_view()
    golden(
        "receive-dossier.txt",
        render(draw_dossier(run, assessment, width=100, with_machine=True), width=160),
    )
