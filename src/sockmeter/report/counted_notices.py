# SPDX-License-Identifier: MIT
"""What must be said of counted zerocopy sends: whether they copied, and what is counted apart."""

from collections.abc import Iterator, Sequence

from sockmeter.judge.sending import notified_of
from sockmeter.model.counted import CountedArm

BOUNDS = " to "


def notice_sentences(arms: Sequence[CountedArm]) -> Iterator[str]:
    """Yield sentences where arms had notifications; arms are numbered from 1."""
    numbers_by_words: dict[str, list[str]] = {}
    for number, arm in enumerate(arms, start=1):
        words = _words(arm)
        if words is not None:
            numbers_by_words.setdefault(words, []).append(str(number))
    if numbers_by_words:
        shares = (f"{words} of {', '.join(them)}" for words, them in numbers_by_words.items())
        yield f"Copied by the kernel, as notifications say: {'; '.join(shares)}." + (
            " A joined one tells only of its first part: --limit 1 keeps them apart."
            if any(BOUNDS in words for words in numbers_by_words)
            else ""
        )
        yield (
            "The verdicts, and the functions behind them, are of the sends alone; looking for "
            "notifications is counted beside them, by the same clock, and is in what is all in."
        )


def _words(arm: CountedArm) -> str | None:
    notified = None if arm.segment is None else notified_of([arm.segment])
    if notified is None:
        return None
    least, most = (f"{100 * share:.3g}" for share in (notified.copied_least, notified.copied_most))
    return f"{least} %" if least == most else f"{least}{BOUNDS}{most} %"
