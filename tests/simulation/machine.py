# SPDX-License-Identifier: MIT
"""The simulated machine: what S0 to S6 do to the segments of a run.

A run is rounds of segments in time, one of every column, in an order drawn afresh for each round.
What the design leaves open is settled here:

* Every segment has its own process noise of 0.3 % (sd of the log scale), in all machines.
* S1's sine has a period of 20 to 200 segments and a phase, drawn for each run.
* S3's noise is Student's t with 3 degrees of freedom, its scale 0.3 %. A burst segment has 2 to
  10 % more of its calls in the tail; a stalled one costs 10 to 40 % more throughout. The share of
  the fast mode moves by 1 point (sd) from segment to segment.
* S6's step comes at any segment of the run and stays.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from sockmeter.judge.arrays import FloatArray, IntArray
from tests.simulation.law import FAST_SHARE, TAIL_SHARE, Segments


class Machine(StrEnum):
    """The seven machines."""

    S0 = "S0"  # quiet
    S1 = "S1"  # sine of 3 %
    S2 = "S2"  # random walk, 0.7 % per segment
    S3 = "S3"  # heavy tails
    S4 = "S4"  # S1 + S2 at 0.5 % + S3
    S5 = "S5"  # period of two segments, 1.5 % up and down
    S6 = "S6"  # one step of 5 %


PROCESS_NOISE = 0.003
SINE = 0.03
SINE_PERIOD = (20.0, 200.0)  # segments
WALK = {Machine.S2: 0.007, Machine.S4: 0.005}
STUDENT_SCALE = 0.003
BURST_CHANCE, BURST_SHARE = 0.10, (0.02, 0.10)
STALL_CHANCE, STALL = 0.01, (0.10, 0.40)
MIX_JITTER = 0.01
RESONANCE = 0.015
STEP = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Many runs of one machine; the segments are in the columns' order, whatever ran first."""

    segments: Segments  # (runs, rounds, columns)
    position: IntArray  # (runs, rounds, columns): place of each column's segment in its round


def make_runs(
    machine: Machine,
    generator: np.random.Generator,
    *,
    runs: int,
    rounds: int,
    true_change: float = 0.0,
    columns: int = 3,
) -> Runs:
    """Draw the segments of runs of baseline, arm and A2; the arm costs 1 + `true_change` times."""
    in_time = _in_time(machine, generator, runs, rounds * columns)
    position = generator.permuted(
        np.broadcast_to(np.arange(columns), (runs, rounds, columns)).copy(), axis=2
    )
    shape = (runs, rounds, columns)
    scale, fast, tail = (
        np.take_along_axis(values.reshape(shape), position, axis=2)
        for values in (in_time.scale, in_time.fast_share, in_time.tail_share)
    )
    scale[:, :, 1] *= 1.0 + true_change
    return Runs(Segments(scale, fast, tail), position)


def _in_time(
    machine: Machine, generator: np.random.Generator, runs: int, segments: int
) -> Segments:
    shape = (runs, segments)
    log_scale = generator.normal(0.0, PROCESS_NOISE, shape)
    fast_share = np.full(shape, FAST_SHARE)
    tail_share = np.full(shape, TAIL_SHARE)
    if machine in (Machine.S1, Machine.S4):
        log_scale += _sine(generator, runs, segments)
    if machine in WALK:
        log_scale += np.cumsum(generator.normal(0.0, WALK[machine], shape), axis=1)
    if machine in (Machine.S3, Machine.S4):
        log_scale += STUDENT_SCALE * generator.standard_t(3, shape)
        is_stalled = generator.random(shape) < STALL_CHANCE
        log_scale += is_stalled * np.log1p(generator.uniform(*STALL, shape))
        is_burst = generator.random(shape) < BURST_CHANCE
        tail_share += is_burst * generator.uniform(*BURST_SHARE, shape)
        fast_share += generator.normal(0.0, MIX_JITTER, shape)
    if machine is Machine.S5:
        log_scale += np.where(np.arange(segments) % 2, RESONANCE, -RESONANCE)
    if machine is Machine.S6:
        steps = generator.integers(0, segments, (runs, 1))
        log_scale += (np.arange(segments) >= steps) * np.log1p(STEP)
    return Segments(np.exp(log_scale), fast_share, tail_share)


def _sine(generator: np.random.Generator, runs: int, segments: int) -> FloatArray:
    period = generator.uniform(*SINE_PERIOD, (runs, 1))
    phase = generator.random((runs, 1))
    return np.asarray(np.log1p(SINE * np.sin(2 * np.pi * (np.arange(segments) / period + phase))))
