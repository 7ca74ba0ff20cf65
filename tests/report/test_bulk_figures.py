# SPDX-License-Identifier: MIT
"""The second table and the sentences of bulk and zerocopy."""

import csv
import io
import re
from typing import Any

import msgspec
import pytest
from rich.console import Console

from sockmeter.judge.assess import assess
from sockmeter.judge.verdict import Word
from sockmeter.model.arms import Arm
from sockmeter.model.runs import Look, Run
from sockmeter.model.segments import Refusal
from sockmeter.report.commit import draw_commit
from sockmeter.report.csv_rows import draw_csv
from sockmeter.report.refusals import refusal_words
from sockmeter.report.text import draw_view, draw_view_markdown
from sockmeter.report.view import View, make_view
from tests.builders import (
    make_clock,
    make_design,
    make_histogram,
    make_instrument,
    make_round,
    make_run,
    make_segment,
    make_zerocopy,
)


def make_arm(**factors: int | str | bool) -> Arm:
    common: dict[str, int | str | bool] = {
        "family": "udp4",
        "size": 1472,
        "sink": "ifb",
        "segments": 44,
        "zerocopy": "no",
    }
    return Arm(scenario="zerocopy", call="send-gso", factors=common | factors)


def make_message(size: int | None, **factors: int | str | bool) -> Arm:
    """Make a send of so many segments; None: one that knows of no segments."""
    arm = make_arm(**factors, segments=size or 1)
    if size is not None:
        return arm
    kept = {name: value for name, value in arm.factors.items() if name != "segments"}
    return Arm(scenario="zerocopy", call="send", factors=kept)


def make_zerocopy_run(
    sizes: tuple[int | None, ...] = (44,),
    gains: tuple[int, ...] = (400,),
    looks: tuple[Look, ...] = (Look(8, 0.05),),
    **counters: int,
) -> Run:
    """Make eight rounds of a plain send at 3,000 ticks, and of one that is cheaper by a gain.

    Looking for its notification costs 800 of them.
    """
    arms = [make_message(size) for size in sizes]
    arms += [make_message(size, zerocopy="poll", limit=1) for size in sizes]
    rounds = []
    for number in range(1, 9):
        fields = [{"bytes": 20 * 1472 * (size or 1), "elapsed_ns": 40_000} for size in sizes]
        plain = [make_segment(arm, [3000 + number] * 20, **each) for arm, each in enumerate(fields)]
        other = [
            make_zerocopy([3000 + number - 800 - gain] * 20, counters=counters, **each)
            for gain, each in zip(gains, fields, strict=True)
        ]
        segments: list[Any] = [*plain]
        for arm, segment in enumerate(other, start=len(sizes)):
            segments.append(_as_arm(segment, arm))
        segments.append(make_segment(len(arms), [3000 + number] * 20, **fields[0]))
        rounds.append(make_round(number, segments))
    return make_run(
        rounds,
        design=make_design(scenario="zerocopy", arms=arms, looks=list(looks), calls=20),
        instrument=make_instrument(clock=make_clock(quantum=1)),
    )


def make_mixed_run() -> Run:
    """Make a run of a send that has one size, and of another that has two."""
    return make_zerocopy_run(sizes=(None, 4, 44), gains=(-400, -400, 400))


def _as_arm(segment: Any, arm: int) -> Any:
    return msgspec.structs.replace(segment, arm=arm)


def make_zerocopy_view(run: Run) -> View:
    return make_view(run, assess(run))


def test_a_row_has_rates_costs_and_what_was_copied() -> None:
    figures = make_zerocopy_view(make_zerocopy_run()).figures
    assert figures is not None
    plain, zerocopy = figures.rows
    assert 20 * 1472 * 44 / 40_000 * 1e3 == pytest.approx(plain["megabytes_per_s"])
    assert 20 / 40_000 * 1e9 == pytest.approx(plain["calls_per_s"])
    assert "copied" not in plain
    assert ("0", 500, 800, 900) == (
        zerocopy["copied"],
        zerocopy["read_ticks"],
        zerocopy["looking_ticks"],
        zerocopy["delay_ticks"],
    )


def test_the_verdict_all_in_is_a_table_of_its_own() -> None:
    """400 of about 3,004 ticks are the gain: 13.3 %."""
    view = make_zerocopy_view(make_zerocopy_run())
    plain, zerocopy = [row.all_in for row in view.rows]
    assert plain is not None
    assert zerocopy is not None
    assert (None, None, False) == (plain.baseline_row, plain.difference, plain.is_own_copy)
    assert (0, True) == (zerocopy.baseline_row, zerocopy.is_own_copy)
    assert zerocopy.difference is not None
    assert Word.FASTER is zerocopy.difference.verdict
    _, drawn = draw_view_markdown(view).split("**A byte all in, median round**")
    assert "| call | a byte ticks | against its copy | verdict |" in drawn
    assert f"| send-gso zerocopy=no | {3004.5 / 1472 / 44:.4f} | – | – |" in drawn
    assert "| −13.3 % [" in drawn


def test_a_stream_has_no_datagrams_to_count() -> None:
    """Of a datagram's sends they are told where they are not the calls."""
    for family, is_counted in (("udp4", True), ("tcp4", False)):
        arm = Arm(scenario="bulk", call="sendmmsg", factors={"family": family, "size": 1472})
        design = make_design(scenario="bulk", arms=[arm], looks=[Look(8, 0.05)])
        fields = {"bytes": 20 * 1472, "elapsed_ns": 40_000, "datagrams": 60}
        segments = [make_segment(at, [3000] * 20, **fields) for at in range(2)]
        run = make_run([make_round(number, segments) for number in range(1, 9)], design=design)
        figures = make_zerocopy_view(run).figures
        assert figures is not None
        assert is_counted == ("datagrams_per_s" in {column.key for column in figures.columns})


def test_columns_that_no_arm_fills_are_left_out() -> None:
    figures = make_zerocopy_view(make_zerocopy_run()).figures
    assert figures is not None
    assert not {"received_percent", "segments_per_read"} & {each.key for each in figures.columns}


def test_bounds_that_joined_notifications_leave_are_shown_and_explained() -> None:
    view = make_zerocopy_view(make_zerocopy_run(copied_calls_most=15))
    assert view.figures is not None
    assert "0 to 75" == view.figures.rows[1]["copied"]
    assert any("exactly with --limit 1" in sentence for sentence in view.sentences)


def test_sends_that_found_no_room_name_the_limit_that_they_met() -> None:
    view = make_zerocopy_view(make_zerocopy_run(optmem_refused_calls=3, memlock_refused_calls=2))
    text = "\n".join(view.sentences)
    assert "24 sends found no option memory" in text
    assert "sysctl net.core.optmem_max" in text
    assert "16 sends would have pinned more than RLIMIT_MEMLOCK" in text
    assert "sudo prlimit --pid $$ --memlock=unlimited" in text


def test_the_size_from_which_zerocopy_pays_is_said_with_its_interval() -> None:
    run = make_zerocopy_run(sizes=(1, 4, 16), gains=(-900, -100, 400))
    text = "\n".join(make_zerocopy_view(run).sentences)
    assert "send-gso udp4, read by poll, limit 1: zerocopy pays from a size between" in text
    assert "between 5,888 and 23,552 B on; about 7,600 B." in text


def test_where_it_never_pays_that_is_said() -> None:
    run = make_zerocopy_run(sizes=(1, 4), gains=(-900, -100))
    text = "\n".join(make_zerocopy_view(run).sentences)
    assert "zerocopy does not pay up to 5,888 B" in text


def test_sizes_have_a_table_of_their_own_each_against_its_copy() -> None:
    """At 4 datagrams the copy is as dear as at 1: only against it does zerocopy cost 3.3 % more."""
    view = make_zerocopy_view(make_zerocopy_run(sizes=(1, 4, 16), gains=(-900, -100, 400)))
    (crossover,) = view.crossovers
    told = [
        (row.message_bytes, row.datagrams, row.copy_row, row.zerocopy_row, row.difference.verdict)
        for row in crossover.rows
    ]
    assert [
        (1472, 1, 0, 3, Word.SLOWER),
        (5888, 4, 1, 4, Word.SLOWER),
        (23_552, 16, 2, 5, Word.FASTER),
    ] == told
    for row in crossover.rows:
        assert row.difference.estimate == pytest.approx(
            row.zerocopy_per_byte / row.copy_per_byte - 1, rel=1e-3
        )
    assert "send-gso udp4, read by poll, limit 1" == crossover.group
    assert any("sets every call against the first arm" in line for line in view.sentences)


def test_sizes_stand_in_their_table_and_their_copies_against_the_first() -> None:
    view = make_zerocopy_view(make_zerocopy_run(sizes=(1, 4), gains=(400, 400)))
    _, copies, sizes = draw_view_markdown(view).split("**A byte all in, median round")
    assert "| call | a byte ticks | against the first | verdict |" in copies
    assert "| send-gso segments=4 zerocopy=no | " in copies
    assert "zerocopy=poll" not in copies
    assert "| 5,888 B | 4 | " in sizes
    assert "| faster |" in sizes


@pytest.mark.parametrize("width", [100, 160])
def test_an_arm_without_sizes_is_judged_beside_those_that_have_them(width: int) -> None:
    """A send of one datagram is 400 ticks dearer without copying; it has no other size."""
    view = make_zerocopy_view(make_mixed_run())
    assert [2] == [len(crossover.rows) for crossover in view.crossovers]
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(draw_view(view))
    _, others, _ = console.export_text().split("A byte all in, median round")
    rows = [re.split(r" {2,}", line.strip()) for line in others.splitlines() if "=" in line]
    assert {
        "send zerocopy=no": "–",
        "send-gso segments=4 zerocopy=no": "faster",
        "send-gso segments=44 zerocopy=no": "faster",
        "send zerocopy=poll limit=1": "slower",
    } == {label: verdict for label, *_, verdict in rows}


def test_a_commit_message_has_the_arms_without_sizes_under_the_sizes() -> None:
    text = draw_commit(make_zerocopy_view(make_mixed_run()))
    assert 72 >= max(map(len, text.splitlines()))
    calls, sizes, others = text.split(" per byte, all in")
    assert "send zerocopy=poll" in calls
    assert "64,768 B" in sizes
    verdicts = [line.split()[-1] for line in others.splitlines() if line.startswith("  send")]
    assert ["baseline", "slower"] == verdicts


def test_csv_names_what_each_byte_is_set_against() -> None:
    """Three sizes; each arm of zerocopy against its copy, the other copies against the first."""
    view = make_zerocopy_view(make_zerocopy_run(sizes=(1, 4, 16), gains=(-900, -100, 400)))
    rows = list(csv.DictReader(io.StringIO(draw_csv(view))))
    labels = [row["arm"] for row in rows]
    against = [row["byte_baseline"] for row in rows]
    assert ["", labels[0], labels[0], labels[0], labels[1], labels[2]] == against
    words = [row["byte_verdict"] for row in rows]
    assert ["", "faster", "faster", "slower", "slower", "faster"] == words
    assert 1 / 4 - 1 == pytest.approx(float(rows[1]["byte_difference"]))
    costs = [row["byte_median_round_ticks"] for row in rows]
    assert 3004.5 / 1472 == pytest.approx(float(costs[0]))
    assert ["", costs[0], costs[0], costs[0], costs[1], costs[2]] == [
        row["byte_baseline_ticks"] for row in rows
    ]


def test_a_commit_message_has_the_sizes_instead_of_the_arms() -> None:
    view = make_zerocopy_view(make_zerocopy_run(sizes=(1, 4, 16), gains=(-900, -100, 400)))
    text = draw_commit(view)
    assert 72 >= max(map(len, text.splitlines()))
    assert "segments=4" not in text
    assert "send-gso udp4, read by poll, limit 1: TSC ticks per byte, all in" in text
    assert any(
        line.split()[:2] == ["23,552", "B"] and line.endswith("faster")
        for line in text.splitlines()
    )
    assert "Zerocopy pays from a size between" in text
    assert "99% intervals" in text


def test_a_commit_message_of_one_size_has_the_byte_under_the_call() -> None:
    text = draw_commit(make_zerocopy_view(make_zerocopy_run()))
    calls, byte = text.split("TSC ticks per byte, all in (median round)")
    assert "-39.9%" in calls
    assert "baseline" in byte
    assert "-13." in byte


def test_before_its_look_a_run_does_not_say_what_pays() -> None:
    """The intervals stand, at the error of the look to come; no verdict and no crossing do."""
    run = make_zerocopy_run(
        sizes=(1, 4, 16), gains=(-900, -100, 400), looks=(Look(20, 0.02), Look(40, 0.03))
    )
    view = make_zerocopy_view(run)
    (crossover,) = view.crossovers
    assert crossover.crossing is None
    assert "undecided: the run ended after 8 rounds, before its look at 20." in crossover.words
    assert {Word.UNDECIDED} == {row.difference.verdict for row in crossover.rows}


def test_where_zerocopy_copied_nothing_pays() -> None:
    """Every arm of it is void, and so is what it is compared by."""
    run = make_zerocopy_run(sizes=(1, 4), gains=(400, 400), marked_notifications=20)
    (crossover,) = make_zerocopy_view(run).crossovers
    assert "undecided: 100% of the notifications say that the kernel copied." in crossover.words


@pytest.mark.parametrize(
    ("factors", "step", "errno", "words"),
    [
        ({"segments": 129}, "call", "EINVAL", "at most 64 segments, 128 from Linux 6.9"),
        ({"segments": 45}, "call", "EMSGSIZE", "66,240 bytes; a message has at most 65,507"),
        ({"segments": 2, "size": 9000}, "call", "EMSGSIZE", "exceed the MTU"),
        ({"family": "udp6", "mtu": 68}, "connect", "ENETUNREACH", "an MTU of at least 1,280 bytes"),
        ({"family": "tcp6", "mtu": 1279}, "bind", "EADDRNOTAVAIL", "an MTU of at least 1,280"),
        ({}, "call", "EIO", "--offload tx-checksum-ip-generic=on"),
        ({}, "optmem", "ENOBUFS", "sysctl net.core.optmem_max=1048576"),
        ({"sink": "dummy"}, "sink", "EOPNOTSUPP", "modprobe dummy"),
        ({}, "memlock", "ENOBUFS", "sudo prlimit --pid $$ --memlock=unlimited"),
        ({"priority": 50}, "priority", "EPERM", "sudo prlimit --pid $$ --rtprio=50:50"),
        ({"channels": 99}, "descriptors", "EMFILE", "sudo prlimit --pid $$ --nofile=115:115"),
        ({"zerocopy": "cqe"}, "call", "ENOMEM", "sudo prlimit --pid $$ --memlock=unlimited"),
        ({}, "busy", "EAGAIN", "sudo prlimit --pid $$ --nproc=unlimited"),
        ({}, "receiver", "EAGAIN", "sudo prlimit --pid $$ --nproc=unlimited"),
        ({}, "fork", "EAGAIN", "sudo prlimit --pid $$ --nproc=unlimited"),
        ({}, "thread", "EAGAIN", "sudo prlimit --pid $$ --nproc=unlimited"),
        ({}, "connect", "ENETUNREACH", "sudo ip link set lo up"),
        ({"sink": "veth"}, "nftables", "EPROTONOSUPPORT", "modprobe nf_tables"),
        ({}, "sysctl", "EACCES", "run it as root"),
        ({}, "namespace", "ENOSPC", "user.max_net_namespaces"),
        ({}, "namespace", "EPERM", "unprivileged_userns_clone"),
    ],
)
def test_a_limit_is_named_with_what_moves_it(
    factors: dict[str, Any], step: str, errno: str, words: str
) -> None:
    said = refusal_words(make_arm(**factors), Refusal(arm=0, step=step, errno=errno, text="No"))
    assert said.startswith(f"{step}: {errno}, No; ")
    assert words in said


def test_a_priority_that_was_left_to_the_probe_has_no_limit_to_name() -> None:
    refusal = Refusal(arm=0, step="priority", errno="EPERM", text="No")
    assert "priority: EPERM, No" == refusal_words(make_arm(priority="auto"), refusal)


def test_a_refusal_that_nothing_is_known_of_is_the_kernels_words() -> None:
    refusal = Refusal(arm=0, step="bind", errno="EADDRNOTAVAIL", text="Cannot assign")
    for factors in ({}, {"family": "udp6"}, {"family": "udp6", "mtu": 1280}, {"mtu": 68}):
        arm = make_arm(**factors)
        assert "bind: EADDRNOTAVAIL, Cannot assign" == refusal_words(arm, refusal)


def test_what_reads_held_is_a_sentence() -> None:
    held = make_histogram(*[44] * 90, *[1] * 5, *[43] * 3, 2, 3, unit="datagrams")
    run = make_zerocopy_run()
    segments = [
        msgspec.structs.replace(segment, histograms=segment.histograms | {"gro_segments": held})
        for segment in run.rounds[0].segments
    ]
    first = msgspec.structs.replace(run.rounds[0], segments=segments)
    run = msgspec.structs.replace(run, rounds=[first, *run.rounds[1:]])
    view = make_view(run, assess(run))
    told = "a read held 44 datagrams in 90 %, 1 in 5 %, 43 in 3 %, others in 2 % of the reads."
    assert any(sentence.endswith(told) for sentence in view.sentences)
