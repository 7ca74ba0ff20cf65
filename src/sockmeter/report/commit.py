# SPDX-License-Identifier: MIT
"""The table that a kernel developer pastes into a commit message: plain ASCII, 72 columns."""

from sockmeter.judge.verdict import Word
from sockmeter.model.errors import JudgementError
from sockmeter.report.commit_lines import ASCII, align, wrap, wrap_command
from sockmeter.report.differences import Difference
from sockmeter.report.view import Row, View
from sockmeter.report.wording import clock_noun


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
        *wrap(f"{title}: {clock_noun(view.clock, view.unit)} per call (midmean)"),
        "",
        *align([_heads(view), *(_row(row) for row in view.rows if row.summary or row.refused)]),
        "",
        *wrap(f"{view.basis}; {_confidence(view)}"),
        *(line for setting in view.setting.splitlines() for line in wrap(setting)),
        "",
        *(line for command in view.command.splitlines() for line in wrap_command(command)),
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
