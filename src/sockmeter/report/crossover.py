# SPDX-License-Identifier: MIT
"""What zerocopy gains, message size by message size, and the size from which it pays."""

from collections.abc import Iterator, Sequence

import msgspec

from sockmeter.judge.assess import Assessment
from sockmeter.judge.crossover import Crossing, find_crossing
from sockmeter.judge.gains import Gain
from sockmeter.judge.verdict import Verdict
from sockmeter.model.arms import Arm
from sockmeter.model.runs import Run
from sockmeter.report.all_in import AllIn, make_all_in
from sockmeter.report.differences import STYLES, Difference, difference_words
from sockmeter.report.labels import spell
from sockmeter.report.tables import Cell, Table

OF_A_MESSAGE = frozenset({"size", "segments"})
TOLD = {"family": "", "zerocopy": "read by ", "limit": "limit "}  # of every group, and how


class SizeRow(msgspec.Struct, frozen=True, kw_only=True):
    """One message size: the copying send, and the same with zerocopy."""

    message_bytes: int
    datagrams: int  # that a message is cut into
    copy_row: int  # the rows of the first table that these are
    zerocopy_row: int
    copy_per_byte: float  # in the view's unit, of the median round
    zerocopy_per_byte: float
    difference: Difference  # of a byte's cost


class Crossover(msgspec.Struct, frozen=True, kw_only=True):
    """Arms that differ in nothing but their message's size, each beside its copy."""

    group: str  # what they have in common
    rows: list[SizeRow]  # by size
    crossing: Crossing | None  # bytes of a message from which zerocopy pays; None: undecided
    words: str


def make_crossovers(run: Run, assessment: Assessment) -> list[Crossover]:
    """Return the groups that have two sizes or more; each arm is in one of them at most."""
    arms = run.design.arms
    known = [make_all_in(run, assessment, index) for index in range(len(arms))]
    judged = {index: all_in for index, all_in in enumerate(known) if all_in and all_in.is_own_copy}
    groups: dict[tuple[str, frozenset[tuple[str, object]]], list[int]] = {}
    for index in sorted(judged, key=lambda at: _message_bytes(arms[at])):
        common = {key: it for key, it in arms[index].factors.items() if key not in OF_A_MESSAGE}
        groups.setdefault((arms[index].call, frozenset(common.items())), []).append(index)
    varying = _varying([arms[index] for index in judged])
    return [
        _crossover(
            _group_words(arms[members[0]], varying),
            [_size_row(arms[index], index, judged[index]) for index in members],
            [gain.verdict for gain in _gains(assessment, members)],
        )
        for members in groups.values()
        if len({_message_bytes(arms[index]) for index in members}) > 1
    ]


def crossover_table(crossover: Crossover, unit: str) -> Table:
    """Return the table of a group, one row a size."""
    has_datagrams = any(row.datagrams > 1 for row in crossover.rows)
    heads = ["message", *(["datagrams"] if has_datagrams else [])]
    heads += [f"copy\n{unit}/B", f"zerocopy\n{unit}/B", "zerocopy against\nthe copy", "verdict"]
    return Table(
        title=f"A byte all in, median round: {crossover.group}",
        columns=heads,
        rows=[list(_cells(row, has_datagrams)) for row in crossover.rows],
        wordy=frozenset({len(heads) - 1}),
    )


def crossing_words(crossing: Crossing) -> str:
    """Return the size from which zerocopy pays, in words."""
    if crossing.high is None and crossing.low is None:
        return "whether zerocopy pays is not resolved at any of these sizes."
    if crossing.high is None:
        return f"zerocopy does not pay up to {crossing.low:,} B, and at no size here is known to."
    if crossing.low is None:
        return f"zerocopy pays from some size up to {crossing.high:,} B; below, it is not resolved."
    about = "" if crossing.estimate is None else f" about {crossing.estimate:,.0f} B,"
    return f"zerocopy pays from{about} between {crossing.low:,} and {crossing.high:,} B."


def _cells(row: SizeRow, has_datagrams: bool) -> Iterator[Cell]:
    yield Cell(f"{row.message_bytes:,} B")
    if has_datagrams:
        yield Cell(f"{row.datagrams:,}")
    yield Cell(f"{row.copy_per_byte:.4f}")
    yield Cell(f"{row.zerocopy_per_byte:.4f}")
    yield Cell(difference_words(row.difference) or "–")
    yield Cell(row.difference.words, STYLES[row.difference.verdict])


def _gains(assessment: Assessment, members: Sequence[int]) -> Iterator[Gain]:
    for index in members:
        gain = assessment.gains.arms[index] if assessment.gains else None
        if gain is not None:
            yield gain


def _crossover(group: str, rows: list[SizeRow], verdicts: Sequence[Verdict]) -> Crossover:
    """Return the table of rows that rise in size, and the crossing where it can be told."""
    crossing, words = _crossing([row.message_bytes for row in rows], verdicts)
    return Crossover(group=group, rows=rows, crossing=crossing, words=words)


def _crossing(sizes: Sequence[int], verdicts: Sequence[Verdict]) -> tuple[Crossing | None, str]:
    reason = next((verdict.reason for verdict in verdicts if verdict.reason is not None), None)
    if reason is not None:
        return None, f"from which size zerocopy pays is undecided: {reason}."
    if len(set(sizes)) < len(sizes):
        return None, "two kinds of message have one size: none is looked for that pays."
    intervals = [verdict.interval for verdict in verdicts if verdict.interval is not None]
    crossing = find_crossing(sizes, intervals)
    return crossing, crossing_words(crossing)


def _size_row(arm: Arm, row: int, all_in: AllIn) -> SizeRow:
    return SizeRow(
        message_bytes=_message_bytes(arm),
        datagrams=int(arm.factors.get("segments", 1)),
        copy_row=all_in.baseline_row,
        zerocopy_row=row,
        copy_per_byte=all_in.baseline_per_byte,
        zerocopy_per_byte=all_in.per_byte,
        difference=all_in.difference,
    )


def _message_bytes(arm: Arm) -> int:
    return int(arm.factors["size"]) * int(arm.factors.get("segments", 1))


def _group_words(arm: Arm, varying: Sequence[str]) -> str:
    """Return `send-gso udp4, read by poll, limit 32`, and what else tells it from other groups."""
    told = [f"{how}{arm.factors[name]}" for name, how in TOLD.items() if name in arm.factors]
    told += [f"{name} {spell(arm.factors[name])}" for name in varying if name in arm.factors]
    return f"{arm.call} {', '.join(told)}"


def _varying(arms: Sequence[Arm]) -> list[str]:
    """Return the factors besides those that are told anyway of which two arms disagree."""
    names = dict.fromkeys(name for arm in arms for name in arm.factors)
    return [
        name
        for name in names
        if name not in TOLD
        and name not in OF_A_MESSAGE
        and len({arm.factors[name] for arm in arms if name in arm.factors}) > 1
    ]
