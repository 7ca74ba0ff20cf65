# SPDX-License-Identifier: MIT
"""Calls through an io_uring in the traffic of real services, on this machine."""

from pathlib import Path

import pytest

from tests.system.test_sending import QUICK, dropping, namespace, run_json

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
