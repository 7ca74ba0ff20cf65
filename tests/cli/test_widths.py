# SPDX-License-Identifier: MIT
"""What the verbs print is as narrow as the terminal, and whole."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from sockmeter.judge.assess import assess
from sockmeter.report.details import tails_table
from sockmeter.report.labels import arm_labels
from tests.cli.run_cli import run_cli
from tests.cli.test_compare import write
from tests.cli.test_outlet import COUNTED
from tests.report.make_views import make_receive_run


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize(
    "words",
    [
        ["show", "run.jsonl", "--machine"],
        ["compare", "run.jsonl", "--arms", "recvmsg,recvfrom"],
        ["show", COUNTED, "--functions", "--tree"],
        ["list"],
    ],
)
def test_no_line_is_wider_than_the_terminal(
    tmp_path: Path, words: list[str | Path], width: int
) -> None:
    write(make_receive_run(), tmp_path / "run.jsonl")
    finished = run_cli(*words, cwd=tmp_path, environment={"COLUMNS": str(width)})
    assert 0 == finished.returncode
    assert width >= max(map(cell_len, finished.stdout.splitlines()))


def test_show_keeps_every_verdict_on_the_tails_at_60_columns(tmp_path: Path) -> None:
    run = make_receive_run()
    write(run, tmp_path / "run.jsonl")
    shown = run_cli("show", "run.jsonl", cwd=tmp_path, environment={"COLUMNS": "60"}).stdout
    table = tails_table(assess(run), arm_labels(run.design.arms))
    assert table is not None
    for cell in (cell for row in table.rows for cell in row):
        assert "".join(cell.text.split()) in "".join(shown.split())
