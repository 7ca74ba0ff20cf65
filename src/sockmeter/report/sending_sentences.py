# SPDX-License-Identifier: MIT
"""What must be said of sends before their table is believed, with the command that mends it."""

from collections.abc import Iterator, Sequence

from sockmeter.judge.gains import Gains
from sockmeter.judge.sending import notified_of, occupancy_of
from sockmeter.judge.soundness import segments_of
from sockmeter.model.runs import Run
from sockmeter.report.crossover import Crossover
from sockmeter.report.wording import percent, plural

SHOWN_READS = 2  # of how many datagrams, besides the commonest


def sending_sentences(
    run: Run, gains: Gains | None, labels: Sequence[str], crossovers: Sequence[Crossover]
) -> Iterator[str]:
    """Yield sentences about refused and copied sends, and where zerocopy begins to pay."""
    for index, label in enumerate(labels):
        occupancy = occupancy_of(segments_of(run, index))
        if occupancy:
            yield f"{label}: {_occupancy_words(occupancy)}"
        notified = notified_of(segments_of(run, index))
        if notified is None:
            continue
        if notified.optmem_refused:
            yield (
                f"{label}: {plural(notified.optmem_refused, 'send')} found no option memory for a "
                "notification; more: sudo sysctl net.core.optmem_max=1048576, or a lower --limit."
            )
        if notified.memlock_refused:
            yield (
                f"{label}: {plural(notified.memlock_refused, 'send')} would have pinned more than "
                "RLIMIT_MEMLOCK allows; more: sudo prlimit --pid $$ --memlock=unlimited."
            )
    yield from _what_is_where(run, gains)
    yield from _taken_along(run, labels)
    if any(_is_loose(run, index) for index in range(len(labels))):
        yield (
            "A joined notification says of its first part only whether it was copied: what is "
            "copied is known within bounds, and exactly with --limit 1."
        )
    for crossover in crossovers:
        yield f"{crossover.group}: {crossover.words}"


def _what_is_where(run: Run, gains: Gains | None) -> Iterator[str]:
    """Yield what the first table leaves out, and how sure the verdicts all in are."""
    if gains is None:
        return
    arms = range(len(run.design.arms))
    known = [notified_of(segments_of(run, arm)) for arm in arms]
    has_looks = any(notified is not None and notified.look_per_send for notified in known)
    if any(gain.is_own_copy and gain.against for gain in gains.arms.values()):
        yield (
            "The first table sets every call against the first arm, whatever message that sends. "
            "What zerocopy gains is judged all in, against the copy of the same message."
        )
    elif has_looks:
        yield (
            "The first table is of the calls alone: looking for notifications is in the second, "
            "all in, and the third judges that."
        )
    yield (
        "A byte is judged by the mean of each round (sign test) at "
        f"{percent(1 - gains.alpha, digits=4)}: all comparisons and looks hold together at 95 %."
    )


def _taken_along(run: Run, labels: Sequence[str]) -> Iterator[str]:
    for index, label in enumerate(labels):
        notified = notified_of(segments_of(run, index))
        if notified is not None and notified.carried:
            yield (
                f"{label}: {percent(notified.carried)} of the notifications were taken along by "
                "calls, and are inside their cost."
            )


def _occupancy_words(occupancy: Sequence[tuple[int, float]]) -> str:
    """Return what reads held: `a read held 44 datagrams in 98 %, 1 in 1.5 %, others in 0.5 %`."""
    (commonest, share), *others = occupancy
    words = [f"a read held {plural(commonest, 'datagram')} in {percent(share)}"]
    words += [f"{datagrams} in {percent(part)}" for datagrams, part in others[:SHOWN_READS]]
    left = sum(part for _, part in others[SHOWN_READS:])
    if left:
        words.append(f"others in {percent(left)}")
    return f"{', '.join(words)} of the reads."


def _is_loose(run: Run, index: int) -> bool:
    notified = notified_of(segments_of(run, index))
    return notified is not None and notified.copied_least < notified.copied_most
