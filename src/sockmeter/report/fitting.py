# SPDX-License-Identifier: MIT
"""A table as a terminal shows it: whole at every width, or with a line that names what is not."""

import re
from collections.abc import Iterator, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from sockmeter.report.tables import Table

# Between these, in characters, is what a column of words keeps where a terminal is narrow: its
# longest word whole, a name in about two lines, other words in about three.
LEAST_WORDS, MOST_WORDS = 14, 26
NAME_LINES, OTHER_LINES = 2, 3
WORD = re.compile(r"\S+ % \[[^]]*\]|\S+")  # an interval stands in one line
NOTHING = ("", "–")
BETWEEN_COLUMNS, AT_EDGES = 3, 2  # what Rich puts there


def draw_text(table: Table) -> RenderableType:
    """Return the table as a terminal shows it.

    Where there is no room, words wrap, names last of all; then columns are left out in the order
    that the table declares, and named under it. Where that is not enough, numbers stand in several
    tables under each other; words make a paragraph of each row.
    """
    return _Fitting(table)


class _Fitting:
    """A table that learns the width when it is drawn."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> RenderResult:
        table = self._table
        if table.title:
            yield Text(table.title, style="bold")
        for number in range(len(table.gives_way) + 1):
            left_out = table.gives_way[:number]
            kept = [index for index in range(len(table.columns)) if index not in left_out]
            widths = _widths(table, kept, options.max_width)
            if widths:
                yield _draw(table, dict(zip(kept, widths, strict=True)))
                if left_out:
                    yield _note(table, left_out)
                return
        yield from _parts(table, options.max_width) or _paragraphs(table)


def _widths(table: Table, kept: Sequence[int], room: int) -> list[int] | None:
    """Return the width of each kept column; None where they do not fit."""
    room -= (len(kept) - 1) * BETWEEN_COLUMNS + AT_EDGES
    whole = [max(map(_line_width, _texts(table, index))) for index in kept]
    narrow = [
        _narrowest(table, index, width) if index in table.wordy else width
        for index, width in zip(kept, whole, strict=True)
    ]
    least = [whole[0], *narrow[1:]]
    if sum(least) > room:
        least = narrow
    return None if sum(least) > room else _shared_out(least, whole, room)


def _narrowest(table: Table, index: int, whole: int) -> int:
    """Return to what a column of words may shrink."""
    words = [cell_len(word) for text in _texts(table, index) for word in WORD.findall(text)]
    in_lines = whole // (OTHER_LINES if index else NAME_LINES)
    return min(whole, MOST_WORDS, max(LEAST_WORDS, in_lines, *words))


def _shared_out(least: Sequence[int], whole: Sequence[int], room: int) -> list[int]:
    """Return the widths where what is left of the room goes to the narrowest that wants some."""
    widths = list(least)
    for _ in range(min(room, sum(whole)) - sum(widths)):
        wanting = [place for place, width in enumerate(widths) if width < whole[place]]
        widths[min(wanting, key=widths.__getitem__)] += 1
    return widths


def _texts(table: Table, index: int) -> list[str]:
    return [table.columns[index], *(row[index].text for row in table.rows)]


def _line_width(text: str) -> int:
    return max(map(cell_len, text.splitlines()), default=0)


def _draw(table: Table, widths: dict[int, int]) -> RichTable:
    drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    for index, width in widths.items():
        drawn.add_column(
            Text(table.columns[index]),
            width=width,
            vertical="top",
            justify="left" if index in table.wordy else "right",
            overflow="fold",
        )
    for row in table.rows:
        drawn.add_row(*(Text(row[index].text, style=row[index].style) for index in widths))
    return drawn


def _note(table: Table, left_out: Sequence[int]) -> Text:
    heads = ", ".join(table.heads[index] for index in sorted(left_out))
    return Text(f"left out for width: {heads}; all in --format json\n", style="dim")


def _parts(table: Table, room: int) -> list[RichTable]:
    """Return the numbers in as many tables as it takes, each with the names; none of words."""
    if not table.wordy <= {0}:
        return []
    parts = [[0]]
    for index in range(1, len(table.columns)):
        if _widths(table, [*parts[-1], index], room):
            parts[-1].append(index)
        else:
            parts.append([0, index])
    drawn = []
    for part in parts:
        widths = _widths(table, part, room)
        if widths is None:
            return []
        drawn.append(_draw(table, dict(zip(part, widths, strict=True))))
    return drawn


def _paragraphs(table: Table) -> Iterator[RenderableType]:
    """Yield the name of each row, and under it what the row holds, with its heads."""
    for row in table.rows:
        if row[0].text:
            yield Text(f"\n{row[0].text}", style="bold")
        held = [
            Text.assemble(f"{head} ", (cell.text, cell.style))
            for head, cell in zip(table.heads[1:], row[1:], strict=True)
            if cell.text not in NOTHING
        ]
        yield Padding(Text(" · ").join(held), (0, 0, 0, 2))
    yield Text()
