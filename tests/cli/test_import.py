# SPDX-License-Identifier: MIT
"""`sockmeter import` and `export` as a user calls them, on what people and tools published."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from sockmeter.files.runwriter import RunWriter
from tests.builders import make_round, make_run, make_segment
from tests.cli.run_cli import SOURCE, only_line, run_cli
from tests.files.imports.sources import DATA, LAIGHT, laight_rows
from tests.files.imports.test_table import make_post

ROWS = [
    "recvfrom/unhardened 2,847,707 2890.1 7359.9 3046.5 ± 63.6 0.676 % no upper bound",
    "recvfrom/hardened 2,863,582 2831.8 7062.3 2921.0 ± 63.6 0.679 % no upper bound",
    "recvmsg/unhardened 2,853,688 3213.9 ≥ 8256 3380.2 ± 63.2 1.216 % no upper bound",
    "recvmsg/hardened 2,877,088 3197.1 ≥ 8256 3295.2 ± 63.3 1.051 % no upper bound",
    "recvfrom/hardened against recvfrom/unhardened −2.01 % [−8.51, 0.00] "
    "−4.12 % [−8.12, +0.05] undecided",
    "recvmsg/hardened against recvmsg/unhardened −0.52 % [−3.92, +4.08] "
    "−2.51 % [−6.14, +1.25] undecided",
]
SENTENCES = [
    "Two peaks in all four columns: recvfrom/unhardened 1856 + 2752; recvfrom/hardened 1856 + 2752 "
    "(+ 8000, rising into the overflow); recvmsg/unhardened 1984 + 3008; recvmsg/hardened 1984 + "
    "3136.",
    "The plain mean has no upper bound in any column: 0.676 to 1.216 % of the calls lie in an open "
    "bucket and may have cost anything.",
    "The p99 of recvmsg/unhardened and recvmsg/hardened is only known to be ≥ 8256.",
    "Every difference is undecided, one run of each side: an interval at an error of 5 % needs at "
    "least 6; that is 5 more runs of each at least, in random order.",
]


def words_of(printed: str) -> str:
    """Return a text with every run of spaces and line ends as one space."""
    return " ".join(printed.split())


def test_the_published_table_end_to_end(tmp_path: Path) -> None:
    """What it shows, and in plain words what it cannot: no verdict on hardened against not."""
    finished = run_cli("import", LAIGHT, cwd=tmp_path)
    assert (0, "") == (finished.returncode, finished.stderr)
    printed = words_of(finished.stdout)
    assert [] == [expected for expected in [*ROWS, *SENTENCES] if expected not in printed]
    for word in ("slower", "faster", "no difference"):
        assert word not in printed


def test_the_post_it_came_in_says_the_same(tmp_path: Path) -> None:
    (tmp_path / "post.txt").write_text(make_post(laight_rows()), encoding="utf-8")
    headings = ",".join(row.split()[0] for row in ROWS[:4])
    finished = run_cli("import", "post.txt", "--headings", headings, cwd=tmp_path)
    printed = words_of(finished.stdout)
    assert [] == [expected for expected in [*ROWS, *SENTENCES] if expected not in printed]


def test_what_was_kept_is_shown_again(tmp_path: Path) -> None:
    first = run_cli("import", LAIGHT, "-o", "table.jsonl", cwd=tmp_path)
    assert "kept in table.jsonl" in first.stderr
    again = run_cli("show", "table.jsonl", cwd=tmp_path)
    assert (0, first.stdout) == (again.returncode, again.stdout)


def test_nothing_is_kept_unless_asked(tmp_path: Path) -> None:
    assert 0 == run_cli("import", LAIGHT, cwd=tmp_path).returncode
    assert [] == list(tmp_path.iterdir())


def test_a_refused_source_leaves_no_file_and_replaces_none(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"\x00")
    assert 4 == run_cli("import", "bad.txt", "-o", "new.jsonl", cwd=tmp_path).returncode
    (tmp_path / "old.jsonl").write_text("precious")
    assert 4 == run_cli("import", "bad.txt", "-o", "old.jsonl", "--force", cwd=tmp_path).returncode
    assert ["bad.txt", "old.jsonl"] == sorted(path.name for path in tmp_path.iterdir())
    assert "precious" == (tmp_path / "old.jsonl").read_text()


def test_a_post_may_come_through_a_pipe(tmp_path: Path) -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "sockmeter", "import", "-"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        input=LAIGHT.read_bytes(),
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert 0 == finished.returncode
    assert "imported: stdin" in finished.stdout.decode()


@pytest.mark.parametrize("format", ["json", "csv", "markdown"])
def test_every_format_holds_the_medians(tmp_path: Path, format: str) -> None:
    finished = run_cli("import", LAIGHT, "--format", format, cwd=tmp_path)
    assert 0 == finished.returncode
    assert "2890." in finished.stdout


def test_json_has_no_number_that_json_cannot_hold(tmp_path: Path) -> None:
    finished = run_cli("import", LAIGHT, "--format", "json", cwd=tmp_path)
    view = json.loads(finished.stdout)
    assert view["columns"][0]["mean"]["high"] is None


def test_a_commit_table_of_an_imported_measurement_is_refused(tmp_path: Path) -> None:
    finished = run_cli("import", LAIGHT, "--format", "commit", cwd=tmp_path)
    assert 7 == finished.returncode
    assert "no rounds" in only_line(finished)


@pytest.mark.parametrize(
    ("words", "code", "what"),
    [
        (["absent.txt"], 4, "absent.txt cannot be read: No such file"),
        (["."], 4, "cannot be read: Is a directory"),
        ([LAIGHT, "--headings", "a,b"], 2, "--headings names 2 columns; the table has 4"),
        ([LAIGHT, "--headings", "a,,b,c"], 2, "a name is empty"),
        ([LAIGHT, "--baseline", "c"], 2, "--baseline c: no such column"),
        ([LAIGHT, "--bucket-width", "0"], 2, "--bucket-width 0: not above 0"),
        ([LAIGHT, "--seconds", "nan"], 2, "--seconds nan: not above 0"),
        ([LAIGHT, "--unit", "ns"], 4, "says cycles, --unit says ns"),
        ([LAIGHT, "--form", "hlog"], 4, "line 3: not an interval"),
        ([LAIGHT, "-o", "absent/table.jsonl"], 5, "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    tmp_path: Path, words: Sequence[str | Path], code: int, what: str
) -> None:
    finished = run_cli("import", *words, cwd=tmp_path)
    assert code == finished.returncode
    assert what in only_line(finished)


def test_an_imported_file_is_not_judged_as_a_run(tmp_path: Path) -> None:
    run_cli("import", LAIGHT, "-o", "table.jsonl", cwd=tmp_path)
    finished = run_cli("compare", "table.jsonl", "--against", "table.jsonl", cwd=tmp_path)
    assert 4 == finished.returncode
    assert "imported measurement" in only_line(finished)


def test_a_million_values_are_read_and_a_million_buckets_refused(tmp_path: Path) -> None:
    (tmp_path / "values.csv").write_text(
        "ticks\n" + "".join(f"{936 + 26 * (n % 40)}\n" for n in range(1_000_000))
    )
    finished = run_cli("import", "values.csv", cwd=tmp_path)
    assert "1,000,000" in finished.stdout
    assert "steps of 26" in finished.stdout
    (tmp_path / "table.csv").write_text(
        "cycles,a\n" + "".join(f"{n},1\n" for n in range(1_000_000))
    )
    finished = run_cli("import", "table.csv", cwd=tmp_path)
    assert 4 == finished.returncode
    assert "line 65538: more than 65,536 buckets" in only_line(finished)


def test_an_exported_log_is_imported_again(tmp_path: Path) -> None:
    run_cli("import", DATA / "receive.hlog", "-o", "run.jsonl", cwd=tmp_path)
    finished = run_cli("export", "run.jsonl", "--to", "hlog", "-o", "again.hlog", cwd=tmp_path)
    assert (0, "", "") == (finished.returncode, finished.stdout, finished.stderr)
    first, again = (
        json.loads(run_cli("import", path, "--format", "json", cwd=tmp_path).stdout)
        for path in (DATA / "receive.hlog", "again.hlog")
    )
    assert first["columns"] == again["columns"]
    kept = run_cli("export", "run.jsonl", "--to", "csv", "-o", "again.hlog", cwd=tmp_path)
    assert 5 == kept.returncode
    assert "--force" in only_line(kept)


@pytest.mark.parametrize(
    ("source", "target", "what"),
    [
        (LAIGHT, "hlog", "19,252 calls lie in an open bucket"),
        (DATA / "udpgso-tx.txt", "csv", "no histogram in it"),
    ],
)
def test_what_a_form_cannot_hold_is_not_written(
    tmp_path: Path, source: Path, target: str, what: str
) -> None:
    run_cli("import", source, "-o", "run.jsonl", cwd=tmp_path)
    finished = run_cli("export", "run.jsonl", "--to", target, "-o", "out", cwd=tmp_path)
    assert 5 == finished.returncode
    assert what in only_line(finished)
    assert not (tmp_path / "out").exists()


def test_everything_of_a_run_file_is_exported_as_json(tmp_path: Path) -> None:
    run_cli("import", LAIGHT, "-o", "run.jsonl", cwd=tmp_path)
    whole = json.loads(run_cli("export", "run.jsonl", "--to", "json", cwd=tmp_path).stdout)
    assert json.loads((tmp_path / "run.jsonl").read_text()) == whole


@pytest.mark.parametrize("target", ["csv", "hlog", "json"])
def test_a_run_is_exported_with_its_arms_and_a2(tmp_path: Path, target: str) -> None:
    segments = [make_segment(0), make_segment(1), make_segment(2)]
    run = make_run([make_round(1, segments), make_round(2, segments)])
    writer = RunWriter.create(tmp_path / "run.jsonl")
    writer.write_header(run)
    for finished_round in run.rounds:
        writer.write_round(finished_round)
    writer.close()
    finished = run_cli("export", "run.jsonl", "--to", target, cwd=tmp_path)
    assert (0, "") == (finished.returncode, finished.stderr)
    expected = {
        "csv": "recvfrom A2,2,no,1000,1004,100\n",
        "hlog": "Tag=recvfrom_A2,",
        "json": '"rounds":[{"number":1,',
    }
    assert expected[target] in finished.stdout
