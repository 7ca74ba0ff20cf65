# SPDX-License-Identifier: MIT
"""Work of a known size injected inside the timed region: what the self-test measures."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol

from sockmeter import __version__
from sockmeter.judge.selftest import size_injections
from sockmeter.model.environment import Environment
from sockmeter.model.errors import MachineError
from sockmeter.model.runs import Design, Round, Run
from sockmeter.model.selftests import Injection
from sockmeter.plan.designs import Request, make_design
from sockmeter.plan.schedule import draw_orders
from sockmeter.rig.rigs import Rig

NOMINAL = (0.01, 0.02, 0.05)
# Multiplies: none, a few (entering the chain costs something too), and so many more that a slope of
# several times the call is exact.
CALIBRATION_WORK = (0, 10, 2_010)
CALIBRATION_ROUNDS = 30


class Clockwatcher(Protocol):
    """Who is told how long it has taken."""

    def advance_to(self, elapsed_s: float) -> None:
        """Hear how much of the time is over."""
        ...


def calibrate(rig: Rig, call: str, seed: int) -> list[Injection]:
    """Return how many multiplies make 1, 2 and 5 % of the call, and what they really cost.

    Raises MachineError where the call cannot be measured here.
    """
    run = _start(rig, _design(call, CALIBRATION_WORK, seed))
    orders = draw_orders(len(run.design.arms), seed)
    for number in range(1, CALIBRATION_ROUNDS + 1):
        run.rounds.append(_one_round(rig, run.design, next(orders), number))
    return size_injections(run, CALIBRATION_WORK, NOMINAL)


def measure(
    rig: Rig,
    call: str,
    injections: Sequence[Injection],
    *,
    seed: int,
    length_s: float,
    watcher: Clockwatcher,
) -> Run:
    """Run rounds of the plain call, each injection and the copy for `length_s` seconds.

    Ctrl-C ends it early; every finished round is in the run.
    """
    work = [0, *(injection.multiplies for injection in injections)]
    run = _start(rig, _design(call, work, seed))
    orders = draw_orders(len(run.design.arms), seed)
    began_s = time.monotonic()
    try:
        while (elapsed_s := time.monotonic() - began_s) < length_s:
            watcher.advance_to(elapsed_s)
            run.rounds.append(_one_round(rig, run.design, next(orders), len(run.rounds) + 1))
    except KeyboardInterrupt:
        pass
    return run


def _design(call: str, work: Sequence[int], seed: int) -> Design:
    factors = {"work": [str(multiplies) for multiplies in work]}
    return make_design(Request(scenario="recv", call=[call], factors=factors, seed=seed))


def _start(rig: Rig, design: Design) -> Run:
    sized, instrument = rig.prepare(design)
    return Run(
        rig=rig.name,
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        command="sockmeter selftest",
        sockmeter_version=__version__,
        design=sized,
        instrument=instrument,
        environment=Environment(facts={}),
        rounds=[],
        ending=None,
    )


def _one_round(rig: Rig, design: Design, order: list[int], number: int) -> Round:
    started_ns = time.monotonic_ns()
    outcome = rig.run_round(design, order, 0)
    if outcome.refusals:
        refusal = outcome.refusals[0]
        raise MachineError(f"{design.arms[0].call} is refused here: {refusal.step}: {refusal.text}")
    return Round(
        number=number,
        order=order,
        started_ns=started_ns,
        cap=0,
        segments=outcome.segments,
        refusals=[],
        dropped=outcome.dropped,
    )
