# SPDX-License-Identifier: MIT
"""What a terminal shows is whole at every width, and what is left out is named."""

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from rich.cells import cell_len

from sockmeter.judge.assess import assess
from sockmeter.model.environment import Environment, Fact
from sockmeter.model.runs import Run
from sockmeter.plan.calls import CALLS
from sockmeter.report import details
from sockmeter.report.arms_table import arms_table
from sockmeter.report.counted_tables import counted_tables, draw_counted
from sockmeter.report.dossier import draw_dossier
from sockmeter.report.fitting import draw_text
from sockmeter.report.health import health_table
from sockmeter.report.labels import arm_labels
from sockmeter.report.published_tables import draw_published, published_tables
from sockmeter.report.tables import Cell, Table
from sockmeter.report.text import draw_view, view_tables
from sockmeter.report.view import make_view
from sockmeter.report.words import Here, call_table, factor_table, scenario_table, sink_table
from sockmeter.rig.health.finding import Finding, Status
from tests.report.make_views import make_receive_run
from tests.report.test_bulk_figures import make_zerocopy_run
from tests.report.test_counted import make_usercopy_run, view_of
from tests.report.test_published import make_laight_view
from tests.report.test_renderings import render
from tests.report.test_scenario_channels import make_channels_run
from tests.report.test_scenario_rr import make_rr_run

WIDTHS = (40, 60, 80, 100, 120)
LEFT_OUT = re.compile(r"left out for width: (.*); all in --format json")
FACTS = {
    "kernel.command_line": Fact(value="mitigations=auto,no_guest_host,no_guest_guest quiet"),
    "kernel.livepatches": Fact(missing="No such file or directory: /sys/kernel/livepatch"),
}
COMMAND = "sockmeter run recv --call recvfrom,recvmsg,recvmmsg --family udp4 --size 64 --batch 8"
RUNS = {
    "recv": make_receive_run(environment=Environment(facts=FACTS), command=COMMAND),
    "zerocopy": make_zerocopy_run((1, 8, 44), (1, 400, 900)),
    "bulk": make_zerocopy_run(),
    "channels": make_channels_run(),
    "rr": make_rr_run(),
}
FINDING = Finding(
    subject="interrupts",
    status=Status.DISTURBS,
    detail="1,234 a second on the CPU that measures; each is in the cost of a call",
    mend="sudo systemctl stop irqbalance && echo 1 | sudo tee /proc/irq/default_smp_affinity",
)


def tables_of(run: Run) -> Iterator[Table]:
    """Yield every table that `run` and `show` draw of a run."""
    assessment, labels, unit = assess(run), arm_labels(run.design.arms), "ticks"
    yield from view_tables(make_view(run, assessment))
    found = [
        details.peaks_table(assessment, labels, unit),
        details.shift_table(assessment, labels),
        details.statistics_table(assessment, labels),
        details.tails_table(assessment, labels),
    ]
    yield from (table for table in found if table is not None)
    yield details.accounting_table(run, labels)
    yield details.machine_table(run.environment)


def all_tables() -> Iterator[Table]:
    """Yield every kind of table that is drawn."""
    for run in RUNS.values():
        yield from tables_of(run)
    yield from counted_tables(view_of(make_usercopy_run()))
    yield from published_tables(make_laight_view())
    yield health_table([FINDING])
    yield scenario_table()
    yield call_table(CALLS, Here())
    yield factor_table(CALLS, Here())
    yield sink_table(Here())


def letters(*texts: str) -> Counter[str]:
    """Count what a terminal may put on another line but never lose."""
    return Counter("".join("".join(texts).split()))


def named_in(drawn: str) -> list[str]:
    """Return the heads of the columns that are said to be left out."""
    found = LEFT_OUT.search(" ".join(drawn.split()))
    return found[1].split(", ") if found else []


def make_table(*rows: tuple[str, str, str, str], gives_way: tuple[int, ...] = ()) -> Table:
    return Table(
        title="recv",
        columns=["call", "median\nticks", "against\nrecv", "verdict"],
        rows=[[*map(Cell, row)] for row in rows],
        wordy=frozenset({0, 3}),
        gives_way=gives_way,
    )


@pytest.mark.parametrize("width", WIDTHS)
def test_no_table_is_cut_and_what_is_left_out_is_named(width: int) -> None:
    for table in all_tables():
        drawn = render(draw_text(table), width)
        left_out = named_in(drawn)
        assert set(left_out) <= {table.heads[index] for index in table.gives_way}
        kept = [place for place, head in enumerate(table.heads) if head not in left_out]
        cells = [row[place].text for row in table.rows for place in kept]
        lost = letters(table.title, *(cell for cell in cells if cell != "–")) - letters(drawn)
        assert not lost, (table.title, drawn)
        assert width >= max(map(cell_len, drawn.splitlines()))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", RUNS)
def test_nothing_of_a_run_is_wider_than_the_terminal(name: str, width: int) -> None:
    run = RUNS[name]
    assessment = assess(run)
    view = make_view(run, assessment)
    shown = render(draw_view(view), width)
    behind = render(draw_dossier(run, assessment, width=width, with_machine=True), width)
    assert width >= max(map(cell_len, [*shown.splitlines(), *behind.splitlines()]))
    for sentence in view.sentences:
        assert "".join(sentence.split()) in "".join(shown.split())
    made_by = behind.partition("made by: ")[2].replace("\\\n", "")
    assert run.command == " ".join(made_by.split())


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_of_a_counted_or_an_imported_run_is_wider_than_the_terminal(width: int) -> None:
    counted, published = view_of(make_usercopy_run()), make_laight_view()
    for drawn, sentences in (
        (render(draw_counted(counted), width), [*counted.sentences, counted.setting]),
        (render(draw_published(published), width), published.sentences),
    ):
        assert width >= max(map(cell_len, drawn.splitlines()))
        assert [] == [
            sentence
            for sentence in sentences
            if "".join(sentence.split()) not in "".join(drawn.split())
        ]


@pytest.mark.parametrize("name", RUNS)
def test_the_first_table_of_a_run_is_a_table_at_80_columns(name: str) -> None:
    """The call, its median, its change and the verdict stand beside each other."""
    table = arms_table(make_view(RUNS[name], assess(RUNS[name])))
    heads = next(
        line for line in render(draw_text(table), 80).splitlines() if line.startswith(" call ")
    )
    assert "verdict" == heads.split()[-1]
    always = {table.heads[0], table.heads[2], *table.heads[-2:]}
    assert set() == always & set(named_in(render(draw_text(table), 80)))


def test_columns_are_left_out_in_the_order_that_the_table_declares() -> None:
    row = ("recvmmsg", "5,329", "−23.3 % [−23.4, −23.1]", "faster")
    table = make_table(row, gives_way=(2, 1))
    for width, left_out in (
        (54, []),
        (53, ["against recv"]),
        (29, ["against recv"]),
        (28, ["median ticks", "against recv"]),
        (20, ["median ticks", "against recv"]),
        (19, []),
    ):
        assert left_out == named_in(render(draw_text(table), width))


def test_names_wrap_only_where_they_must() -> None:
    """The words of a verdict are never squeezed to a column of letters."""
    name, verdict = "recvfrom hardened_usercopy=on", "no difference beyond 1 %"
    table = Table(
        title="",
        columns=["call", "ticks", "verdict"],
        rows=[[Cell(name), Cell("1,234,567"), Cell(verdict)]],
        wordy=frozenset({0, 2}),
    )
    for width, lines in (
        (90, [f"{name} {verdict}"]),
        (66, [f"{name} no difference beyond", "1 %"]),
        (60, [f"{name} no difference", "beyond 1 %"]),
        (59, ["recvfrom no difference beyond", "hardened_usercopy=on 1 %"]),
    ):
        rows = render(draw_text(table), width).splitlines()[3:]
        assert lines == [" ".join(row.replace("1,234,567", "").split()) for row in rows if row]


def test_numbers_that_find_no_room_stand_in_tables_under_each_other() -> None:
    table = Table(
        title="Costs",
        columns=["call", "first\nticks", "second\nticks"],
        rows=[[Cell("recv"), Cell("1,234,567"), Cell("7,654,321")]],
    )
    assert """Costs

            first
 call       ticks
 ────────────────
 recv   1,234,567


           second
 call       ticks
 ────────────────
 recv   7,654,321

""" == render(draw_text(table), 25)


def test_words_that_find_no_room_are_a_paragraph_a_row() -> None:
    """At 45 columns, whole; a dash is left out."""
    table = make_table(
        ("recv", "874", "–", "baseline"),
        ("recvmmsg", "5,329", "−23.3 % [−23.4, −23.1]", "faster"),
    )
    assert """recv

recv
  median ticks 874 · verdict baseline

recvmmsg
  median ticks 5,329 · against recv −23.3 %
  [−23.4, −23.1] · verdict faster

""" == render(draw_text(table), 45)
