# SPDX-License-Identifier: MIT
"""The table that a kernel developer pastes into a commit message: plain ASCII, 72 columns."""

import textwrap
from collections.abc import Sequence

from sockmeter.judge.verdict import Word
from sockmeter.model.errors import JudgementError
from sockmeter.report.view import Difference, Row, View
from sockmeter.report.wording import clock_noun

WIDTH = 72
ASCII = str.maketrans({"−": "-", "±": "+-", "×": "x", "–": "-", "·": ",", "∞": "inf", "µ": "u"})


def draw_commit(view: View) -> str:
    """Return the table, its basis, the machine and the command.

    Raises JudgementError, saying why, for a run that proves nothing.
    """
    if view.doubts:
        raise JudgementError(
            f"no table for a commit message: {'; '.join(view.doubts)}", mend="measure again"
        )
    title = ", ".join(part for part in (view.scenario, view.shared) if part)
    lines = [
        *_wrap(f"{title}: {clock_noun(view.clock, view.unit)} per call (midmean)"),
        "",
        *_align([_heads(view), *(_row(row) for row in view.rows if row.summary or row.refused)]),
        "",
        *_wrap(f"{view.basis}; {_confidence(view)}"),
        *(line for setting in view.setting.splitlines() for line in _wrap(setting)),
        "",
        *(line for command in view.command.splitlines() for line in _wrap_command(command)),
    ]
    return "\n".join(line.rstrip() for line in lines).translate(ASCII) + "\n"


def _heads(view: View) -> list[str]:
    return ["call", str(view.unit), "change", "interval", "verdict"]


def _row(row: Row) -> list[str]:
    if row.summary is None:
        return [row.label, "-", "", "", "refused"]
    cost = row.summary.midmean if row.per_message is None else row.per_message
    label = row.label if row.per_message is None else f"{row.label}, per message"
    return [label, f"{cost:.0f}", *_difference(row.difference, row.role)]


def _difference(difference: Difference | None, role: str) -> list[str]:
    if difference is None or difference.estimate is None:
        return ["", "", role]
    low, high = _percent(difference.low), _percent(difference.high)
    return [_percent(difference.estimate), f"[{low}, {high}]", _short(difference.verdict)]


def _percent(fraction: float | None) -> str:
    return "inf" if fraction is None else f"{100 * fraction:+.1f}%"


def _short(word: Word) -> str:
    return "same" if word is Word.NO_DIFFERENCE else str(word)


def _confidence(view: View) -> str:
    alphas = [row.difference.alpha for row in view.rows if row.difference and row.difference.alpha]
    if not alphas:
        return "nothing compared"
    same = f'; "same" is within +-{100 * view.effect:g}%'
    is_used = any(
        row.difference and row.difference.verdict is Word.NO_DIFFERENCE for row in view.rows
    )
    return f"{100 * (1 - min(alphas)):.3g}% intervals{same if is_used else ''}"


def _align(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return indented rows within 72 columns; the first column gives way where they do not fit."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    widths[0] = min(widths[0], WIDTH - 2 - sum(widths[1:]) - 2 * (len(widths) - 1))
    lines = []
    for row in rows:
        first, *others = textwrap.wrap(row[0], max(widths[0], 8)) or [""]
        numbers = [
            cell.rjust(width) if column < 3 else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row[1:], widths[1:], strict=True))
        ]
        lines.append("  " + "  ".join([first.ljust(widths[0]), *numbers]))
        lines += [f"    {other}" for other in others]
    return lines


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent="  ")


def _wrap_command(command: str) -> list[str]:
    lines = textwrap.wrap(
        command, WIDTH - 4, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return [*(f"  {line} \\" for line in lines[:-1]), f"  {lines[-1]}"]
