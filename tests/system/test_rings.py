# SPDX-License-Identifier: MIT
"""Calls through an io_uring in the traffic of real services, on this machine."""

from pathlib import Path

import pytest

from tests.system.test_sending import QUICK, dropping, is_root, namespace, run_json

pytestmark = pytest.mark.system

__all__ = ["dropping", "namespace"]  # fixtures


def test_a_zerocopy_send_of_a_ring_copies_nothing_where_nothing_copies(
    tmp_path: Path, dropping: str
) -> None:
    """Beside its own copying form; its notifications are there when the next call looks."""
    view = run_json(
        *("zerocopy", "--call", "uring-send-gso", "--sink", dropping, "--batch", "4", *QUICK),
        cwd=tmp_path,
    )
    if view["rows"][0]["refused"] is not None:
        pytest.skip(view["rows"][0]["refused"])
    plain, zerocopy = view["figures"]["rows"]
    assert ["no", "cqe"] == [row["factors"]["zerocopy"] for row in view["rows"]]
    assert "copied" not in plain
    assert "0" == zerocopy["copied"]
    assert 1.0 == zerocopy["sends_per_notification"]
    assert zerocopy["carried_percent"] > 0
    assert [None, None] == [row["void"] for row in view["rows"]]
    assert "faster" == view["rows"][1]["difference"]["verdict"]


def test_a_first_send_that_finds_no_room_names_the_limit(tmp_path: Path) -> None:
    """ENOBUFS of a socket, ENOMEM of a ring: the same limit, and the copying sends are measured."""
    gone = ["setpriv", "--bounding-set", "-ipc_lock,-sys_resource"] if is_root else []
    words = ("--family", "tcp4", "--size", "131072", "--registered", "none,buffers")
    view = run_json(
        *("zerocopy", "--call", "send,uring-send", *words, "--rounds", "8", "--calls", "100"),
        cwd=tmp_path,
        before=[*gone, "prlimit", "--memlock=65536"],
    )
    by_arm = {
        (row["call"], row["factors"]["zerocopy"], row["factors"].get("registered")): row["refused"]
        for row in view["rows"]
    }
    if by_arm["uring-send", "no", "none"] is not None:
        pytest.skip(by_arm["uring-send", "no", "none"])
    raised = "sudo prlimit --pid $$ --memlock=unlimited"
    assert by_arm["send", "no", None] is None
    for arm, said in {
        ("send", "poll", None): "memlock: ENOBUFS, a send would pin more",
        ("uring-send", "cqe", "none"): "memlock: ENOMEM, a send would pin more",
        ("uring-send", "cqe", "buffers"): "register_buffers: ENOMEM, the payload is more",
    }.items():
        assert said in by_arm[arm]
        assert raised in by_arm[arm]


def test_a_batch_that_finds_no_room_halfway_names_the_limit(tmp_path: Path, dropping: str) -> None:
    """32 sends of 60,000 bytes pin 2.1 MB at once, more than the limit; four pin 0.26 MB."""
    gone = ["setpriv", "--bounding-set", "-ipc_lock,-sys_resource"] if is_root else []
    words = ("--sink", dropping, "--size", "60000", "--zerocopy", "cqe", "--batch", "4,32")
    view = run_json(
        *("zerocopy", "--call", "uring-send", *words, "--rounds", "8", "--calls", "100"),
        cwd=tmp_path,
        before=[*gone, "prlimit", "--memlock=1048576"],
    )
    few, many = (
        next(
            row["refused"]
            for row in view["rows"]
            if [batch, "cqe"] == [row["factors"][name] for name in ("batch", "zerocopy")]
        )
        for batch in (4, 32)
    )
    if few is not None:
        pytest.skip(few)
    assert many.startswith("memlock: ENOMEM, a send would pin more than RLIMIT_MEMLOCK allows")
    assert "sudo prlimit --pid $$ --memlock=unlimited" in many
