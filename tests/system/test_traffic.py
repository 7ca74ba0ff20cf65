# SPDX-License-Identifier: MIT
"""Whole runs of the scenarios with traffic of their own, as a user types them."""

import os
from pathlib import Path

import pytest

from sockmeter.files.runfile import read_run
from tests.cli.run_cli import run_cli
from tests.system.test_runs import run_json

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="the other end needs a CPU"),
]


def test_a_conversation_has_a_verdict_a_rate_and_its_parts(tmp_path: Path) -> None:
    """A message header costs more at both ends; a second CPU is another row of the same table."""
    view = run_json(
        *("rr", "--call", "recv,recvmsg", "--peer-cpu", "same,other", "--rounds", "8"),
        *("--calls", "500"),
        cwd=tmp_path,
    )
    assert 4 == len(view["rows"])
    assert all(row["summary"]["calls"] > 0 for row in view["rows"])
    figures = view["figures"]["rows"]
    assert all(row["transactions_per_s"] > 0 and row["peer_cpu_ns"] > 0 for row in figures)


def test_spinning_on_one_cpu_is_a_row_and_not_an_abort(tmp_path: Path) -> None:
    view = run_json(
        *("rr", "--call", "recv", "--peer-cpu", "same", "--wait", "block,spin"),
        *("--rounds", "6", "--calls", "500"),
        cwd=tmp_path,
    )
    assert view["rows"][0]["refused"] is None
    assert view["rows"][1]["refused"].startswith("wait: EDEADLK")


def test_channels_lose_nothing_and_name_the_rest_of_the_cpu_time(tmp_path: Path) -> None:
    """A tenth of a second each: the whole of the server's traffic, its three ways to find work."""
    view = run_json(
        *("channels", "--call", "recv,uring-recv-multishot", "--find", "epoll,scan"),
        *("--duration", "100ms", "--rounds", "8"),
        cwd=tmp_path,
    )
    assert 3 == len(view["rows"])
    for row, figures in zip(view["rows"], view["figures"]["rows"], strict=True):
        if row["refused"] is not None:
            assert row["refused"].startswith("io_uring")
            continue
        assert row["void"] is None
        assert figures["lost_percent"] < 0.1
        parts = ("calls", "empty", "find", "counting", "residual")
        whole = sum(figures[f"{part}_percent"] for part in parts)
        assert whole == pytest.approx(figures["cpu_percent"] + figures["stalled_percent"])
    run = read_run(tmp_path / "run.jsonl")
    phases = {segment.counters["phase_ns"] for each in run.rounds for segment in each.segments}
    assert len(phases) == sum(len(each.segments) for each in run.rounds)


def test_calls_through_a_ring_stand_beside_the_system_call(tmp_path: Path) -> None:
    view = run_json(
        *("recv", "--call", "recv,uring-recv", "--ring", "plain,defer-taskrun", "--rounds", "8"),
        *("--calls", "2000"),
        cwd=tmp_path,
    )
    assert 3 == len(view["rows"])
    for row, figures in list(zip(view["rows"], view["figures"]["rows"], strict=True))[1:]:
        if row["refused"] is None:
            assert 1 == figures["enters_per_call"]


def test_the_words_of_every_scenario_are_listed(tmp_path: Path) -> None:
    finished = run_cli("list", "channels", cwd=tmp_path)
    assert 0 == finished.returncode, finished.stderr
    assert "uring-recv-multishot" in finished.stdout
