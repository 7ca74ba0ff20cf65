# SPDX-License-Identifier: MIT
"""Any text becomes an imported run or one clear refusal, and a run file keeps all of it."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sockmeter.files.imports import text
from sockmeter.files.imports.content import Options
from sockmeter.files.runfile import parse_measurement, read_measurement, read_run
from sockmeter.files.runwriter import RunWriter
from sockmeter.judge.published import assess_published
from sockmeter.model.errors import RunFileError
from sockmeter.model.imported import Form, ImportedRun
from sockmeter.report.published import make_published_view
from sockmeter.report.published_tables import draw_published_markdown, published_csv
from tests.builders import make_run
from tests.files.imports.sources import DATA, LAIGHT, import_bytes, import_text

SAMPLES = [*sorted(DATA.iterdir()), LAIGHT]
PIECES = st.sampled_from(
    [
        *(
            " ",
            "\n",
            ",",
            "\t",
            "> ",
            "1472",
            "8256+",
            "0",
            "-1",
            "1.5",
            "1,234",
            "total",
            "cycles",
        ),
        *("@ns:\n", "[1K, 2K) 3 |@|\n", "(..., 0)", "tx=", "nan", "μs", "1e400", "|", ";"),
        *("Value Percentile TotalCount 1/(1-Percentile)\n", "1.0 0.5 7 2.0\n", "Tag=a,1,1,1,HIST"),
        *("udp tx: 1 MB/s 2 calls/s 3 msg/s\n", "THROUGHPUT=1\n", "# 128-cycle buckets\n"),
        *('{"type": "hist", "data": {"@a": [{"min": 1, "max": 2, "count": 3}]}}\n', "≥"),
        "#[Histogram log format version 1.2]\n",
    ]
)


def write(imported: ImportedRun, path: Path) -> bytes:
    writer = RunWriter.create(path)
    writer.write_imported(imported)
    writer.close()
    return path.read_bytes()


def import_and_show(content: bytes, form: Form | None) -> None:
    """Import and draw a text; nothing but a refusal that names the source may come of it."""
    try:
        imported = import_bytes(content, Options(form=form))
    except RunFileError as error:
        assert "source.txt" in str(error)
        assert "\n" not in str(error)
        return
    assert imported.columns or imported.rates
    view = make_published_view(imported, assess_published(imported))
    assert draw_published_markdown(view)
    assert published_csv(view)


@given(st.text(), st.sampled_from([None, *Form]))
@settings(max_examples=400, deadline=None)
def test_any_text_is_imported_or_refused(content: str, form: Form | None) -> None:
    import_and_show(content.encode("utf-8", "surrogatepass"), form)


@given(st.lists(PIECES, max_size=40).map("".join), st.sampled_from([None, *Form]))
@settings(max_examples=1500, deadline=None)
def test_any_text_of_the_forms_own_words_is_imported_or_refused(
    content: str, form: Form | None
) -> None:
    import_and_show(content.encode(), form)


@given(st.sampled_from(SAMPLES), st.integers(min_value=0), st.integers(0, 255))
@settings(max_examples=600, deadline=None)
def test_a_damaged_byte_of_a_real_source_is_a_refusal_or_another_value(
    path: Path, position: int, byte: int
) -> None:
    content = bytearray(path.read_bytes())
    content[position % len(content)] = byte
    import_and_show(bytes(content), None)


@given(st.sampled_from(SAMPLES), st.integers(min_value=0))
@settings(max_examples=300, deadline=None)
def test_a_real_source_cut_anywhere_is_a_refusal_or_less(path: Path, position: int) -> None:
    content = path.read_bytes()
    import_and_show(content[: position % len(content)], None)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_run_file_keeps_the_whole_of_it(path: Path, tmp_path: Path) -> None:
    options = Options(unit="ns") if path.stem == "bpftrace" else Options()
    imported = import_bytes(path.read_bytes(), options)
    write(imported, tmp_path / "run.jsonl")
    assert imported == read_measurement(tmp_path / "run.jsonl")


def test_a_run_is_still_read_as_a_run(tmp_path: Path) -> None:
    writer = RunWriter.create(tmp_path / "run.jsonl")
    writer.write_header(make_run())
    writer.close()
    run = read_measurement(tmp_path / "run.jsonl")
    assert read_run(tmp_path / "run.jsonl") == run


def test_an_imported_file_is_no_run_and_says_so(tmp_path: Path) -> None:
    write(import_bytes(LAIGHT.read_bytes()), tmp_path / "run.jsonl")
    with pytest.raises(RunFileError, match=r"imported measurement.*sockmeter show"):
        read_run(tmp_path / "run.jsonl")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda content: content[:-1], "cut short"),
        (lambda content: content + b"{}\n", "line 2: something follows"),
        (lambda content: content.replace(b'"version":1', b'"version":99'), "update sockmeter"),
        (lambda content: content.replace(b"1600.0", b"1400.0", 1), "line 1 is damaged"),
        (lambda content: content.replace(b'"cycles"', b'"furlongs"'), "line 1 is damaged"),
    ],
)
def test_a_damaged_file_of_an_imported_run_is_refused(change, what: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    content = write(import_bytes(LAIGHT.read_bytes()), tmp_path / "run.jsonl")
    with pytest.raises(RunFileError, match=what):
        parse_measurement(change(content), "run.jsonl")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"\x7fELF\x02\x00", "is binary: a zero byte at offset 5"),
        (b"cycles\xff", "is binary: no UTF-8 text at offset 6"),
        (b"# only words\n", "no rows: only comments"),
        (b"nothing here\nto be read\n", "no rows in any form that is known"),
        (b'{"format":"sockmeter run","version":1}\n', "is a run file already"),
        (b"a,b\n900,5\n800,7\n950,9\n", "may be a table whose buckets are unordered, or raw"),
    ],
)
def test_what_is_no_source_is_said(content: bytes, what: str) -> None:
    with pytest.raises(RunFileError, match=what):
        import_bytes(content)


def test_a_file_that_is_too_large_is_not_read_to_its_end() -> None:
    with pytest.raises(RunFileError, match="larger than 64 MiB"):
        text.read_source(Path("/dev/zero"))


def test_a_source_of_windows_lines_and_a_byte_order_mark_is_a_source() -> None:
    plain = "cycles,a\n1000,5\n1100,7\n"
    marked = import_bytes(b"\xef\xbb\xbf" + plain.replace("\n", "\r\n").encode())
    assert import_text(plain).columns == marked.columns
