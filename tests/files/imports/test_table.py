# SPDX-License-Identifier: MIT
"""A table is read as it was posted, or refused by the line that is wrong."""

from collections.abc import Callable, Sequence

import pytest

from sockmeter.files.imports.content import Edge, Options
from sockmeter.model.errors import PlanError, RunFileError
from sockmeter.model.imported import Form
from sockmeter.model.units import Unit
from tests.files.imports.sources import LAIGHT, import_bytes, import_text, laight_rows

TOTALS = [2_847_707, 2_863_582, 2_853_688, 2_877_088]
SMALL = "cycles,a,b\n1000,5,6\n1100,7,8\n1200+,9,1\n"


def make_post(rows: Sequence[Sequence[str]], mark: str = "> ") -> str:
    """Make the published table as a quoted post: thousands separators, totals, words around it."""
    lines = [
        "On Fri, 6 Dec 2019, somebody wrote:",
        f"{mark}Some numbers, in 128-cycle buckets labelled with the lower edge.",
        mark,
        f"{mark}            recvfrom            recvmsg",
        f"{mark}  cycles  unhard     hard     unhard     hard",
    ]
    for label, *counts in rows:
        cells = "".join(f"{int(count):>11,}" for count in counts)
        lines.append(f"{mark}{label:>7}:{cells}")
    lines += [f"{mark}  total:" + "".join(f"{total:>11,}" for total in TOTALS)]
    return "\n".join(
        [*lines, mark, f"{mark}Best,", "So the hardened one is slower? 2 of 4 say no."]
    )


def test_the_published_csv_is_read_with_what_its_comments_declare() -> None:
    imported = import_bytes(LAIGHT.read_bytes())
    assert Form.TABLE == imported.form
    assert Unit.CYCLES == imported.unit
    assert "labels are lower edges, buckets 128 wide" == imported.edge
    assert TOTALS == [column.calls for column in imported.columns]
    assert [] == imported.remarks
    first = imported.columns[0]
    assert (1472.0, 1600.0) == (first.lowers[0], first.uppers[0])
    assert (8256.0, None) == (first.lowers[-1], first.uppers[-1])


@pytest.mark.parametrize("mark", ["", "> ", ">", ">> "])
def test_a_quoted_post_holds_the_same_as_the_csv(mark: str) -> None:
    """Thousands separators, a colon after the label, totals and two lines of headings included."""
    post = import_text(make_post(laight_rows(), mark))
    table = import_bytes(LAIGHT.read_bytes())
    assert [column.rounds for column in table.columns] == [column.rounds for column in post.columns]
    assert [column.uppers for column in table.columns] == [column.uppers for column in post.columns]
    assert ["recvfrom/unhard", "recvfrom/hard", "recvmsg/unhard", "recvmsg/hard"] == [
        column.label for column in post.columns
    ]
    assert Unit.CYCLES == post.unit


def test_a_total_that_is_not_the_sum_names_its_line_and_column() -> None:
    post = make_post(laight_rows()).replace("2,863,582", "2,863,581")
    with pytest.raises(
        RunFileError, match=r"line 60: column recvfrom/hard: the total says 2,863,581, its rows "
    ):
        import_text(post)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda text: text.replace("1100,7,8", "1100,7"), r"line 3: ragged: 2 cells.* have 3"),
        (lambda text: text.replace("1100,7,8", "1100,7,8,9"), r"line 3: ragged: 4 cells"),
        (lambda text: text.replace(",7,", ",-7,"), r"line 3: column a: -7 is a negative count"),
        (lambda text: text.replace(",7,", ",7.5,"), r"line 3: column a: 7.5 is a fraction"),
        (lambda text: text.replace(",7,", ",x,"), r"line 3: column a: 'x' is not a count"),
        (lambda text: text.replace(",7,", ",,"), r"line 3: column a: a count is missing"),
        (lambda text: text.replace(",7,", f",{10**20},"), r"line 3: column a: .* too large"),
        (lambda text: text.replace("1100,", "990,"), r"line 3: unordered buckets: 990 follows"),
        (lambda text: text.replace("1100,", "1000,"), r"line 3: bucket 1000 is there twice"),
        (lambda text: text.replace("1100,", "wide,"), r"line 3: 'wide' is not a bucket's label"),
        (lambda text: text.replace("1100,", "1100+,"), r"line 3: 1100\+ is open but not the last"),
        (lambda text: text.replace("1200+,9,1\n", ""), r"line 4.*"),
        (lambda text: text + "total,21,16\n", r"line 5: column b: the total says 16, .* to 15"),
        (lambda text: text + "total,21\n", r"line 5: 1 totals for 2 columns"),
        (lambda text: text.replace(",a,b", ",a,a"), r"line 1: two columns are called a"),
        (
            lambda text: text.replace("a,b", "a (ns),b (cycles)"),
            r"mixed units: line 1 \(cycles\) says cycles, line 1 \(a \(ns\)\) says ns",
        ),
        (lambda text: "\n".join(line[:-1] + "0" for line in text.split()), r"column . holds no"),
    ],
)
def test_a_table_that_is_not_sound_names_the_line(change: Callable[[str], str], what: str) -> None:
    text = change(SMALL)
    if "1200+" not in text:
        text += "1150,1,1\n"  # overlaps the bucket before it
        with pytest.raises(RunFileError, match=r"line 4: bucket 1150 overlaps"):
            import_text(text, Options(bucket_width=100))
        return
    with pytest.raises(RunFileError, match=what):
        import_text(text, Options(form=Form.TABLE))


def test_a_line_in_the_middle_that_is_no_row_is_not_passed_over() -> None:
    with pytest.raises(RunFileError, match=r"line 3: 'll00' is not a bucket's label"):
        import_text("cycles,a\n1000,5\nll00,7\n1200,9\n1300,9\n")


def test_two_tables_in_one_text_are_not_mixed() -> None:
    table = "1000 5 6\n1100 7 8\n"
    with pytest.raises(RunFileError, match=r"line 6: a second table begins here"):
        import_text(f"{table}\nand\nnow\n{table}", Options(form=Form.TABLE))


def test_a_width_that_was_declared_and_labels_that_contradict_it_overlap() -> None:
    with pytest.raises(RunFileError, match=r"line 3: bucket 1100 overlaps .* reaches to 1128"):
        import_text("cycles,a\n1000,5\n1100,7\n", Options(bucket_width=128))


def test_upper_edges_put_every_bucket_below_its_label() -> None:
    column = import_text(SMALL, Options(edge=Edge.UPPER, bucket_width=100)).columns[0]
    assert [(900, 1000), (1000, 1100), (1200, None)] == list(
        zip(column.lowers, column.uppers, strict=True)
    )


def test_what_was_assumed_is_said() -> None:
    remarks = " ".join(import_text("1000 5\n1100 7\n1200 9\n", Options(form=Form.TABLE)).remarks)
    assert "no headings" in remarks
    assert "width 100 is taken from the labels" in remarks
    assert "the lower one is assumed" in remarks


def test_labels_of_uneven_steps_leave_the_last_bucket_open() -> None:
    imported = import_text("cycles a\n1000 5\n1100 7\n1300 9\n")
    assert [1100, 1300, None] == imported.columns[0].uppers
    assert any("taken as open" in remark for remark in imported.remarks)


@pytest.mark.parametrize("label", ["8256+", ">=8256", ">8256", "≥ 8256"])
def test_an_open_row_may_be_written_in_several_ways(label: str) -> None:
    separator = "," if " " in label else " "
    text = f"cycles{separator}a\n8128{separator}5\n{label}{separator}7\n"
    column = import_text(text).columns[0]
    assert (8256.0, None) == (column.lowers[-1], column.uppers[-1])


def test_microseconds_become_nanoseconds() -> None:
    imported = import_text("us,a\n1,5\n2,7\n3,9\n")
    assert Unit.NS == imported.unit
    assert [1000, 2000, 3000] == imported.columns[0].lowers


def test_headings_that_the_user_gives_must_fit() -> None:
    labels = [
        column.label for column in import_text(SMALL, Options(headings=("before", "after"))).columns
    ]
    assert ["before", "after"] == labels
    with pytest.raises(PlanError, match="names 1 columns; the table has 2"):
        import_text(SMALL, Options(headings=("before",)))


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (Options(unit="ns"), "line 2 .cycles. says cycles, --unit says ns"),
        (Options(bucket_width=64.0), "the text says 100.0, --bucket-width says 64.0"),
        (Options(edge=Edge.UPPER), "the text says lower, --edge says upper"),
    ],
)
def test_what_the_text_says_and_what_the_user_says_must_agree(options: Options, what: str) -> None:
    with pytest.raises(RunFileError, match=what):
        import_text(f"# 100-cycle buckets, label = lower edge\n{SMALL}", options)


def test_a_baseline_that_is_not_there_is_refused() -> None:
    assert "b" == import_text(SMALL, baseline="b").baseline
    with pytest.raises(PlanError, match=r"--baseline c: no such column; one of: a, b"):
        import_text(SMALL, baseline="c")


def test_an_option_that_means_nothing_to_the_form_is_refused() -> None:
    with pytest.raises(PlanError, match="--seconds means nothing to table"):
        import_text(SMALL, Options(seconds=4.2))


def test_a_million_buckets_are_refused_at_once() -> None:
    text = "cycles,a\n" + "\n".join(f"{edge},1" for edge in range(70_000))
    with pytest.raises(RunFileError, match=r"line 65538: more than 65,536 buckets.*--form values"):
        import_text(text)
