# SPDX-License-Identifier: MIT
"""Two instruments account for the same time, or the difference is seen."""

import pytest

from sockmeter.judge.accounting import account
from sockmeter.model.units import Unit
from tests.builders import make_clock, make_instrument, make_round, make_run, make_segment


def test_calls_are_a_share_of_the_threads_time() -> None:
    """2,600 calls of 1,000 ticks at 2.6 GHz are 1 ms: half of the 2 ms that the kernel charged."""
    segment = make_segment(0, [1000] * 2600, elapsed_ns=4_000_000, thread_cpu_ns=2_000_000)
    spent = account(make_run([make_round(1, [segment])]), 0)
    assert spent is not None
    assert 0.5 == spent.share_on_cpu
    assert 0.5 == pytest.approx(spent.share_in_calls)


def test_cycles_are_no_time() -> None:
    cycles = make_instrument(clock=make_clock(unit=Unit.CYCLES, clock_hz=None))
    spent = account(make_run([make_round(1, [make_segment(0)])], instrument=cycles), 0)
    assert spent is not None
    assert spent.share_in_calls is None


def test_dropped_rounds_account_for_nothing() -> None:
    run = make_run([make_round(1, [make_segment(0)], dropped="the clock ran back")])
    assert account(run, 0) is None


def test_steal_that_nobody_could_read_is_unknown_and_not_none() -> None:
    spent = account(make_run([make_round(1, [make_segment(0, steal_ns=None)])]), 0)
    assert spent is not None
    assert spent.steal_ns is None
