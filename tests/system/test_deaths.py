# SPDX-License-Identifier: MIT
"""The other end dies in the middle of a run: a row says so, and the rest is measured."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.run_cli import start_cli
from tests.system.test_runs import child_processes, wait_until_gone

pytestmark = pytest.mark.system

needs_destroy = pytest.mark.skipif(
    os.geteuid() != 0 or not (shutil.which("ss") and shutil.which("nsenter")),
    reason="only root may destroy a connection: ss -K, nsenter",
)


def start_run(*words: str, cwd: Path) -> subprocess.Popen[str]:
    """Start a run and return once two rounds are in its file."""
    options = ("--rounds", "12", "--calls", "500", "-o", "run.jsonl", "-f", "json")
    process = start_cli("run", *words, *options, cwd=cwd, environment={"XDG_STATE_HOME": str(cwd)})
    path = cwd / "run.jsonl"
    while not (path.exists() and path.read_bytes().count(b"\n") >= 3):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    return process


def probes_of(process: subprocess.Popen[str]) -> Iterator[int]:
    """Yield every child again and again, as long as the run goes on."""
    while process.poll() is None:
        yield from child_processes(process.pid)
        time.sleep(0.001)


def view_of(process: subprocess.Popen[str]) -> dict[str, Any]:
    stdout, stderr = process.communicate(timeout=120)
    assert 0 == process.returncode, stderr
    view: dict[str, Any] = json.loads(stdout)
    return view


def kill_a_peer(process: subprocess.Popen[str]) -> list[int]:
    """Kill the first peer that is seen; return it and its probe."""
    for probe in probes_of(process):
        for peer in child_processes(probe):
            os.kill(peer, signal.SIGKILL)
            return [probe, peer]
    raise AssertionError("no peer")


@pytest.mark.parametrize("family", ["udp4", "tcp4"])
def test_a_peer_that_is_killed_is_a_row(tmp_path: Path, family: str) -> None:
    """The thread's arm is measured, in the rounds after it too."""
    process = start_run(
        *("rr", "--call", "recv", "--peer", "thread,process", "--family", family), cwd=tmp_path
    )
    dead = kill_a_peer(process)
    thread, killed = view_of(process)["rows"]
    assert killed["refused"].startswith("peer: E")
    assert killed["refused"].endswith("the peer died")
    assert 12 * 500 <= thread["summary"]["calls"]
    wait_until_gone(dead)


def destroy_a_connection(process: subprocess.Popen[str]) -> None:
    """Destroy the first connection that is seen in the network of a probe."""
    for probe in probes_of(process):
        destroy = ["nsenter", f"--net=/proc/{probe}/ns/net", "ss", "-K", "-H", "-t"]
        done = subprocess.run(
            [*destroy, "state", "established"], capture_output=True, text=True, check=False
        )
        if done.stdout:
            return
    pytest.skip("this kernel has no INET_DIAG_DESTROY")


@needs_destroy
def test_a_connection_that_breaks_under_a_send_voids_its_arm(tmp_path: Path) -> None:
    """What is sent into it fails at once and is counted; UDP beside it is measured."""
    process = start_run(
        *("bulk", "--call", "send", "--family", "udp4,tcp4", "--sink", "loopback"), cwd=tmp_path
    )
    destroy_a_connection(process)
    datagrams, stream = view_of(process)["rows"]
    assert set(stream["failed"]) <= {"EPIPE", "ECONNRESET", "ECONNABORTED"}
    assert stream["failed"]["EPIPE"] > 0
    assert "of the calls failed, most with EPIPE" in stream["void"]
    assert (None, {}) == (datagrams["void"], datagrams["failed"])
