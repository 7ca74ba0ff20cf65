# SPDX-License-Identifier: MIT
"""What must be said of sends before their table is believed, with the command that mends it."""

from collections.abc import Iterator, Sequence

from sockmeter.judge.crossover import Crossing, find_crossing
from sockmeter.judge.sending import all_in, notified_of, occupancy_of
from sockmeter.judge.soundness import segments_of
from sockmeter.model.arms import Arm
from sockmeter.model.runs import Run
from sockmeter.report.wording import percent, plural

ALPHA = 0.05
SHOWN_READS = 2  # of how many datagrams, besides the commonest


def sending_sentences(run: Run, labels: Sequence[str]) -> Iterator[str]:
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
                "notification; more: sysctl net.core.optmem_max=1048576, or a lower --limit."
            )
        if notified.memlock_refused:
            yield (
                f"{label}: {plural(notified.memlock_refused, 'send')} would have pinned more than "
                "RLIMIT_MEMLOCK allows; more: sudo prlimit --pid $$ --memlock=unlimited."
            )
    yield from _where_notifications_are(run, labels)
    if any(_is_loose(run, index) for index in range(len(labels))):
        yield (
            "A joined notification says of its first part only whether it was copied: what is "
            "copied is known within bounds, and exactly with --limit 1."
        )
    for group, crossing in _crossings(run):
        yield f"{group}: {_crossing_words(crossing)}"


def _where_notifications_are(run: Run, labels: Sequence[str]) -> Iterator[str]:
    """Yield in which of the two tables notifications are paid for."""
    known = [notified_of(segments_of(run, index)) for index in range(len(labels))]
    if any(notified is not None and notified.look_per_send for notified in known):
        yield (
            "The first table is of the calls alone: looking for notifications is in the second, "
            "all in, whose last column compares it."
        )
    for label, notified in zip(labels, known, strict=True):
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


def _crossings(run: Run) -> Iterator[tuple[str, Crossing]]:
    """Yield the crossing of every group of arms that differ in nothing but their message's size."""
    arms = run.design.arms
    groups: dict[str, list[tuple[int, int]]] = {}
    for index, arm in enumerate(arms):
        if arm.factors.get("zerocopy", "no") != "no":
            groups.setdefault(_group(arm), []).append((_message_bytes(arm), index))
    for group, members in groups.items():
        pairs = [(size, _copying(arms, index), index) for size, index in sorted(members)]
        known = [(size, plain, index) for size, plain, index in pairs if plain is not None]
        sizes = [size for size, _, _ in known]
        differences = [
            all_in(segments_of(run, plain), segments_of(run, index), ALPHA / len(known))
            for _, plain, index in known
        ]
        found = [each for each in differences if each is not None]
        if len(found) == len(differences) > 1 and len(set(sizes)) == len(sizes):
            yield group, find_crossing(sizes, found)


def _group(arm: Arm) -> str:
    told = {"zerocopy": "read by", "limit": "limit"}
    words = [f"{told[name]} {arm.factors[name]}" for name in told if name in arm.factors]
    return f"{arm.call} {arm.factors['family']}, {', '.join(words)}"


def _message_bytes(arm: Arm) -> int:
    return int(arm.factors["size"]) * int(arm.factors.get("segments", 1))


def _copying(arms: Sequence[Arm], index: int) -> int | None:
    """Return the arm that copies and is the same in all else."""
    own = _without(arms[index])
    for other, arm in enumerate(arms):
        is_copying = arm.factors.get("zerocopy") == "no" and arm.call == arms[index].call
        if is_copying and _without(arm) == own:
            return other
    return None


def _without(arm: Arm) -> dict[str, int | str | bool]:
    return {name: value for name, value in arm.factors.items() if name not in ("zerocopy", "limit")}


def _crossing_words(crossing: Crossing) -> str:
    if crossing.high is None and crossing.low is None:
        return "whether zerocopy pays is not resolved at any of these sizes."
    if crossing.high is None:
        return f"zerocopy does not pay up to {crossing.low:,} B, and at no size here is known to."
    if crossing.low is None:
        return f"zerocopy pays from some size up to {crossing.high:,} B; below, it is not resolved."
    about = "" if crossing.estimate is None else f" about {crossing.estimate:,.0f} B,"
    return f"zerocopy pays from{about} between {crossing.low:,} and {crossing.high:,} B."
