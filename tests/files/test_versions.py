# SPDX-License-Identifier: MIT
"""A run file of every format version there has been stays here and stays readable."""

from pathlib import Path

import pytest

from sockmeter.files.runfile import VERSION, read_measurement, read_run
from sockmeter.judge.assess import assess
from sockmeter.judge.counted import costs_of
from sockmeter.model.counted import CountedRun

FOLDER = Path(__file__).parent / "versions"


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_a_file_of_every_version_is_read_and_judged(version: int) -> None:
    run = read_run(FOLDER / f"run-{version}.jsonl")
    assert 6 == len(run.rounds)
    summaries = [arm.summary for arm in assess(run).arms]
    assert all(summary is not None and summary.calls > 0 for summary in summaries)


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_a_counted_file_of_every_version_is_read(version: int) -> None:
    run = read_measurement(FOLDER / f"counted-{version}.jsonl")
    assert isinstance(run, CountedRun)
    (costs,) = [costs_of(arm) for arm in run.arms]
    assert costs is not None
    assert 8 == run.proved_calls == sum(costs.calls_of.values())
