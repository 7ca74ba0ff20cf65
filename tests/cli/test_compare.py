# SPDX-License-Identifier: MIT
"""`sockmeter compare` as a user and as a gate in continuous integration types it."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from sockmeter.cli.compare import spread_option
from sockmeter.files.runwriter import RunWriter
from sockmeter.model.runs import Run
from tests.builders import make_design
from tests.cli.run_cli import SOURCE, only_line, run_cli
from tests.judge.test_launches import make_launch


def write(run: Run, path: Path) -> Path:
    writer = RunWriter.create(path)
    writer.write_header(run)
    for finished in run.rounds:
        writer.write_round(finished)
    writer.close()
    return path


@pytest.fixture
def launches(tmp_path: Path) -> Path:
    """Write eight runs before and eight after a rise of 10 %, in turn."""
    for hour in range(8):
        write(make_launch(1000, 2 * hour), tmp_path / f"before{hour}.jsonl")
        write(make_launch(1100, 2 * hour + 1), tmp_path / f"after{hour}.jsonl")
    return tmp_path


def words(folder: Path, side: str, count: int = 8) -> list[str]:
    return [f"{side}{number}.jsonl" for number in range(count)]


def test_a_resolved_regression_fails_the_gate(launches: Path) -> None:
    befores, afters = words(launches, "before"), words(launches, "after")
    gate = ["--fail-on", "slower:5%", "--junit", "gate.xml", "--github"]
    finished = run_cli("compare", *befores, "--against", *afters, *gate, cwd=launches)
    assert 10 == finished.returncode, finished.stderr
    assert 'failures="2"' in (launches / "gate.xml").read_text()
    assert finished.stderr.startswith("::error title=recvfrom::")
    assert "slower" in finished.stdout


def test_a_rise_under_the_threshold_passes(launches: Path) -> None:
    befores, afters = words(launches, "before"), words(launches, "after")
    finished = run_cli(
        "compare", *befores, "--against", *afters, "--fail-on", "slower:15%", cwd=launches
    )
    assert 0 == finished.returncode, finished.stderr


def test_too_few_launches_leave_the_gate_open(launches: Path) -> None:
    befores, afters = words(launches, "before", 3), words(launches, "after", 3)
    finished = run_cli(
        "compare", *befores, "--against", *afters, "--fail-on", "slower", cwd=launches
    )
    assert 11 == finished.returncode
    assert "8 pairs of launches are needed" in finished.stdout


def test_one_file_without_another_side_compares_its_arms(launches: Path) -> None:
    finished = run_cli("compare", "before0.jsonl", "--arms", "2,1", "-f", "csv", cwd=launches)
    assert 0 == finished.returncode, finished.stderr
    assert ["recvmsg", "recvfrom"] == [
        line.split(",")[1] for line in finished.stdout.splitlines()[1:]
    ]


@pytest.mark.parametrize(
    ("options", "code", "what"),
    [
        (["before0.jsonl", "before1.jsonl"], 2, "no --against"),
        (["before0.jsonl", "--arms", "recvfrom"], 2, "not two arms"),
        (["before0.jsonl", "--arms", "recvfrom,send"], 2, "no arm 'send'"),
        (["before0.jsonl", "--fail-on", "faster"], 2, "--fail-on faster"),
        (["before0.jsonl", "--junit", "x.xml"], 2, "add --fail-on"),
        (["before0.jsonl", "--fail-on", "slower", "--junit", "no/x.xml"], 5, "no/x.xml"),
        (["absent.jsonl", "--against", "before0.jsonl"], 4, "absent.jsonl cannot be read"),
        (["before0.jsonl", "--rate", "fast"], 2, "--rate fast"),
        (["before0.jsonl", "--arms", "1,1"], 2, "one arm twice"),
        (["before0.jsonl", "--fail-on", "slower:200%"], 2, "--fail-on slower: 200%"),
        (["before0.jsonl", "--arms", "1,2", "--against", "after0.jsonl"], 2, "leave out --against"),
    ],
)
def test_what_cannot_be_compared_is_one_line(
    launches: Path, options: list[str], code: int, what: str
) -> None:
    finished = run_cli("compare", *options, cwd=launches)
    assert code == finished.returncode
    assert what in only_line(finished)


def test_an_option_takes_all_the_words_that_a_shell_makes_of_it() -> None:
    spread = spread_option(["compare", "a", "--against", "b", "c", "-f", "csv"], "--against")
    assert ["compare", "a", "--against", "b", "--against", "c", "-f", "csv"] == spread


def test_a_rate_compares_each_arm_with_itself_before(launches: Path) -> None:
    """recvmsg after is against recvmsg before, and not against the first arm."""
    befores, afters = words(launches, "before"), words(launches, "after")
    finished = run_cli("compare", *befores, "--against", *afters, "--rate", "1M/s", cwd=launches)
    lines = [line for line in finished.stdout.splitlines() if "of one core" in line]
    assert ["recvfrom before", "recvmsg before"] == [
        line.split(" takes ")[0].split(" a second ")[1] for line in lines
    ]


def test_a_gate_is_open_where_the_runs_prove_nothing(launches: Path) -> None:
    """Before and after one another, not in turn: a drift would look the same."""
    for hour in range(8):
        late = make_launch(1100, 20)
        write(
            msgspec.structs.replace(late, started_at=f"{late.started_at}:{hour}"),
            launches / f"late{hour}.jsonl",
        )
    befores, lates = words(launches, "before"), words(launches, "late")
    finished = run_cli(
        "compare", *befores, "--against", *lates, "--fail-on", "slower", cwd=launches
    )
    assert 11 == finished.returncode


def test_a_report_that_exists_is_kept_until_there_is_another(launches: Path) -> None:
    report = launches / "gate.xml"
    report.write_text("<?xml older")
    gate = ["--fail-on", "slower", "--junit", "gate.xml"]
    finished = run_cli("compare", "absent.jsonl", *gate, cwd=launches)
    assert 4 == finished.returncode
    assert "<?xml older" == report.read_text()


def test_a_report_takes_the_place_of_no_run_file(launches: Path) -> None:
    before = (launches / "before0.jsonl").read_bytes()
    gate = ["--fail-on", "slower", "--junit", "before0.jsonl"]
    finished = run_cli("compare", "before0.jsonl", *gate, cwd=launches)
    assert 5 == finished.returncode
    assert "is there and is no XML" in only_line(finished)
    assert before == (launches / "before0.jsonl").read_bytes()


def test_a_run_that_is_given_twice_is_refused(launches: Path) -> None:
    """A wrong glob would make every gate pass: the same files on both sides."""
    befores = words(launches, "before")
    finished = run_cli("compare", *befores, "--against", *befores, cwd=launches)
    assert 7 == finished.returncode
    assert "is given twice" in only_line(finished)


def test_another_side_without_files_is_a_usage_error(launches: Path) -> None:
    """What an empty glob leaves behind."""
    finished = run_cli("compare", "before0.jsonl", "--against", "--fail-on", "slower", cwd=launches)
    assert 2 == finished.returncode
    assert "--against names no file" in only_line(finished)


def test_launches_of_different_plans_leave_the_gate_open_and_are_named(launches: Path) -> None:
    for hour in range(8):
        design = make_design(queue=4)
        write(make_launch(1100, 2 * hour + 1, design=design), launches / f"other{hour}.jsonl")
    befores, others = words(launches, "before"), words(launches, "other")
    finished = run_cli(
        "compare", *befores, "--against", *others, "--fail-on", "slower", cwd=launches
    )
    assert 11 == finished.returncode
    assert "Between the runs the queue differs: 4 against 64." in finished.stdout


def test_a_reader_that_leaves_early_does_not_change_the_gates_answer(launches: Path) -> None:
    befores, afters = words(launches, "before"), words(launches, "after")
    command = [sys.executable, "-m", "sockmeter", "compare", *befores, "--against", *afters]
    script = f"{shlex.join([*command, '--fail-on', 'slower'])} | true; echo ${{PIPESTATUS[0]}}"
    finished = subprocess.run(
        ["bash", "-c", script],
        cwd=launches,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ("10\n", "") == (finished.stdout, finished.stderr)
