# SPDX-License-Identifier: MIT
"""Runs with known costs, judged and made into views."""

from typing import Any

import numpy as np

from sockmeter.judge.assess import Assessment, assess
from sockmeter.model.runs import Run
from sockmeter.model.segments import Refusal, Segment
from sockmeter.report.view import View, make_view
from tests.builders import (
    make_arm,
    make_clock,
    make_design,
    make_instrument,
    make_round,
    make_run,
    make_segment,
)


def draw_costs(generator: np.random.Generator, level: float) -> list[int]:
    """Draw 500 costs around a level: a narrow body and one call in fifty that frees a batch."""
    body = generator.normal(level, 0.02 * level, 500)
    body[::50] += 1500
    return [int(cost) for cost in body]


def make_receive_run(**fields: Any) -> Run:
    """Make 20 rounds: recvfrom, recvmsg 15 % dearer, recvmmsg refused, and the empty bracket."""
    generator = np.random.default_rng(5)
    refusal = Refusal(arm=2, step="call", errno="ENOSYS", text="Function not implemented")
    rounds = []
    for number in range(1, 21):
        segments = [
            make_segment(0, draw_costs(generator, 1040)),
            make_segment(1, draw_costs(generator, 1196)),
            _bracket(3),
            make_segment(4, draw_costs(generator, 1040)),
        ]
        order = list(range(5))
        rounds.append(make_round(number, segments, order=order, refusals=[refusal]))
    arms = [make_arm("recvfrom", name=True), make_arm("recvmsg", name=True)]
    arms += [make_arm("recvmmsg", name=True, batch=8), make_arm("null")]
    defaults: dict[str, Any] = {
        "design": make_design(arms=arms, calls=500),
        "instrument": make_instrument(clock=make_clock(quantum=2)),
    }
    return make_run(**({"rounds": rounds} | defaults | fields))


def _bracket(arm: int) -> Segment:
    return make_segment(arm, [52] * 500)


def make_receive_view(**fields: Any) -> tuple[Run, Assessment, View]:
    run = make_receive_run(**fields)
    assessment = assess(run)
    return run, assessment, make_view(run, assessment)
