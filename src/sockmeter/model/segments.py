# SPDX-License-Identifier: MIT
"""A segment: consecutive calls of one arm in one round, as the probe saw them."""

import msgspec

from sockmeter.model.buckets import BUCKET_COUNT


class Histogram(msgspec.Struct, frozen=True, kw_only=True):
    """A distribution beside that of the call; the layout of buckets is the same."""

    unit: str
    count: int
    sum: int  # exact, unit
    min: int | None  # exact, unit; None when count is 0
    max: int | None
    buckets: list[tuple[int, int]]  # (index, count), ascending, non-zero only, below 2**32


class Segment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one segment measured; clock values are in the run's unit."""

    arm: int  # index into the run's arms; the A2 copy of the baseline has the index len(arms)
    depth: int  # messages per burst
    calls: int  # measured calls made, failed ones included
    datagrams: int  # messages moved by them
    bytes: int  # payload moved by them
    failed: dict[str, int]  # errno name -> calls
    short: int  # calls that moved less than asked
    count: int  # calls recorded
    sum: int  # exact, clock units
    min: int | None  # exact; None when count is 0
    max: int | None
    over_cap_count: int  # calls above the cap
    over_cap_sum: int  # their sum, clock units
    beyond_range: int  # calls of 2**32 units or more, in no bucket
    clock_back: int  # calls that ended before they began, in no bucket
    loop: int  # clock units from first to last read, summed over bursts
    elapsed_ns: int
    thread_cpu_ns: int
    steal_ns: int | None  # None where /proc/stat could not tell
    voluntary_switches: int
    involuntary_switches: int
    cpu_start: int
    cpu_end: int
    fifo_priority: int  # 0 for SCHED_OTHER
    buckets: list[tuple[int, int]]  # (index, count), ascending, non-zero only
    counters: dict[str, int] = {}  # what else the scenario counted, unit in the name
    histograms: dict[str, Histogram] = {}  # what else it measured
    # (cost, calls in a row that took it), in order, clock units; None where they were not kept
    values: list[tuple[int, int]] | None = None


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """An arm that the kernel or the permissions refused: a row that says so, never an abort."""

    arm: int
    step: str  # the system call or rule that refused
    errno: str
    text: str


LARGEST_COUNT = 2**63 - 1


def find_flaw(segment: Segment) -> str | None:
    """Return what cannot be in a segment, or None: every reader of segments asks first."""
    numbers = {
        name: value
        for name in segment.__struct_fields__
        if isinstance(value := getattr(segment, name), int) and not name.startswith("cpu_")
    }
    places = [bucket for bucket, _ in segment.buckets]
    held = sum(calls for _, calls in segment.buckets)
    flaws = [
        (not 0 <= value <= LARGEST_COUNT, f"{name} is {value}, outside 0 … 2^63 − 1")
        for name, value in numbers.items()
    ]
    flaws += [
        (segment.calls == 0 or segment.elapsed_ns == 0, "it made no call, or took no time"),
        (
            any(calls < 0 for _, calls in [*segment.failed.items(), *segment.buckets]),
            "it counts a negative number of calls",
        ),
        (
            places != sorted(set(places)) or not all(0 <= each < BUCKET_COUNT for each in places),
            f"its buckets are not ascending within 0 … {BUCKET_COUNT - 1}",
        ),
        (
            held + segment.beyond_range != segment.count,
            f"its buckets hold {held} calls, not {segment.count}",
        ),
    ]
    return next((words for is_wrong, words in flaws if is_wrong), None)
