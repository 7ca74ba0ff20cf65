# SPDX-License-Identifier: MIT
"""The exact rig: arms counted in guests, one boot for all arms that share one."""

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from contextlib import contextmanager
from typing import TypeVar

import msgspec

from sockmeter.guest.boot import Guest, Limits, boot
from sockmeter.guest.devices import Device
from sockmeter.guest.errors import BadModulesError, BootError
from sockmeter.guest.kernels import Kernel
from sockmeter.guest.plugin import find_plugin
from sockmeter.guest.prepare import kernel_symbols, probe_symbols
from sockmeter.guest.qemu import Qemu, kernel_command_line
from sockmeter.guest.quirks import starts_one_cpu_only
from sockmeter.guest.symbols import SymbolTable
from sockmeter.model.arms import Arm
from sockmeter.model.counted import Boot, CountedArm, CountedKernel
from sockmeter.model.errors import PlanError
from sockmeter.model.runs import Design
from sockmeter.plan.outbound import with_sink
from sockmeter.plan.pacing import is_paced
from sockmeter.plan.places import Place, arms_in_places
from sockmeter.plan.sinks import SINKS, Sink, own_networks
from sockmeter.rig.exact_arms import read_arms
from sockmeter.rig.probe import LocalProbe
from sockmeter.rig.wire import encode_plan

LOOPBACK = "lo"

Job = TypeVar("Job")
Result = TypeVar("Result")


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """What the boots brought."""

    kernels: list[CountedKernel]
    boots: list[Boot]
    arms: list[CountedArm]
    probe_sha256: str
    proved_calls: int


class ExactRig:
    """Counts the instructions of calls in emulated guests."""

    def __init__(
        self,
        emulator: Qemu,
        probe: LocalProbe,
        *,
        workers: int,
        limits: Limits,
        said: Callable[[str], None],
    ) -> None:
        self._emulator = emulator
        self._plugin = find_plugin(emulator.plugin_interface)
        self._probe = probe.path.read_bytes()
        self._probe_symbols = probe_symbols(self._probe, probe.path)
        self._workers = workers
        self._limits = limits
        self._said = said  # hears what happens

    def count(self, design: Design, places: Sequence[Place], kernels: dict[str, Kernel]) -> Counted:
        """Count every arm of `design` in every place.

        `kernels` has those of the places by the words they were asked for. Boots run at the same
        time, as many as there are workers; the first that fails ends the others, and its error is
        raised. Nothing of an unfinished boot is left, also when this is interrupted. An arm that
        leaves its sink to us has the best that all kernels have.
        """
        best = best_sink([*kernels.values()])
        design = msgspec.structs.replace(design, arms=[with_sink(arm, best) for arm in design.arms])
        rows = arms_in_places(design.arms, places)
        names = list(dict.fromkeys(place.kernel for place in places))
        boots = [self._describe(place, kernels[place.kernel], names) for place in places]
        for described in boots:
            _refuse_absent_cpus(design.arms, described.smp)
        stop = threading.Event()
        different = list({kernel.id: kernel for kernel in kernels.values()}.values())
        with ThreadPoolExecutor(self._workers) as executor:
            tables = _run_all(executor, stop, lambda kernel: self._symbols(kernel, stop), different)
            symbols = dict(zip((kernel.id for kernel in different), tables, strict=True))
            counted = _run_all(
                executor,
                stop,
                lambda at: self._count_boot(
                    design,
                    at,
                    boots[at],
                    kernels[places[at].kernel],
                    table=symbols[kernels[places[at].kernel].id],
                    stop=stop,
                ),
                range(len(boots)),
            )
        arms = [msgspec.structs.replace(counted[column][row], arm=arm) for arm, row, column in rows]
        return Counted(
            kernels=[_identity(name, kernels[name]) for name in names],
            boots=boots,
            arms=arms,
            probe_sha256=hashlib.sha256(self._probe).hexdigest(),
            proved_calls=sum(calls for arm in arms for _, calls in arm.values),
        )

    def _describe(self, place: Place, kernel: Kernel, names: list[str]) -> Boot:
        smp, remarks = place.smp, []
        if smp > 1 and starts_one_cpu_only(kernel.record.release):
            smp = 1
            remarks.append(
                f"{kernel.record.release} does not start a second CPU under instruction counting: "
                "it ran with one"
            )
        return Boot(
            kernel=names.index(place.kernel),
            parameters=place.parameters,
            sysctls=place.sysctls,
            mtu_bytes=place.mtu_bytes,
            offloads=place.offloads,
            cpu_model=place.cpu_model,
            smp=smp,
            command_line=kernel_command_line(place.parameters, smp=smp),
            remarks=remarks,
        )

    def _symbols(self, kernel: Kernel, stop: threading.Event) -> SymbolTable:
        if kernel.symbols() is None:
            self._said(f"first boot of {kernel.record.name}, for its symbols; they are kept")
        with _naming(kernel.record.name):
            return kernel_symbols(kernel, self._probe, self._emulator, stop=stop)

    def _count_boot(
        self,
        design: Design,
        at: int,
        described: Boot,
        kernel: Kernel,
        *,
        table: SymbolTable,
        stop: threading.Event,
    ) -> list[CountedArm]:
        sinks = _sinks_of(design.arms)
        made = [sink.name for sink in sinks if sink.guest_device != LOOPBACK]
        guest = Guest(
            kernel=kernel.image,
            probe=self._probe,
            modules=kernel.module_tree().resolve(made) if made else (),
            devices=[_device(sink, described) for sink in sinks],
            symbols="modules" if made else None,
            plan=encode_plan(
                _unhurried(design), range(len(design.arms)), cap=0, cpu=described.smp - 1, raw=True
            ),
            parameters=described.parameters,
            sysctls=described.sysctls,
            cpu_model=described.cpu_model,
            smp=described.smp,
            tally_plugin=self._plugin,
            vectors=table.vectors(),
        )
        with _naming(" ".join([kernel.record.name, *_words(described)])):
            result = boot(guest, self._emulator, self._limits, stop=stop)
            return read_arms(result, design.arms, at, table.merged(self._probe_symbols))


def best_sink(kernels: Sequence[Kernel]) -> str:
    """Return the first sink of the table that a guest of each kernel has."""
    return next(
        sink.name
        for sink in SINKS
        if sink.guest_device is not None and all(_can_have(kernel, sink) for kernel in kernels)
    )


def _can_have(kernel: Kernel, sink: Sink) -> bool:
    if sink.guest_device == LOOPBACK:
        return True
    try:
        kernel.module_tree().resolve([sink.name])
    except BadModulesError:
        return False
    return True


def _sinks_of(arms: Sequence[Arm]) -> list[Sink]:
    """Return the sinks that arms ask for; the module that makes a device has its sink's name."""
    asked = {arm.factors.get("sink") for arm in arms}
    return [sink for sink in SINKS if sink.name in asked]


def _device(sink: Sink, described: Boot) -> Device:
    return Device(
        name=str(sink.guest_device),
        addresses=() if sink.guest_device == LOOPBACK else own_networks(sink),
        mtu_bytes=described.mtu_bytes,
        features=described.offloads,
    )


def _words(described: Boot) -> list[str]:
    """Return what a guest differs by from another of the same kernel."""
    switched = {name: "on" if is_on else "off" for name, is_on in described.offloads.items()}
    mtu = {} if described.mtu_bytes is None else {"mtu": str(described.mtu_bytes)}
    settings = {**described.sysctls, **switched, **mtu}
    return [*described.parameters, *(f"{name}={value}" for name, value in settings.items())]


def _unhurried(design: Design) -> Design:
    """Leave the priority at the ordinary one where it was left to us and the thread never rests.

    Nothing competes in a guest; under SCHED_FIFO the kernel's own threads would starve, ksoftirqd
    among them, which delivers what was sent while it is awake.
    """
    arms = [
        msgspec.structs.replace(arm, factors={**arm.factors, "priority": 0})
        if arm.factors.get("priority") == "auto" and not is_paced(arm)
        else arm
        for arm in design.arms
    ]
    return msgspec.structs.replace(design, arms=arms)


def _refuse_absent_cpus(arms: Sequence[Arm], smp: int) -> None:
    for arm in arms:
        for name in ("cpu", "peer-cpu"):
            cpu = arm.factors.get(name)
            if isinstance(cpu, int) and cpu >= smp:
                raise PlanError(
                    f"--{name} {cpu}: the guest has {smp} CPU{'s' if smp > 1 else ''}, from 0",
                    mend=f"give it more with --smp {cpu + 1}, where its kernel can",
                )


@contextmanager
def _naming(guest: str) -> Iterator[None]:
    """Say of which of several guests an error is."""
    try:
        yield
    except BootError as error:
        raise type(error)(
            f"{guest}: {error.what}", mend=error.mend, console=error.console
        ) from error


def _identity(name: str, kernel: Kernel) -> CountedKernel:
    record = kernel.record
    return CountedKernel(
        name=name,
        release=record.release,
        version=record.version,
        sha256=record.sha256,
        source=record.source,
    )


def _run_all(
    executor: ThreadPoolExecutor,
    stop: threading.Event,
    work: Callable[[Job], Result],
    jobs: Sequence[Job],
) -> list[Result]:
    """Return what `work` made of each job; the first failure, or Ctrl-C, ends the others."""
    futures = [executor.submit(work, job) for job in jobs]
    try:
        for future in as_completed(futures):
            future.result()
        return [future.result() for future in futures]
    finally:
        if not all(future.done() for future in futures):
            stop.set()
            for future in futures:
                future.cancel()
            wait(futures)
