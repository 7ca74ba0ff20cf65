# SPDX-License-Identifier: MIT
"""A run goes on until a look settles it, and whatever ends it keeps the finished rounds."""

from collections.abc import Callable

import pytest

from sockmeter.model.environment import Environment
from sockmeter.model.errors import MachineError, OutputError
from sockmeter.model.runs import Ending, EndingKind, Look, Round, Run
from sockmeter.rig.conduct import Means, RunCutShortError, conduct
from sockmeter.rig.host import HostRig
from tests.builders import make_design
from tests.rig.fake_probe import FakeProbe


class Memory:
    """A sink that keeps what it is given, and a watcher that may interrupt."""

    def __init__(self, *, fail_at: int | None = None, interrupt_at: int | None = None) -> None:
        self.header: Run | None = None
        self.rounds: list[Round] = []
        self.ending: Ending | None = None
        self.fail_at = fail_at
        self.interrupt_at = interrupt_at

    def write_header(self, run: Run) -> None:
        self.header = run

    def write_round(self, finished: Round) -> None:
        if finished.number == self.fail_at:
            raise OutputError("No space left on device")
        self.rounds.append(finished)

    def write_ending(self, ending: Ending) -> None:
        self.ending = ending

    def round_finished(self, kept: int, look: Look, elapsed_s: float) -> None:
        if kept == self.interrupt_at:
            raise KeyboardInterrupt


def make_means(probe: FakeProbe, is_settled: Callable[[Run], bool] = lambda run: False) -> Means:
    return Means(
        rig=HostRig(probe, cpu=1),
        environment=Environment(facts={}),
        command="sockmeter run recv",
        is_settled=is_settled,
        choose_cap=lambda run: 10_000,
        read_load=lambda: 0.5,
    )


def make_probe() -> FakeProbe:
    return FakeProbe(lambda _: [1000] * 100)


def run_with(memory: Memory, means: Means) -> Run:
    return conduct(make_design(), means, memory, memory)


def test_a_run_stops_at_the_first_look_that_settles_it() -> None:
    memory = Memory()
    run = run_with(memory, make_means(make_probe(), lambda run: len(run.rounds) >= 40))
    assert 40 == len(run.rounds) == len(memory.rounds)
    assert run.ending == memory.ending
    assert run.ending is not None
    assert (EndingKind.SETTLED, "at the look after 40 rounds") == (
        run.ending.kind,
        run.ending.detail,
    )


def test_a_run_that_no_look_settles_spends_its_schedule() -> None:
    run = run_with(Memory(), make_means(make_probe()))
    assert 80 == len(run.rounds)


def test_nothing_but_a_look_asks_whether_the_run_is_settled() -> None:
    """Asking after every round would double the false verdicts."""
    asked = []

    def is_settled(run: Run) -> bool:
        asked.append(len(run.rounds))
        return False

    run_with(Memory(), make_means(make_probe(), is_settled))
    assert [20, 40, 80] == asked


def test_dropped_rounds_are_replaced_and_counted() -> None:
    """Two dead probes cost two rounds; the look still has its twenty."""
    probe = make_probe()
    probe.fail_on = {3, 9}
    run = run_with(Memory(), make_means(probe, lambda run: True))
    assert 22 == len(run.rounds)
    assert 2 == sum(finished.dropped is not None for finished in run.rounds)


def test_a_machine_that_drops_every_round_ends_the_run() -> None:
    probe = make_probe()
    probe.fail_on = set(range(1, 1000))
    memory = Memory()
    with pytest.raises(RunCutShortError, match="had to be dropped") as caught:
        run_with(memory, make_means(probe))
    assert MachineError.exit_code == caught.value.exit_code
    assert memory.ending is not None
    assert EndingKind.FAILED is memory.ending.kind


def test_the_cap_is_frozen_after_the_first_round() -> None:
    run = run_with(Memory(), make_means(make_probe(), lambda run: True))
    assert [0] + [10_000] * 19 == [finished.cap for finished in run.rounds]


def test_ctrl_c_keeps_every_finished_round() -> None:
    memory = Memory(interrupt_at=7)
    run = run_with(memory, make_means(make_probe()))
    assert 7 == len(run.rounds) == len(memory.rounds)
    assert memory.ending is not None
    assert EndingKind.INTERRUPTED is memory.ending.kind


def test_a_full_disk_loses_no_round_that_was_measured() -> None:
    """The error carries the run, the round that did not fit included."""
    with pytest.raises(RunCutShortError, match="No space left") as caught:
        run_with(Memory(fail_at=5), make_means(make_probe()))
    assert 5 == len(caught.value.run.rounds)
    assert OutputError.exit_code == caught.value.exit_code


def test_a_run_in_which_every_arm_is_refused_ends_at_once() -> None:
    probe = make_probe()
    probe.refused = {"recvfrom", "recvmsg"}
    with pytest.raises(RunCutShortError, match="every arm is refused here") as caught:
        run_with(Memory(), make_means(probe))
    assert "its row says more, and what moves the limit" == caught.value.mend
    assert 1 == len(caught.value.run.rounds)
    assert MachineError.exit_code == caught.value.exit_code
