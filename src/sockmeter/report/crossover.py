# SPDX-License-Identifier: MIT
"""What zerocopy gains, message size by message size, and the size from which it pays."""

from collections.abc import Iterator, Sequence

import msgspec

from sockmeter.judge.crossover import Crossing, find_crossing
from sockmeter.judge.gains import Gains
from sockmeter.judge.verdict import Verdict
from sockmeter.model.arms import Arm
from sockmeter.report.differences import STYLES, Difference, difference_words, make_difference
from sockmeter.report.labels import spell
from sockmeter.report.tables import Cell, Table

SIZE_FACTORS = frozenset({"size", "segments"})
NAMED_FACTORS = {"family": "", "zerocopy": "read by ", "limit": "limit "}  # of every group, and how


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


def make_crossovers(arms: Sequence[Arm], gains: Gains | None) -> list[Crossover]:
    """Return the groups that have two sizes or more; each arm is in one of them at most."""
    if gains is None:
        return []
    judged = [row for row, gain in gains.arms.items() if gain.is_own_copy]
    groups: dict[tuple[str, frozenset[tuple[str, object]]], list[int]] = {}
    for row in sorted(judged, key=lambda at: _message_bytes(arms[at])):
        factors = arms[row].factors.items()
        common = frozenset((name, value) for name, value in factors if name not in SIZE_FACTORS)
        groups.setdefault((arms[row].call, common), []).append(row)
    varying = _varying([arms[row] for row in judged])
    return [
        _crossover(_group_words(arms[rows[0]], varying), arms, gains, rows)
        for rows in groups.values()
        if len({_message_bytes(arms[row]) for row in rows}) > 1
    ]


def rows_in(crossovers: Sequence[Crossover]) -> frozenset[int]:
    """Return the rows of the first table that the groups hold, both copies and zerocopy."""
    held = [row for crossover in crossovers for row in crossover.rows]
    return frozenset(at for row in held for at in (row.copy_row, row.zerocopy_row))


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
        return f"zerocopy pays from {crossing.high:,} B on; whether below is not resolved."
    about = "" if crossing.estimate is None else f"; about {_rounded(crossing.estimate):,} B"
    return f"zerocopy pays from a size between {crossing.low:,} and {crossing.high:,} B on{about}."


def _rounded(estimate: float) -> int:
    """Return two significant digits: sizes that were tried lie further apart."""
    unit: int = 10 ** max(len(f"{estimate:.0f}") - 2, 0)
    return round(estimate / unit) * unit


def _cells(row: SizeRow, has_datagrams: bool) -> Iterator[Cell]:
    yield Cell(f"{row.message_bytes:,} B")
    if has_datagrams:
        yield Cell(f"{row.datagrams:,}")
    yield Cell(f"{row.copy_per_byte:.4f}")
    yield Cell(f"{row.zerocopy_per_byte:.4f}")
    yield Cell(difference_words(row.difference) or "–")
    yield Cell(row.difference.words, STYLES[row.difference.verdict])


def _crossover(group: str, arms: Sequence[Arm], gains: Gains, rows: Sequence[int]) -> Crossover:
    """Return zerocopy arms that rise in size, and the crossing where it can be told."""
    sizes = [_message_bytes(arms[row]) for row in rows]
    crossing, words = _crossing(sizes, [gains.arms[row].verdict for row in rows])
    return Crossover(
        group=group,
        rows=[_size_row(arms[row], row, gains) for row in rows],
        crossing=crossing,
        words=words,
    )


def _crossing(sizes: Sequence[int], verdicts: Sequence[Verdict]) -> tuple[Crossing | None, str]:
    reason = next((verdict.reason for verdict in verdicts if verdict.reason is not None), None)
    if reason is not None:
        return None, f"from which size zerocopy pays is undecided: {reason}."
    if len(set(sizes)) < len(sizes):
        return None, "two kinds of message have one size: none is looked for that pays."
    intervals = [verdict.interval for verdict in verdicts if verdict.interval is not None]
    crossing = find_crossing(sizes, intervals)
    return crossing, crossing_words(crossing)


def _size_row(arm: Arm, row: int, gains: Gains) -> SizeRow:
    gain = gains.arms[row]
    return SizeRow(
        message_bytes=_message_bytes(arm),
        datagrams=int(arm.factors.get("segments", 1)),
        copy_row=gain.against,
        zerocopy_row=row,
        copy_per_byte=gains.per_byte[gain.against],
        zerocopy_per_byte=gains.per_byte[row],
        difference=make_difference(gain.verdict),
    )


def _message_bytes(arm: Arm) -> int:
    return int(arm.factors["size"]) * int(arm.factors.get("segments", 1))


def _group_words(arm: Arm, varying: Sequence[str]) -> str:
    """Return `send-gso udp4, read by poll, limit 32`, and what else tells it from other groups."""
    told = [
        f"{how}{arm.factors[name]}" for name, how in NAMED_FACTORS.items() if name in arm.factors
    ]
    told += [f"{name} {spell(arm.factors[name])}" for name in varying if name in arm.factors]
    return f"{arm.call} {', '.join(told)}"


def _varying(arms: Sequence[Arm]) -> list[str]:
    """Return the factors besides those that are told anyway of which two arms disagree."""
    names = dict.fromkeys(name for arm in arms for name in arm.factors)
    return [
        name
        for name in names
        if name not in NAMED_FACTORS
        and name not in SIZE_FACTORS
        and len({arm.factors[name] for arm in arms if name in arm.factors}) > 1
    ]
