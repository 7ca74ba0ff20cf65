# SPDX-License-Identifier: MIT
"""Limits and sandboxes: a row with what moves each, and the rest is measured."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sockmeter.files.runfile import read_run
from tests.cli.run_cli import run_cli

pytestmark = pytest.mark.system

DENYING = Path(__file__).with_name("denying.py")


def rows_of(*words: str, cwd: Path, through: Sequence[str]) -> list[dict[str, Any]]:
    options = ("--rounds", "8", "--calls", "500", "-o", "run.jsonl", "-f", "json")
    finished = run_cli("run", *words, *options, cwd=cwd, through=through)
    assert 0 == finished.returncode, finished.stderr
    rows: list[dict[str, Any]] = json.loads(finished.stdout)["rows"]
    return rows


@pytest.mark.parametrize(
    ("denied", "words"),
    [
        (
            "io_uring",
            "EPERM, not allowed here, by kernel.io_uring_disabled or by seccomp; "
            "try: sudo sysctl kernel.io_uring_disabled=0",
        ),
        ("any_uring", "ENOSYS, no io_uring in this kernel, or seccomp hides it"),
    ],
)
def test_a_sandbox_without_io_uring_is_a_row(tmp_path: Path, denied: str, words: str) -> None:
    """It says the same where sysctl kernel.io_uring_disabled=2 forbids it."""
    without = [sys.executable, str(DENYING), denied, "--"]
    plain, ring = rows_of(*("recv", "--call", "recv,uring-recv"), cwd=tmp_path, through=without)
    if "without liburing" in (ring["refused"] or ""):
        pytest.skip("the probe was built without io_uring")
    assert f"io_uring: {words}" == ring["refused"]
    assert plain["summary"]["calls"] > 0


def test_a_sandbox_that_lets_nothing_register_is_named(tmp_path: Path) -> None:
    """The look for an operation and a registered socket are refused; a bare ring is measured."""
    without = [sys.executable, str(DENYING), "registering", "--"]
    words = ("send", "--call", "uring-send,uring-send-zc", "--registered", "none,files")
    rows = {
        (row["call"], row["factors"]["registered"]): row
        for row in rows_of(*words, cwd=tmp_path, through=without)
    }
    plain = rows["uring-send", "none"]
    if plain["refused"] is not None:
        pytest.skip(plain["refused"])
    denied = "EPERM, not allowed here: seccomp denies io_uring_register"
    assert plain["summary"]["calls"] > 0
    assert f"register_files: {denied}" == rows["uring-send", "files"]["refused"]
    assert f"io_uring_probe: {denied}" == rows["uring-send-zc", "none"]["refused"]


def test_a_multishot_receive_on_every_channel_is_refused_in_the_same_words(tmp_path: Path) -> None:
    words = ("channels", "--call", "recv,uring-recv-multishot", "--channels", "20")
    without = [sys.executable, str(DENYING), "any_uring", "--"]
    _, ring = rows_of(*words, "--duration", "50ms", cwd=tmp_path, through=without)
    if "without liburing" in (ring["refused"] or ""):
        pytest.skip("the probe was built without io_uring")
    assert "io_uring: ENOSYS, no io_uring in this kernel, or seccomp hides it" == ring["refused"]


def test_more_channels_than_descriptors_are_a_row(tmp_path: Path) -> None:
    """As for whoever may not raise the hard limit."""
    drop = ["setpriv", "--bounding-set", "-sys_resource"] if os.geteuid() == 0 else []
    words = ("channels", "--call", "recv", "--channels", "20,10000", "--duration", "100ms")
    few, many = rows_of(*words, cwd=tmp_path, through=["prlimit", "--nofile=1024:1024", *drop])
    assert many["refused"].startswith("descriptors: EMFILE")
    assert "ulimit -n; sudo prlimit --pid $$ --nofile=10016:10016" in many["refused"]
    assert few["summary"]["calls"] > 0


def test_what_is_open_besides_the_channels_needs_little(tmp_path: Path) -> None:
    """Ten channels fit into 26 descriptors, by every way of finding them and through a ring."""
    drop = ["setpriv", "--bounding-set", "-sys_resource"] if os.geteuid() == 0 else []
    calls = ("--call", "recv,recvmmsg,uring-recv,uring-recv-multishot")
    words = ("channels", *calls, "--channels", "10", "--duration", "100ms")
    rows = rows_of(*words, cwd=tmp_path, through=["prlimit", "--nofile=26:26", *drop])
    assert [] == [row["refused"] for row in rows if "EMFILE" in (row["refused"] or "")]


def test_a_ring_that_spends_the_locked_memory_is_named(tmp_path: Path) -> None:
    """Its own pages count, so that none is left for a send; and it may not be made at all."""
    drop = ["setpriv", "--bounding-set", "-sys_resource,-ipc_lock"] if os.geteuid() == 0 else []
    words = ("zerocopy", "--call", "send-gso,uring-send")
    rows = rows_of(*words, cwd=tmp_path, through=["prlimit", "--memlock=8192:8192", *drop])
    refused = [row["refused"] for row in rows if row["factors"]["zerocopy"] != "no"]
    if any("without liburing" in (words or "") for words in refused):
        pytest.skip("the probe was built without io_uring")
    assert 2 == len(refused)
    for said in refused:
        assert "sudo prlimit --pid $$ --memlock=unlimited" in said


def test_a_network_that_is_down_is_a_row(tmp_path: Path) -> None:
    """A new namespace's loopback has to be set up first."""
    apart = ["unshare", "-rn"]
    if subprocess.run([*apart, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no namespace can be made here")
    options = ("--rounds", "8", "--calls", "500", "-o", "run.jsonl", "-f", "json")
    finished = run_cli("run", "rr", "--call", "recv", *options, cwd=tmp_path, through=apart)
    (row,) = json.loads(finished.stdout)["rows"]
    assert row["refused"].startswith("connect: ENETUNREACH")
    assert "sudo ip link set lo up" in row["refused"]
    assert "the first at connect: Network is unreachable; its row says more" in finished.stderr


def test_channels_take_the_priority_that_a_limit_allows(tmp_path: Path) -> None:
    """FIFO 1 where 50 is refused; nobody asked for a number."""
    drop = ["setpriv", "--bounding-set", "-sys_nice"] if os.geteuid() == 0 else []
    limited = ["prlimit", "--rtprio=1:1", *drop]
    if subprocess.run([*limited, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no limit can be set here")
    words = ("channels", "--call", "recv", "--channels", "20", "--duration", "100ms")
    (row,) = rows_of(*words, cwd=tmp_path, through=limited)
    assert row["refused"] is None
    (first, *_) = read_run(tmp_path / "run.jsonl").rounds
    assert {1} == {segment.fifo_priority for segment in first.segments}


def listed_without(denied: str, scenario: str, cwd: Path) -> dict[str, list[dict[str, str]]]:
    """Return the tables of `sockmeter list` where something is denied."""
    without = [sys.executable, str(DENYING), denied, "--"]
    finished = run_cli("list", scenario, "-f", "json", cwd=cwd, through=without)
    assert 0 == finished.returncode, finished.stderr
    tables: dict[str, list[dict[str, str]]] = json.loads(finished.stdout)
    return tables


def test_list_says_which_calls_and_values_this_machine_refuses(tmp_path: Path) -> None:
    tables = listed_without("io_uring", "rr", tmp_path)
    here = {row["call"]: row["here"] for row in tables["calls"]}
    assert "yes" == here["recv"]
    assert here["uring-recv"].startswith("no: ")
    (ring,) = [row["here"] for row in tables["factors"] if row["factor"] == "--ring"]
    assert ring.startswith("not plain: ")


def test_list_says_which_sinks_this_user_may_have(tmp_path: Path) -> None:
    tables = listed_without("namespaces", "bulk", tmp_path)
    here = {row["sink"]: row["here"] for row in tables["sinks"]}
    assert "yes" == here["loopback"]
    assert here["ifb"].startswith("no: namespace: EPERM")
    assert "run it as root" in here["ifb"]
