# SPDX-License-Identifier: MIT
"""The run file keeps every finished round and refuses what it does not understand."""

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sockmeter.files.runfile import parse_run, read_run
from sockmeter.files.runwriter import RunWriter
from sockmeter.judge.assess import assess
from sockmeter.model.errors import OutputError, RunFileError
from sockmeter.model.runs import Run
from tests.builders import make_round, make_run, make_segment


def make_three_round_run() -> Run:
    rounds = [
        make_round(number, [make_segment(2), make_segment(0), make_segment(1, [1300, 9_000_000])])
        for number in (1, 2, 3)
    ]
    return make_run(rounds)


def write(run: Run, path: Path, *, replace: bool = False) -> bytes:
    writer = RunWriter.create(path, replace=replace)
    writer.write_header(run)
    for finished in run.rounds:
        writer.write_round(finished)
    if run.ending is not None:
        writer.write_ending(run.ending)
    writer.close()
    return path.read_bytes()


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    run = make_three_round_run()
    write(run, tmp_path / "run.jsonl")
    assert run == read_run(tmp_path / "run.jsonl")


def test_a_file_cut_anywhere_keeps_every_finished_round(tmp_path: Path) -> None:
    """At every byte: either the header is not whole and that is said, or whole rounds come back."""
    run = make_three_round_run()
    content = write(run, tmp_path / "run.jsonl")
    ends = [index + 1 for index, byte in enumerate(content) if byte == ord("\n")]
    for length in range(len(content)):
        whole_lines = sum(end <= length for end in ends)
        if whole_lines == 0:
            with pytest.raises(RunFileError, match="cut short at its start"):
                parse_run(content[:length], "run.jsonl")
        else:
            kept = parse_run(content[:length], "run.jsonl")
            assert run.rounds[: whole_lines - 1] == kept.rounds
            assert kept.ending is None


@given(position=st.integers(min_value=0), byte=st.integers(0, 255))
@settings(max_examples=150, deadline=None)
def test_a_damaged_byte_is_an_error_or_another_value_never_a_crash(
    position: int, byte: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    encoded = bytearray(write(make_three_round_run(), tmp_path_factory.mktemp("run") / "r.jsonl"))
    encoded[position % len(encoded)] = byte
    try:
        assess(parse_run(bytes(encoded), "run.jsonl"))
    except RunFileError as error:
        assert "run.jsonl" in str(error)


@pytest.mark.parametrize(
    "content", [b"{}\n", b"\x7fELF\x02\x01\n\n", b"\n", b'{"format":"other","version":1}\n']
)
def test_a_foreign_file_is_called_foreign(content: bytes) -> None:
    with pytest.raises(RunFileError, match="not a sockmeter run file"):
        parse_run(content, "notes.txt")


def test_a_file_of_a_newer_sockmeter_says_so() -> None:
    content = b'{"format":"sockmeter run","version":99,"run":{"something":"new"}}\n'
    with pytest.raises(RunFileError, match=r"format version 99.*update sockmeter"):
        parse_run(content, "run.jsonl")


def test_damage_in_the_middle_names_its_line(tmp_path: Path) -> None:
    lines = write(make_three_round_run(), tmp_path / "run.jsonl").split(b"\n")
    lines[2] = lines[2][:100]
    with pytest.raises(RunFileError, match="line 3 is damaged"):
        parse_run(b"\n".join(lines), "run.jsonl")


def test_a_round_that_lacks_an_arm_names_its_line(tmp_path: Path) -> None:
    """Fewer segments than arms would pair the wrong ones."""
    short = make_run([make_round(1, [make_segment(0), make_segment(1)])])
    write(short, tmp_path / "run.jsonl")
    with pytest.raises(RunFileError, match="line 2: not one segment of each"):
        read_run(tmp_path / "run.jsonl")


def test_an_existing_file_is_kept_unless_replaced(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("precious")
    with pytest.raises(OutputError, match="--force"):
        RunWriter.create(path)
    assert "precious" == path.read_text()
    write(make_run(), path, replace=True)
    assert make_run() == read_run(path)


def test_a_run_that_measures_nothing_replaces_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_text("precious")
    RunWriter.create(old, replace=True).close()
    RunWriter.create(new).close()
    assert "precious" == old.read_text()
    assert [old] == list(tmp_path.iterdir())


def test_a_run_that_is_killed_before_its_first_line_leaves_nothing(tmp_path: Path) -> None:
    """Not even an empty file: nobody closes the writer."""
    (tmp_path / "old.jsonl").write_text("precious")
    for path in (tmp_path / "old.jsonl", tmp_path / "new.jsonl"):
        RunWriter.create(path, replace=True)
    assert [tmp_path / "old.jsonl"] == list(tmp_path.iterdir())


def test_a_path_that_cannot_be_written_is_said_before_anything_is_measured(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="-o"):
        RunWriter.create(tmp_path / "absent" / "run.jsonl")


def test_a_full_disk_is_said_and_the_file_stays_readable() -> None:
    """/dev/full answers every write with ENOSPC."""
    writer = RunWriter.create(Path("/dev/full"), replace=True)
    with pytest.raises(OutputError, match=r"No space left on device.*free some space"):
        writer.write_header(make_run())
    writer.close()


def test_a_run_file_says_its_format_version_first(tmp_path: Path) -> None:
    """A reader of any age can tell what it has in hand from the first keys."""
    first = write(make_three_round_run(), tmp_path / "run.jsonl").split(b"\n")[0]
    assert ["format", "version", "run"] == list(msgspec.json.decode(first))


@pytest.mark.parametrize(
    ("field", "value", "flaw"),
    [
        ("effect", 0, "an effect of 0"),
        ("seed", -1, "a seed of -1"),
        ("looks", [{"rounds": 20, "alpha": -1.0}], "looks that spend"),
        (
            "looks",
            [{"rounds": 40, "alpha": 0.01}, {"rounds": 20, "alpha": 0.01}],
            "looks after [40, 20] rounds",
        ),
        ("arms", [], "a design without arms"),
    ],
)
def test_a_design_that_cannot_be_is_refused(
    tmp_path: Path, field: str, value: object, flaw: str
) -> None:
    lines = write(make_three_round_run(), tmp_path / "run.jsonl").split(b"\n")
    header = msgspec.json.decode(lines[0])
    header["run"]["design"][field] = value
    with pytest.raises(RunFileError, match=re.escape(flaw)):
        parse_run(b"\n".join([msgspec.json.encode(header), *lines[1:]]), "run.jsonl")


@pytest.mark.parametrize(
    ("field", "value", "flaw"),
    [
        ("sum", 10**30, "sum is"),
        ("calls", 0, "it made no call"),
        ("buckets", [[99_999, 100]], "not ascending within 0"),
        ("buckets", [[5, 7]], "its buckets hold 7 calls, not 100"),
        ("count", -1, "count is -1"),
    ],
)
def test_a_segment_that_cannot_be_is_refused_with_its_line(
    tmp_path: Path, field: str, value: object, flaw: str
) -> None:
    lines = write(make_three_round_run(), tmp_path / "run.jsonl").split(b"\n")
    finished = msgspec.json.decode(lines[1])
    finished["round"]["segments"][0][field] = value
    lines[1] = msgspec.json.encode(finished)
    with pytest.raises(RunFileError, match=f"line 2.*{re.escape(flaw)}|line 2 is damaged"):
        parse_run(b"\n".join(lines), "run.jsonl")


def test_a_round_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    """One round repeated would be an interval of no width."""
    lines = write(make_three_round_run(), tmp_path / "run.jsonl").split(b"\n")
    with pytest.raises(RunFileError, match="line 3: round 1, not 2"):
        parse_run(b"\n".join([lines[0], lines[1], lines[1], lines[2]]) + b"\n", "run.jsonl")


def test_a_run_whose_file_was_replaced_meanwhile_says_so(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("old")
    run = make_three_round_run()
    first = RunWriter.create(path, replace=True)
    first.write_header(run)
    write(run, path, replace=True)
    assert run.ending is not None
    with pytest.raises(OutputError, match="was replaced by another program"):
        first.write_ending(run.ending)
    first.close()
