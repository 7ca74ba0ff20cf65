# SPDX-License-Identifier: MIT
"""A counted run in every format."""

import csv
import io
from collections.abc import Callable

import msgspec
import pytest
from rich.console import Console

from sockmeter.model.counted import CountedRun
from sockmeter.model.errors import JudgementError
from sockmeter.report.counted import CountedView, make_counted_view, references
from sockmeter.report.counted_notices import notice_sentences
from sockmeter.report.counted_tables import (
    counted_csv,
    counted_objects,
    counted_tables,
    draw_counted,
    draw_counted_commit,
    draw_counted_markdown,
)
from tests.builders import make_arm
from tests.counted_builders import (
    make_boot,
    make_counted_arm,
    make_counted_run,
    make_counted_sends,
    make_refused_arm,
)


def make_usercopy_run() -> CountedRun:
    """Four arms; every fourth call of each refills a slab."""
    costs = {("recvfrom", "on"): 1768, ("recvfrom", "off"): 1566}
    costs |= {("recvmsg", "on"): 2262, ("recvmsg", "off"): 2018}
    return make_counted_run(
        [
            make_counted_arm(
                [cost, cost, cost, cost + 2480] * 4, make_arm(call, hardened_usercopy=word)
            )
            for (call, word), cost in costs.items()
        ],
        boots=[make_boot(parameters=[f"hardened_usercopy={word}"]) for word in ("on", "off")],
    )


def view_of(run: CountedRun) -> CountedView:
    return make_counted_view(run, references(run.arms))


def draw(view: CountedView) -> str:
    console = Console(width=160, record=True, file=io.StringIO())
    console.print(draw_counted(view))
    return "\n".join(line.rstrip() for line in console.export_text().splitlines()) + "\n"


def drawn_json(view: CountedView) -> str:
    return msgspec.json.format(msgspec.json.encode(counted_objects(view))).decode() + "\n"


def test_each_format_says_the_same(golden: Callable[[str, str], None]) -> None:
    """Text, commit message, Markdown, CSV and JSON."""
    view = view_of(make_usercopy_run())
    golden("counted.txt", draw(view))
    golden("counted-commit.txt", draw_counted_commit(view))
    golden("counted.md", draw_counted_markdown(view))
    golden("counted.csv", counted_csv(view))
    golden("counted.json", drawn_json(view))


def test_what_notifications_say_of_copying_is_one_sentence() -> None:
    """Arms of which they say the same share it; one that never looked is in none, and says none."""
    kept = {"sent_calls": 4, "returned_calls": 4, "notifications": 4}
    joined = {**kept, "notifications": 1, "copied_calls_most": 3}
    arms = [
        make_counted_arm([9, 9, 9, 9], counters=counters) for counters in ({}, kept, joined, kept)
    ]
    assert [
        "Copied by the kernel, as notifications say: 0 % of 2, 4; 0 to 75 % of 3. "
        "A joined one tells only of its first part: --limit 1 keeps them apart."
    ] == list(notice_sentences([*arms, make_refused_arm()]))[:1]
    assert "Copied by the kernel, as notifications say: 0 % of 2." == next(
        notice_sentences(arms[:2])
    )
    assert [] == list(notice_sentences(arms[:1]))


def make_zerocopy_counts() -> CountedRun:
    """Sends of 4 and 44 datagrams that copy, and that do not: limit 1, notifications read."""
    return make_counted_run(
        [
            make_counted_sends([11_111] * 4, segments=4),
            make_counted_sends([104_365] * 4, segments=44),
            make_counted_sends([7514] * 4, segments=4, zerocopy="poll"),
            make_counted_sends([10_160] * 4, segments=44, zerocopy="poll"),
        ],
        scenario="zerocopy",
    )


def test_what_reading_notifications_costs_is_a_table() -> None:
    """A copy has nothing to read; a byte is set against the copy of its own message."""
    view = view_of(make_zerocopy_counts())
    assert [None, 0, 0, 1] == [row.change and row.change.against for row in view.rows]
    _, table, *_ = counted_tables(view)
    assert "All in: the sends and every look for a notification, exact means in instructions" == (
        table.title
    )
    assert ["3", "1,651", "2,673", "1", "10,187", "2,546.8", "1.7301", "−8.32 %"] == [
        cell.text for cell in table.rows[2]
    ]
    assert ["1", "–", "–", "–", "11,111", "2,777.8", "1.8871", "–"] == [
        cell.text for cell in table.rows[0]
    ]


def test_csv_and_commit_message_have_what_is_all_in() -> None:
    view = view_of(make_zerocopy_counts())
    rows = list(csv.DictReader(io.StringIO(counted_csv(view))))
    assert rows[1]["arm"] == rows[3]["copy"]
    assert "1651.0" == rows[3]["reading_instructions"]
    assert "12833.0" == rows[3]["all_in_call_instructions"]
    text = draw_counted_commit(view)
    assert text.isascii()
    assert 72 >= max(len(line) for line in text.splitlines())
    assert "-87.7%" in text


def test_a_commit_message_shows_the_message_that_a_change_is_of() -> None:
    """Of 4 datagrams against 44: the two calls are no match, their messages are."""
    text = draw_counted_commit(view_of(make_zerocopy_counts()))
    words = [line.split() for line in text.splitlines()]
    assert ["call", "a", "call", "a", "message", "change", "against"] in words
    (longer,) = [line for line in words if "104365" in line]
    assert ["2371.9", "-405.8", "a", "message", "-14.6%"] == longer[3:8]


def test_without_notifications_no_table_says_what_is_all_in() -> None:
    view = view_of(make_counted_run([make_counted_sends([9, 9])], scenario="zerocopy"))
    assert 1 == len(counted_tables(view))
    assert "all in" not in draw_counted_commit(view)
    assert "all_in" not in counted_csv(view)


def test_json_holds_exact_means_as_floats() -> None:
    rows = counted_objects(view_of(make_zerocopy_counts()))["rows"]
    assert isinstance(rows, list)
    all_in = rows[3]["all_in"]
    assert 1 == all_in["copy_row"]
    assert (1651.0, 12_833 / 44) == (all_in["reading"], all_in["per_message"])
    assert 12_833 / 104_365 - 1 == pytest.approx(all_in["fraction"])


def test_a_commit_message_is_ascii_within_72_columns() -> None:
    """As the kernel's own rules want it."""
    text = draw_counted_commit(view_of(make_usercopy_run()))
    assert text.isascii()
    assert 72 >= max(len(line) for line in text.splitlines())


def test_the_verdict_is_exact_or_identical() -> None:
    """No interval, no error; equal commonest costs are told apart from equal calls."""
    arms = [
        make_counted_arm(costs, make_arm(size=size))
        for size, costs in enumerate(([1768] * 3, [1566] * 3, [1768] * 3, [1768, 1768, 1770]))
    ]
    words = [row.words for row in view_of(make_counted_run(arms)).rows]
    assert [
        "baseline",
        "exact: 1768 → 1566, −202 (−11.4 %)",
        "identical",
        "exact: 1768 in both; mean +0.67",
    ] == words


def test_what_proves_nothing_says_so_and_is_no_commit_message() -> None:
    """A refused arm, and one whose calls failed."""
    run = make_counted_run(
        [
            make_counted_arm([1768]),
            make_refused_arm(make_arm(family="udp6")),
            make_counted_arm([853], make_arm("recvmsg"), failed={"EAGAIN": 1}),
        ]
    )
    view = view_of(run)
    assert [
        "baseline",
        "refused: socket: EAFNOSUPPORT, not supported",
        "void: 100.0% of the calls failed, most with EAGAIN",
    ] == [row.words for row in view.rows]
    with pytest.raises(JudgementError, match="EAFNOSUPPORT"):
        draw_counted_commit(view)


def test_what_differs_from_what_was_asked_is_said() -> None:
    """A kernel that starts one CPU only; a guest that slept inside a call."""
    arm = msgspec.structs.replace(make_counted_arm([1768]), idle_ns=4000)
    run = make_counted_run([arm], boots=[make_boot(remarks=["it ran with one CPU"])])
    sentences = view_of(run).sentences
    assert "it ran with one CPU." == sentences[0]
    assert "4,000 ns" in sentences[1]
    assert sentences[2].startswith("Closes: ")


def test_a_batch_says_what_a_message_costs() -> None:
    """In the table a column, in the verdict both arms' messages; its call is as long as it is."""
    run = make_counted_run(
        [
            make_counted_arm([1000, 1000], make_arm("recv")),
            make_counted_arm([7204, 7204], make_arm("recvmmsg", batch=8)),
        ]
    )
    view = view_of(run)
    assert "exact: 1,000 → 900.5 a message, −9.95 %" == view.rows[1].words
    assert [None, 900.5] == [row.per_message for row in view.rows]
    assert "per message" in " ".join(draw_counted_markdown(view).split())
    assert "a message" in draw_counted_commit(view)
