# SPDX-License-Identifier: MIT
"""The counting plugin's report, what it sums to, and which function did it."""

import pytest

from sockmeter.guest.errors import BadTallyError
from sockmeter.guest.profiles import make_profile, total_of
from sockmeter.guest.symbols import Symbol, SymbolTable
from sockmeter.guest.tally import idle_instructions, parse_tally
from tests.guest.trees import children, inclusive

# main at 0x10 calls copy at 0x100, which runs REP MOVSQ over three elements, returns through
# a jump to finish at 0x200, and is called twice as often in the dearer of two shapes.
REPORT = """\
sockmeter-tally 1
node 0 -1 0
node 1 0 100
block 0 10 115 ..c
block 1 100 43 .3
block 2 104 3 3
block 3 107 2 j
block 4 200 11 .r
segment 0
value 13 2
value 23 1
shape 13 2
cell 0 0 3 0 2
cell 1 1 2 0 2
cell 1 2 1 1 6
cell 1 3 1 0 2
cell 1 4 2 0 4
shape 23 1
cell 0 0 3 0 1
cell 1 1 2 0 2
cell 1 2 1 1 6
cell 1 3 1 0 2
cell 1 4 2 0 4
end 0
"""
SYMBOLS = SymbolTable([Symbol(0x10, "main"), Symbol(0x100, "copy"), Symbol(0x200, "finish")])


def test_the_calls_come_back_in_order() -> None:
    """Runs of equal cost are written once."""
    (segment,) = parse_tally(REPORT).segments
    assert (13, 13, 23) == segment.values
    assert [(13, 2), (23, 1)] == [(shape.instructions, shape.calls) for shape in segment.shapes]


def test_a_profile_sums_to_what_its_calls_cost() -> None:
    """Of one shape, and of both together: nothing is left over."""
    report = parse_tally(REPORT)
    cheap, dear = report.segments[0].shapes
    assert 2 * 13 == total_of(make_profile(report, [cheap], SYMBOLS))
    both = make_profile(report, [cheap, dear], SYMBOLS)
    assert (3, 2 * 13 + 23, 2 * 13 + 23) == (both.calls, total_of(both), inclusive(both.tree))


def test_an_iteration_is_no_instruction() -> None:
    """It is counted apart, with the bytes it moved: three elements of eight."""
    report = parse_tally(REPORT)
    copy = make_profile(report, report.segments[0].shapes[:1], SYMBOLS).functions["copy"]
    assert (2, 6, 6, 48) == (copy.entries, copy.instructions, copy.iterations, copy.iteration_bytes)


def test_a_function_reached_by_a_jump_is_a_child_of_the_jumper() -> None:
    """A tail call has no return address of its own."""
    report = parse_tally(REPORT)
    tree = make_profile(report, report.segments[0].shapes[:1], SYMBOLS).tree
    copy = children(tree)["copy"]
    finish = children(copy)["finish"]
    assert (4, 8) == (finish.entries, inclusive(finish))
    assert 6 + 6 + 8 == inclusive(copy)
    assert inclusive(children(tree)["main"]) + inclusive(copy) == inclusive(tree)


def test_an_unknown_address_is_called_by_its_page() -> None:
    """User code without symbols, or a kernel's run-time code."""
    report = parse_tally(REPORT)
    functions = make_profile(report, report.segments[0].shapes, SymbolTable([])).functions
    assert ["[user 0x0]"] == list(functions)


def test_a_count_that_equals_the_clock_closes() -> None:
    """Nothing idle."""
    report = parse_tally(REPORT)
    assert 0 == idle_instructions(report, report.segments[0], [13, 13, 23])


@pytest.mark.parametrize("measured", [[13, 14, 23], [13, 13, 22]])
def test_a_count_that_differs_by_one_is_refused(measured: list[int]) -> None:
    """In either direction."""
    report = parse_tally(REPORT)
    with pytest.raises(BadTallyError, match="does not close"):
        idle_instructions(report, report.segments[0], measured)


def test_a_clock_may_run_ahead_only_of_a_halted_cpu() -> None:
    """It jumps to the next timer; how far is said."""
    report = parse_tally(REPORT.replace("block 3 107 2 j", "block 3 107 2 h"))
    assert 1000 == idle_instructions(report, report.segments[0], [13, 1013, 23])
    with pytest.raises(BadTallyError, match="does not close"):
        idle_instructions(report, report.segments[0], [13, 12, 23])


def test_another_number_of_calls_is_refused() -> None:
    """The two would be set beside each other wrongly."""
    report = parse_tally(REPORT)
    with pytest.raises(BadTallyError, match="2 calls were measured and 3 were counted"):
        idle_instructions(report, report.segments[0], [13, 13])


@pytest.mark.parametrize("lines", range(1, len(REPORT.splitlines()) + 1))
def test_a_report_cut_short_is_refused(lines: int) -> None:
    """Between two segments it is whole; inside one, or inside a line, it is not."""
    text = "".join(REPORT.splitlines(keepends=True)[:lines])
    if "segment" not in text or "end" in text:
        assert len(parse_tally(text).segments) == text.count("end")
    else:
        with pytest.raises(BadTallyError, match="cut short"):
            parse_tally(text)
    with pytest.raises(BadTallyError):
        parse_tally(text[:-1])


@pytest.mark.parametrize(
    "line",
    ["what 1", "block 9 zz 1 .", "block 9 10 12 .", "cell 0 0 1 0 1", "end 0", "value 1 1"],
)
def test_a_foreign_line_is_named(line: str) -> None:
    """With its number."""
    with pytest.raises(BadTallyError, match="line 2 "):
        parse_tally(f"sockmeter-tally 1\n{line}\n")


def test_another_format_is_refused() -> None:
    """The first line says which it is."""
    with pytest.raises(BadTallyError, match="does not begin with"):
        parse_tally("sockmeter-tally 2\n")
