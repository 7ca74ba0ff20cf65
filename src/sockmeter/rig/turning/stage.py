# SPDX-License-Identifier: MIT
"""What an arm finds when its segment begins: its sink, and sysctls, offloads and MTU as it says."""

import errno
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Protocol, Self

from sockmeter.model.arms import Arm
from sockmeter.plan import outbound
from sockmeter.plan.arms import machine_settings
from sockmeter.plan.factors import SYSCTL
from sockmeter.plan.sinks import SINKS, Sink, find_sink
from sockmeter.rig.sinks import NamespaceRefusedError, open_namespace
from sockmeter.rig.sinks.protocol import FindSysctl, MakeSink, Request
from sockmeter.rig.sinks.sysctls import sysctl_path
from sockmeter.rig.turning.journal import Journal
from sockmeter.rig.turning.machine import MachineSettings
from sockmeter.rig.turning.requests import DROPPING, Value, turning, undoing
from sockmeter.rig.turning.undisturbed import undisturbed


class PrivateNetwork(Protocol):
    """A network namespace as the stage uses it; `rig.sinks.Namespace` is one."""

    descriptors: list[int]

    def ask(self, request: Request) -> str:
        """Have something done inside; return the value before. Raises NamespaceRefusedError."""
        ...

    def close(self) -> None:
        """Let it go."""
        ...


class Stage:
    """Sinks in a private namespace, and what can be turned there or on the machine.

    `refusals` says for each sink that could not be made why; without a namespace that is all of
    them but loopback, which is then the machine's own.
    """

    def __init__(
        self,
        namespace: PrivateNetwork | None,
        refusals: Mapping[str, NamespaceRefusedError],
        journal: Journal,
        *,
        is_staged: bool = True,
    ) -> None:
        self.is_staged = is_staged  # whether any arm asks for a sink
        self._namespace = namespace
        self.refusals = refusals
        self._machine = MachineSettings(journal)

    @property
    def namespaces(self) -> Sequence[int]:
        """Descriptors that the probe joins, in order."""
        return self._namespace.descriptors if self._namespace else []

    @property
    def is_private(self) -> bool:
        """Whether there is a namespace of our own."""
        return self._namespace is not None

    def best_sink(self) -> str:
        """Return the first sink of the table that could be made."""
        return next(sink.name for sink in SINKS if sink.name not in self.refusals)

    def why_not(self, arm: Arm) -> NamespaceRefusedError | None:
        """Return why the arm has no sink here; None where it has, or needs none."""
        if arm.scenario not in outbound.SCENARIOS or arm.call == "null":
            return None
        return self.refusals.get(outbound.sink_of(arm, self.best_sink()))

    def settings(self, arm: Arm) -> dict[str, Value]:
        """Return what is turned for the arm, by name: what differs in it shares no process."""
        settings = machine_settings(arm)
        if arm.scenario in outbound.SCENARIOS and arm.call != "null" and self._sink(arm).is_shared:
            settings[DROPPING] = True
        return settings

    @contextmanager
    def turned(self, arm: Arm) -> Iterator[None]:
        """Turn what the arm's factors say for as long as the block lasts, then put it back.

        Raises NamespaceRefusedError, with all as it was, where something cannot be turned.
        """
        with ExitStack() as stack:
            for name, value in self.settings(arm).items():
                stack.enter_context(self._turned(arm, name, value))
            yield

    @contextmanager
    def _turned(self, arm: Arm, name: str, value: Value) -> Iterator[None]:
        if name.startswith(SYSCTL) and not self._has_sysctl(name.removeprefix(SYSCTL)):
            path = sysctl_path(name.removeprefix(SYSCTL))
            with self._machine.turned(path, str(value)):
                yield
            return
        request = turning(self._sink(arm).device, name, value)
        is_turned, old = False, ""
        try:
            with undisturbed():
                old = self._ask(request)
                is_turned = True
            yield
        finally:
            if is_turned:
                with undisturbed():
                    self._ask(undoing(request, old))

    def _sink(self, arm: Arm) -> Sink:
        return find_sink(outbound.sink_of(arm, self.best_sink()))

    def _ask(self, request: Request) -> str:
        if self._namespace is None:
            raise NamespaceRefusedError(
                "namespace", errno.EPERM, "there is no private network to turn it in"
            )
        return self._namespace.ask(request)

    def _has_sysctl(self, name: str) -> bool:
        """Say whether our network has a sysctl of this name, apart from the machine's."""
        if self._namespace is None or not name.startswith("net."):
            return False
        return bool(self._namespace.ask(FindSysctl(name)))

    def close(self) -> None:
        """Let the namespace go, and what the run has turned on the machine."""
        self._machine.close()
        if self._namespace is not None:
            self._namespace.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_stage(arms: Sequence[Arm], journal: Journal) -> Stage:
    """Return the stage that the arms need: a namespace with sinks only where one of them does."""
    if not any(arm.scenario in outbound.SCENARIOS for arm in arms):
        return Stage(None, {}, journal, is_staged=False)
    try:
        namespace = open_namespace()
    except NamespaceRefusedError as error:
        return Stage(None, {sink.name: error for sink in SINKS if sink.name != "loopback"}, journal)
    refusals = {}
    for sink in SINKS:
        try:
            namespace.ask(MakeSink(sink.name))
        except NamespaceRefusedError as error:
            refusals[sink.name] = error
    return Stage(namespace, refusals, journal)
