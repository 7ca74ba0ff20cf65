# SPDX-License-Identifier: MIT
"""Counts what was requested, keeps it in a run file, and prints it."""

import os
import platform
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from sockmeter import __version__
from sockmeter.cli.counted import print_counted
from sockmeter.cli.counted_explaining import Wish, check_wish
from sockmeter.cli.kernels import find_or_fetch, only_kernel, open_store
from sockmeter.cli.measuring import terminate_as_interrupt
from sockmeter.cli.options import OutputFormat
from sockmeter.cli.requests import spell_command
from sockmeter.files.runwriter import RunWriter
from sockmeter.guest.boot import Limits
from sockmeter.guest.qemu import DEFAULT_CPU_MODEL, find_qemu
from sockmeter.model.counted import CountedRun
from sockmeter.model.environment import Environment, Fact
from sockmeter.model.errors import OutputError, PlanError
from sockmeter.plan.designs import Request, make_design
from sockmeter.plan.factors import OFFLOAD, SYSCTL, is_machine_factor
from sockmeter.plan.places import PlaceRequest, expand_places
from sockmeter.plan.sinks import AUTO, SINKS
from sockmeter.rig.exact import ExactRig
from sockmeter.rig.probe import find_probe

WITH_PEER = ("rr", "channels")
WITH_SINK = ("bulk", "zerocopy")
DURATION = "100ms"


def count_and_print(
    request: Request,
    place: PlaceRequest,
    wish: Wish,
    *,
    output: Path | None,
    replace: bool,
    format: OutputFormat,
) -> None:
    """Count every arm, keep the result, and print it."""
    check_wish(wish, format)
    request, place = _in_guest(request, place)
    design = make_design(request)
    emulator, probe, store = find_qemu(), find_probe(), open_store()
    if not place.kernels:
        place = msgspec.structs.replace(place, kernels=[only_kernel(store)])
    places = expand_places(place, default_cpu_model=DEFAULT_CPU_MODEL)
    now = datetime.now(UTC)
    path = output or Path(f"sockmeter-{now:%Y%m%dT%H%M%S.%f}"[:-3] + f"Z-{request.scenario}.jsonl")
    writer = RunWriter.create(path, replace=replace)
    with terminate_as_interrupt():
        began_s = time.monotonic()
        kernels = {words: find_or_fetch(store, words) for words in place.kernels}
        rig = ExactRig(
            emulator,
            probe,
            workers=len(os.sched_getaffinity(0)),
            limits=Limits(),
            said=lambda words: print(words, file=sys.stderr),
        )
        counted = rig.count(design, places, kernels)
    run = CountedRun(
        started_at=now.isoformat(timespec="seconds"),
        environment=_environment(time.monotonic() - began_s),
        command=_spell(request, place),
        sockmeter_version=__version__,
        emulator=emulator.description,
        probe_sha256=counted.probe_sha256,
        scenario=request.scenario,
        calls=design.calls,
        warmup=design.warmup,
        queue=design.queue,
        kernels=counted.kernels,
        boots=counted.boots,
        arms=counted.arms,
        proved_calls=counted.proved_calls,
    )
    failure = _keep(run, writer)
    print_counted(run, format, wish)
    if failure is not None:
        raise failure


def _keep(run: CountedRun, writer: RunWriter) -> OutputError | None:
    """Keep the run and say where; return why that could not be."""
    try:
        writer.write_counted(run)
    except OutputError as error:
        return error
    finally:
        writer.close()
    words = f"kept in {writer.path}; again: sockmeter show {shlex.quote(str(writer.path))}"
    print(words, file=sys.stderr)
    return None


def _in_guest(request: Request, place: PlaceRequest) -> tuple[Request, PlaceRequest]:
    """Return both with what a guest takes in place of a machine's defaults.

    The other end has no other CPU to run on in a guest of one; a segment that goes by the clock
    costs as many instructions as it lasts ns. What is turned, a boot is turned for as a whole.
    """
    factors = {name: texts for name, texts in request.factors.items() if not _is_turned(name)}
    turned = {name: texts for name, texts in request.factors.items() if _is_turned(name)}
    for name in turned:
        if not name.startswith(SYSCTL) and request.scenario not in WITH_SINK:
            raise PlanError(
                f"--{name.partition('.')[0]}: scenario {request.scenario} has no device of its own",
                mend=f"it is a factor of {' and '.join(WITH_SINK)}",
            )
    if request.scenario in WITH_PEER and place.smp in ([], ["1"]):
        factors.setdefault("peer-cpu", ["same"])
    if request.scenario == "channels":
        factors.setdefault("duration", [DURATION])
    if request.scenario in WITH_SINK:
        known = [sink.name for sink in SINKS if sink.guest_device is not None]
        for sink in factors.get("sink", []):
            if sink not in (AUTO, *known):
                raise PlanError(
                    f"a guest has no sink {sink}",
                    mend=f"take {', '.join(known[:-1])} or {known[-1]}",
                )
    return msgspec.structs.replace(request, factors=factors), _turned(place, turned)


def _is_turned(name: str) -> bool:
    return name == "mtu" or is_machine_factor(name)


def _turned(place: PlaceRequest, turned: Mapping[str, Sequence[str]]) -> PlaceRequest:
    """Return the place with what a request turns on the machine."""
    texts = {name: f"{name.partition('.')[2]}={','.join(turned[name])}" for name in turned}
    sysctls = [text for name, text in texts.items() if name.startswith(SYSCTL)]
    return msgspec.structs.replace(
        place,
        sysctls=[*place.sysctls, *sysctls],
        offloads=[text for name, text in texts.items() if name.startswith(OFFLOAD)],
        mtus=list(turned.get("mtu", [])),
    )


def _environment(elapsed_s: float) -> Environment:
    return Environment(
        facts={
            "host.kernel.release": Fact(value=platform.release()),
            "host.cpus": Fact(value=os.cpu_count() or 0),
            "host.load_1min": Fact(value=os.getloadavg()[0]),
            "host.elapsed": Fact(value=round(elapsed_s, 2), unit="s"),
        }
    )


def _spell(request: Request, place: PlaceRequest) -> str:
    """Return the command line that makes this count."""
    words = ["--kernel", ",".join(place.kernels)]
    for option, texts in (
        ("--boot", place.boot),
        ("--sysctl", place.sysctls),
        ("--offload", place.offloads),
    ):
        for text in texts:
            words += [option, text]
    for option, texts in (
        ("--mtu", place.mtus),
        ("--cpu-model", place.cpu_models),
        ("--smp", place.smp),
    ):
        if texts:
            words += [option, ",".join(texts)]
    measured = spell_command(request).replace("sockmeter run", "sockmeter count", 1)
    return f"{measured} {shlex.join(words)}"
