# SPDX-License-Identifier: MIT
"""Conducts a run: rounds in random order until a look is conclusive or the schedule is spent."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Protocol

import msgspec

from sockmeter import __version__
from sockmeter.model.environment import Environment
from sockmeter.model.errors import MachineError, OutputError, SockmeterError
from sockmeter.model.runs import Design, Ending, EndingKind, Look, Round, Run
from sockmeter.plan.designs import MOST_DROPPED
from sockmeter.plan.schedule import draw_orders
from sockmeter.rig.rigs import Rig

# So that the first bad rounds of a young run do not end it; later, too many give no verdict anyway.
DROPPED_ALLOWANCE = 3


class Sink(Protocol):
    """Where a run is kept while it grows."""

    def write_header(self, run: Run) -> None:
        """Take the run before its first round."""
        ...

    def write_round(self, finished: Round) -> None:
        """Take a finished round."""
        ...

    def write_ending(self, ending: Ending) -> None:
        """Take the ending."""
        ...


class Watcher(Protocol):
    """Who is told how far the run is."""

    def round_finished(self, kept: int, look: Look, elapsed_s: float) -> None:
        """Hear that `kept` rounds count so far, on the way to `look`."""
        ...


class Means(msgspec.Struct, frozen=True, kw_only=True):
    """What a run needs besides its design: where it happens, who judges, who listens."""

    rig: Rig
    environment: Environment
    command: str  # that reproduces the run
    is_settled: Callable[[Run], bool]  # whether the verdicts at a look end the run
    choose_cap: Callable[[Run], int]  # from round 1, clock units
    read_load: Callable[[], float | None]  # 1 min average


def conduct(design: Design, means: Means, sink: Sink, watcher: Watcher) -> Run:
    """Run the design and return all that was seen, also when it was interrupted or failed.

    Raises SockmeterError when nothing could be measured, and RunCutShortError, which carries the
    finished rounds, when the run failed later, on a full disk for instance.
    """
    started_at = _now()
    sized, instrument = means.rig.prepare(design)
    run = Run(
        rig=means.rig.name,
        started_at=started_at,
        command=means.command,
        sockmeter_version=__version__,
        design=sized,
        instrument=instrument,
        environment=means.environment,
        rounds=[],
        ending=None,
    )
    sink.write_header(run)
    try:
        ending = _run_to_its_end(run, means, sink, watcher)
        sink.write_ending(ending)
    except SockmeterError as error:
        ending = _ending(EndingKind.FAILED, error.what, means)
        if not isinstance(error, OutputError):  # the sink has just refused to take more
            sink.write_ending(ending)
        raise RunCutShortError(msgspec.structs.replace(run, ending=ending), error) from error
    return msgspec.structs.replace(run, ending=ending)


class RunCutShortError(SockmeterError):
    """A run that failed in the middle; `run` holds its finished rounds, also the unwritten."""

    def __init__(self, run: Run, cause: SockmeterError) -> None:
        super().__init__(cause.what, mend=cause.mend)
        self.exit_code = cause.exit_code
        self.run = run


def _run_to_its_end(run: Run, means: Means, sink: Sink, watcher: Watcher) -> Ending:
    try:
        return _run_looks(run, means, sink, watcher)
    except KeyboardInterrupt:
        return _ending(EndingKind.INTERRUPTED, f"after {len(run.rounds)} rounds", means)


def _run_looks(run: Run, means: Means, sink: Sink, watcher: Watcher) -> Ending:
    orders = draw_orders(len(run.design.arms), run.design.seed)
    began_s = time.monotonic()
    cap = 0
    for look in run.design.looks:
        while (kept := count_kept(run)) < look.rounds:
            finished = _run_round(run.design, means.rig, len(run.rounds) + 1, orders, cap)
            run.rounds.append(finished)
            sink.write_round(finished)
            if cap == 0 and finished.dropped is None:
                cap = means.choose_cap(run)
            _refuse_endless_dropping(run)
            _refuse_nothing(run)
            watcher.round_finished(count_kept(run), look, time.monotonic() - began_s)
        if means.is_settled(run):
            return _ending(EndingKind.SETTLED, f"at the look after {kept} rounds", means)
    return _ending(EndingKind.SPENT, f"all {run.design.looks[-1].rounds} rounds", means)


def _run_round(
    design: Design, rig: Rig, number: int, orders: Iterator[list[int]], cap: int
) -> Round:
    order = next(orders)
    started_ns = time.monotonic_ns()
    outcome = rig.run_round(design, order, cap)
    return Round(
        number=number,
        order=order,
        started_ns=started_ns,
        cap=cap,
        segments=outcome.segments,
        refusals=outcome.refusals,
        dropped=outcome.dropped,
    )


def count_kept(run: Run) -> int:
    """Return the number of rounds that count."""
    return sum(finished.dropped is None for finished in run.rounds)


def _refuse_endless_dropping(run: Run) -> None:
    dropped = [finished.dropped for finished in run.rounds if finished.dropped is not None]
    if len(dropped) > DROPPED_ALLOWANCE + MOST_DROPPED * len(run.rounds):
        raise MachineError(
            f"{len(dropped)} of {len(run.rounds)} rounds had to be dropped, the last because "
            f"{dropped[-1]}",
            mend="see: sockmeter doctor",
        )


def _refuse_nothing(run: Run) -> None:
    """Raise MachineError for a round in which every arm was refused: the next is no different."""
    last = run.rounds[-1]
    if last.dropped is None and not last.segments:
        refusal = last.refusals[0]
        raise MachineError(
            f"every arm is refused here, the first at {refusal.step}: {refusal.text}",
            mend="its row says more, and what moves the limit",
        )


def _ending(kind: EndingKind, detail: str, means: Means) -> Ending:
    return Ending(kind=kind, detail=detail, finished_at=_now(), load_1min=means.read_load())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
