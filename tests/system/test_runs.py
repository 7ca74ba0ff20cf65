# SPDX-License-Identifier: MIT
"""Whole runs with the real probe on this machine, as a user types them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from sockmeter.files.runfile import read_run
from sockmeter.model.runs import EndingKind, Run
from tests.cli.run_cli import SOURCE, run_cli

pytestmark = pytest.mark.system

QUICK = ("--rounds", "8", "--calls", "2000")
# One false alarm in a thousand, where the question is whether a test may fail.
STRICT = ("--looks", "20:0.1%")


def run_json(*words: str, cwd: Path) -> dict[str, Any]:
    finished = run_cli("run", *words, "-o", "run.jsonl", "--format", "json", cwd=cwd)
    assert 0 == finished.returncode, finished.stderr
    view: dict[str, Any] = json.loads(finished.stdout)
    return view


def start_endless_run(cwd: Path) -> tuple[subprocess.Popen[str], Path]:
    """Start a run of thousands of rounds and wait until a few of them are in its file."""
    words = ["run", "recv", "--call", "recvfrom,recvmsg", "--rounds", "10000", "-o", "run.jsonl"]
    process = subprocess.Popen(
        [sys.executable, "-m", "sockmeter", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    path = cwd / "run.jsonl"
    deadline_s = time.monotonic() + 60
    while not (path.exists() and path.read_bytes().count(b"\n") >= 4):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline_s, "no rounds within a minute"
        time.sleep(0.02)
    return process, path


def test_recvmsg_costs_more_than_recvfrom(tmp_path: Path) -> None:
    """A header and an iovec are copied more: everywhere, by far more than any noise."""
    view = run_json("recv", "--call", "recvfrom,recvmsg", *STRICT, cwd=tmp_path)
    difference = view["rows"][1]["difference"]
    assert "slower" == difference["verdict"]
    assert 0 < difference["low"] < difference["estimate"] < difference["high"]


def test_a_call_against_itself_is_not_called_different(tmp_path: Path) -> None:
    view = run_json("recv", "--call", "recvfrom,recvfrom", *STRICT, cwd=tmp_path)
    assert view["rows"][1]["difference"]["verdict"] in ("no difference", "inconclusive")


def test_injected_work_is_found(tmp_path: Path) -> None:
    """Two thousand multiplies in a chain cost more than a receive does."""
    view = run_json("recv", "--call", "recv", "--work", "0,2000", *QUICK, cwd=tmp_path)
    assert "slower" == view["rows"][1]["difference"]["verdict"]


def test_a_cpu_that_is_not_there_is_a_row_and_not_an_abort(tmp_path: Path) -> None:
    view = run_json("recv", "--call", "recv", "--cpu", "auto,4000", *QUICK, cwd=tmp_path)
    assert view["rows"][0]["summary"]["calls"] > 0
    assert view["rows"][1]["refused"].startswith("pin: EINVAL")
    assert view["rows"][1]["summary"] is None


def test_ctrl_c_shows_and_keeps_every_finished_round(tmp_path: Path) -> None:
    process, path = start_endless_run(tmp_path)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    run = read_run(path)
    assert 130 == process.returncode, stderr
    assert run.ending is not None
    assert EndingKind.INTERRUPTED is run.ending.kind
    assert len(run.rounds) >= 3
    assert f"Interrupted after {len(run.rounds)} rounds" in stdout
    assert "Traceback" not in stderr


def test_kill_9_leaves_every_finished_round_and_no_process(tmp_path: Path) -> None:
    process, path = start_endless_run(tmp_path)
    probes = wait_for_probe(process.pid)
    process.kill()
    process.communicate(timeout=30)
    run = read_run(path)
    assert len(run.rounds) >= 3
    assert run.ending is None
    wait_until_gone(probes)
    finished = run_cli("show", path, cwd=tmp_path)
    assert 0 == finished.returncode
    assert "The run was cut short" in finished.stdout


def test_a_full_disk_ends_the_run_with_its_rounds_kept_and_shown(tmp_path: Path) -> None:
    """A file size limit stands in for the disk: the write fails in the middle of a line."""

    words = ["run", "recv", "--call", "recv", "--rounds", "200", "-o", "run.jsonl"]
    process = subprocess.run(
        ["prlimit", "--fsize=100000", sys.executable, "-m", "sockmeter", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    stdout, stderr = process.stdout, process.stderr
    run: Run = read_run(tmp_path / "run.jsonl")
    assert 5 == process.returncode, stderr
    assert "File too large" in stderr
    assert "Traceback" not in stderr
    assert len(run.rounds) >= 1
    assert "baseline" in stdout


def test_a_user_without_privileges_measures_too(tmp_path: Path) -> None:
    """Without real-time priority, and that is recorded; the run is the same."""
    drop = ["setpriv", "--bounding-set", "-sys_nice,-ipc_lock"] if os.geteuid() == 0 else []
    words = ["run", "recv", "--call", "recv", *QUICK, "-o", "run.jsonl"]
    process = subprocess.run(
        [*drop, sys.executable, "-m", "sockmeter", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == process.returncode, process.stderr
    run = read_run(tmp_path / "run.jsonl")
    assert "fifo_priority" in [obstacle.what for obstacle in run.instrument.could_not]
    assert {0} == {segment.fifo_priority for segment in run.rounds[0].segments}


def test_a_priority_that_is_not_allowed_is_a_row(tmp_path: Path) -> None:
    drop = ["setpriv", "--bounding-set", "-sys_nice"] if os.geteuid() == 0 else []
    words = ["run", "recv", "--call", "recv", "--priority", "0,50", *QUICK, "-o", "run.jsonl"]
    process = subprocess.run(
        [*drop, sys.executable, "-m", "sockmeter", *words, "-f", "json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    rows = json.loads(process.stdout)["rows"]
    assert rows[0]["refused"] is None
    assert rows[1]["refused"].startswith("priority: EPERM")
    assert "RLIMIT_RTPRIO; sudo prlimit --pid $$ --rtprio=50:50" in rows[1]["refused"]


def test_a_survey_has_a_row_for_every_call(tmp_path: Path) -> None:
    finished = run_cli("survey", "--rounds", "8", "-f", "json", cwd=tmp_path)
    assert 0 == finished.returncode, finished.stderr
    receives, sends = json.loads(finished.stdout)
    assert ["recv", "recvfrom", "recvmsg", "recvmmsg", "read", "readv", "null"] == [
        row["call"] for row in receives["rows"]
    ]
    assert ["send", "sendto", "sendmsg", "sendmmsg", "write", "writev", "null"] == [
        row["call"] for row in sends["rows"]
    ]
    assert 2 == len(list(tmp_path.glob("sockmeter-*.jsonl")))
    assert all(row["summary"]["calls"] > 0 for row in receives["rows"] + sends["rows"])


def wait_for_probe(pid: int) -> list[int]:
    """Return the probes of a running sockmeter; most of the time there is one."""
    deadline_s = time.monotonic() + 30
    while not (probes := child_processes(pid)):
        assert time.monotonic() < deadline_s, "no probe within 30 s"
    return probes


def child_processes(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in tasks.read_text().split()] if tasks.exists() else []


def wait_until_gone(pids: list[int]) -> None:
    deadline_s = time.monotonic() + 30
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < deadline_s, f"still there: {pids}"
        time.sleep(0.05)


def test_a_selftest_is_kept_and_the_doctor_quotes_it(tmp_path: Path) -> None:
    """Twenty seconds are a few trials; a longer one says more of the same."""
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    finished = run_cli("selftest", "--seconds", "20", cwd=tmp_path, environment=state)
    assert 0 == finished.returncode, finished.stderr
    assert "of work injected" in finished.stdout
    quoted = run_cli("doctor", cwd=tmp_path, environment=state)
    assert 0 == quoted.returncode, quoted.stderr
    assert "20 rounds resolve" in quoted.stdout
