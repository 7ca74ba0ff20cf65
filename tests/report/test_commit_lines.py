# SPDX-License-Identifier: MIT
"""Lines of a commit message."""

import pytest

from sockmeter.report.commit_lines import WIDTH, align, plain

SYSCTL = "sendmsg-gso net.core.high_order_alloc_disable=0"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("−1.75 %", "-1.75%"),
        ("+∞ % [−100, +∞]", "+inf% [-100, +inf]"),
        ("±1 % → 5", "+-1% -> 5"),
        ("the % of it", "the % of it"),
    ],
)
def test_a_percentage_is_one_ascii_word(text: str, written: str) -> None:
    assert written == plain(text)


def test_a_name_is_broken_between_words_and_never_inside_one() -> None:
    lines = align([["call", *["x" * 14] * 3], [SYSCTL, "1", "2", "3"]])
    names = ["call", "sendmsg-gso", "net.core.high_order_alloc_disable=0"]
    assert names == [line.split()[0] for line in lines]


def test_a_word_that_is_too_long_is_broken_behind_a_mark() -> None:
    lines = align([["call", *["x" * 16] * 3], ["net.core.optmem_max=131072", "1", "2", "3"]])
    assert ["call", "net.core.optmem_", "max=131072"] == [line.split()[0] for line in lines]
    assert WIDTH >= max(map(len, lines))


def test_a_word_without_marks_is_broken_where_it_must() -> None:
    lines = align([["call", *["x" * 18] * 3], ["a" * 20, "1", "2", "3"]])
    assert "a" * 20 == "".join(line.split()[0] for line in lines[1:])
    assert WIDTH >= max(map(len, lines))
