# SPDX-License-Identifier: MIT
"""A run file of every format version there has been stays here and stays readable."""

from pathlib import Path

import pytest

from sockmeter.files.runfile import VERSION, read_run
from sockmeter.judge.assess import assess

FOLDER = Path(__file__).parent / "versions"


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_a_file_of_every_version_is_read_and_judged(version: int) -> None:
    run = read_run(FOLDER / f"run-{version}.jsonl")
    assert 6 == len(run.rounds)
    summaries = [arm.summary for arm in assess(run).arms]
    assert all(summary is not None and summary.calls > 0 for summary in summaries)
