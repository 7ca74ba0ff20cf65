# SPDX-License-Identifier: MIT
"""Limits and sandboxes: a row with what moves each, and the rest is measured."""

import errno
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

# Forbids a system call to the command behind it, with an errno of choice: seccomp(2).
FORBID = """
import ctypes, os, struct, sys
number, errno = int(sys.argv[1]), int(sys.argv[2])
is_it = [(0x20, 0, 0, 0), (0x15, 0, 1, number)]
steps = [*is_it, (0x06, 0, 0, 0x50000 | errno), (0x06, 0, 0, 0x7FFF0000)]
filter = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(filter))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
assert libc.prctl(22, 2, ctypes.c_char_p(program), 0, 0) == 0  # PR_SET_SECCOMP
os.execvp(sys.argv[3], sys.argv[3:])
"""
IO_URING_SETUP = 425  # on every architecture


def rows_of(*words: str, cwd: Path, through: Sequence[str]) -> list[dict[str, Any]]:
    options = ("--rounds", "8", "--calls", "500", "-o", "run.jsonl", "-f", "json")
    finished = run_cli("run", *words, *options, cwd=cwd, through=through)
    assert 0 == finished.returncode, finished.stderr
    rows: list[dict[str, Any]] = json.loads(finished.stdout)["rows"]
    return rows


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EPERM, "EPERM, not allowed here: sysctl kernel.io_uring_disabled, or seccomp"),
        (errno.ENOSYS, "ENOSYS, no io_uring in this kernel, or seccomp hides it"),
    ],
)
def test_a_sandbox_without_io_uring_is_a_row(tmp_path: Path, number: int, words: str) -> None:
    """It says the same where sysctl kernel.io_uring_disabled=2 forbids it."""
    forbidden = [sys.executable, "-c", FORBID, str(IO_URING_SETUP), str(number)]
    plain, ring = rows_of(*("recv", "--call", "recv,uring-recv"), cwd=tmp_path, through=forbidden)
    if "without liburing" in (ring["refused"] or ""):
        pytest.skip("the probe was built without io_uring")
    assert f"io_uring: {words}" == ring["refused"]
    assert plain["summary"]["calls"] > 0


def test_more_channels_than_descriptors_are_a_row(tmp_path: Path) -> None:
    """As for whoever may not raise the hard limit."""
    drop = ["setpriv", "--bounding-set", "-sys_resource"] if os.geteuid() == 0 else []
    words = ("channels", "--call", "recv", "--channels", "20,10000", "--duration", "100ms")
    few, many = rows_of(*words, cwd=tmp_path, through=["prlimit", "--nofile=1024:1024", *drop])
    assert many["refused"].startswith("descriptors: EMFILE")
    assert "ulimit -n; sudo prlimit --pid $$ --nofile=10064:10064" in many["refused"]
    assert few["summary"]["calls"] > 0


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
