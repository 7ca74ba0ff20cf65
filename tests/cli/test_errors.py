# SPDX-License-Identifier: MIT
"""Bad input gets one clear line, its documented exit code, no traceback, and loses nothing."""

from pathlib import Path

import pytest

from tests.cli.run_cli import only_line, run_cli


@pytest.mark.parametrize(
    ("words", "what", "mend"),
    [
        (["recv", "--call", "recvfro"], "unknown call 'recvfro'", "recvfrom"),
        (["rcv", "--call", "recv"], "unknown scenario 'rcv'", "recv, send"),
        (["recv"], "no call", "--call"),
        (["recv", "--call", "recvmmsg", "--family", "tcp4"], "without a batch", "--batch 8"),
        (["recv", "--call", "recv", "--size", "65508"], "at most 65507", "--size 65507"),
        (["recv", "--call", "recvmmsg", "--batch", "0"], "--batch 0", "1 to 1024"),
        (["recv", "--call", "recv,", "--size", "64"], "a value is empty", "comma"),
        (["recv", "--call", "recv", "--rounds", "3"], "--rounds 3", "95 % interval"),
        (["recv", "--call", "recv", "--effect", "0"], "--effect 0", "write it as 1%"),
        (["recv", "--call", "recv", "--clock", "sundial"], "--clock sundial", "tsc"),
        (["absent.toml"], "absent.toml cannot be read", "No such file"),
    ],
)
def test_a_request_that_makes_no_sense_exits_with_two(
    tmp_path: Path, words: list[str], what: str, mend: str
) -> None:
    finished = run_cli("run", *words, cwd=tmp_path)
    line = only_line(finished)
    assert 2 == finished.returncode
    assert what in line
    assert mend in line
    assert [] == list(tmp_path.iterdir())


def test_a_plan_file_with_a_wrong_key_names_it(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text('scenario = "recv"\ncall = "recv"\nsizes = 64\n')
    finished = run_cli("run", "plan.toml", cwd=tmp_path)
    assert 2 == finished.returncode
    assert "plan.toml: unknown key 'sizes'" in only_line(finished)


def test_a_plan_file_that_is_no_text_says_where(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_bytes(b"# caf\xe9")
    finished = run_cli("run", "plan.toml", cwd=tmp_path)
    assert 2 == finished.returncode
    assert "plan.toml cannot be read: no UTF-8 text at offset 5" in only_line(finished)


def test_a_missing_probe_says_how_to_get_one(tmp_path: Path) -> None:
    finished = run_cli(
        "run", "recv", "--call", "recv", cwd=tmp_path, environment={"SOCKMETER_PROBE": "/absent"}
    )
    assert 6 == finished.returncode
    assert "SOCKMETER_PROBE=/absent" in only_line(finished)


def test_a_probe_that_is_no_program_is_said(tmp_path: Path) -> None:
    probe = tmp_path / "probe"
    probe.write_bytes(b"\x00")
    probe.chmod(0o755)
    finished = run_cli(
        "run", "recv", "--call", "recv", cwd=tmp_path, environment={"SOCKMETER_PROBE": str(probe)}
    )
    assert 6 == finished.returncode
    assert "cannot be run" in only_line(finished)
    assert [probe] == list(tmp_path.iterdir())


def test_a_killed_probe_is_said(tmp_path: Path) -> None:
    probe = tmp_path / "probe"
    probe.write_text("#!/bin/sh\nkill -9 $$\n")
    probe.chmod(0o755)
    finished = run_cli(
        "run", "recv", "--call", "recv", cwd=tmp_path, environment={"SOCKMETER_PROBE": str(probe)}
    )
    assert 6 == finished.returncode
    assert "killed by signal 9 (Killed)" in only_line(finished)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "is not a sockmeter run file"),
        (b"\x7fELF\n", "is not a sockmeter run file"),
        (b'{"format":"sockmeter run","version":9}\n', "update sockmeter"),
    ],
)
def test_a_file_that_is_no_run_file_exits_with_four(
    tmp_path: Path, content: bytes, what: str
) -> None:
    (tmp_path / "run.jsonl").write_bytes(content)
    finished = run_cli("show", "run.jsonl", cwd=tmp_path)
    assert 4 == finished.returncode
    assert what in only_line(finished)


def test_an_absent_run_file_exits_with_four(tmp_path: Path) -> None:
    finished = run_cli("show", "absent.jsonl", cwd=tmp_path)
    assert 4 == finished.returncode
    assert "absent.jsonl cannot be read" in only_line(finished)


def test_an_unknown_option_exits_with_two(tmp_path: Path) -> None:
    finished = run_cli("run", "recv", "--colour", "red", cwd=tmp_path)
    assert 2 == finished.returncode
    assert "Traceback" not in finished.stderr


def test_list_names_every_scenario_call_and_factor(tmp_path: Path) -> None:
    finished = run_cli("list", cwd=tmp_path)
    assert 0 == finished.returncode
    for word in ("recvmmsg", "sendto", "--family", "--connected", "null"):
        assert word in finished.stdout


def test_list_without_a_probe_says_that_nothing_was_tried(tmp_path: Path) -> None:
    absent = {"SOCKMETER_PROBE": str(tmp_path / "absent")}
    finished = run_cli("list", "recv", cwd=tmp_path, environment=absent)
    assert 0 == finished.returncode
    assert "no probe in SOCKMETER_PROBE" in only_line(finished)
    assert "recvmmsg" in finished.stdout
    assert "not tried" in finished.stdout


@pytest.mark.parametrize("verb", ["list", "doctor"])
def test_a_format_without_a_meaning_is_refused_before_anything_is_tried(
    tmp_path: Path, verb: str
) -> None:
    absent = {"SOCKMETER_PROBE": str(tmp_path / "absent")}
    finished = run_cli(verb, "-f", "commit", cwd=tmp_path, environment=absent)
    assert 2 == finished.returncode
    assert "--format commit: there is no verdict here" in only_line(finished)


def test_list_of_an_unknown_scenario_exits_with_two(tmp_path: Path) -> None:
    finished = run_cli("list", "rcv", cwd=tmp_path)
    assert 2 == finished.returncode
    assert "unknown scenario 'rcv'" in only_line(finished)
