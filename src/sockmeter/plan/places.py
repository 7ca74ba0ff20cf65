# SPDX-License-Identifier: MIT
"""Where arms are counted: kernels and how they are booted and set up, and the product of that."""

import csv
from collections.abc import Mapping, Sequence
from itertools import product

import msgspec

from sockmeter.model.arms import Arm
from sockmeter.model.errors import PlanError
from sockmeter.plan.factors import FACTOR_NAMES, OFFLOAD, find_factor
from sockmeter.plan.outbound import COPY, copying

MOST_CPUS = 16  # more share one emulator thread and only make it slower
_OF_A_PLACE = ("kernel", "cpu-model", "smp")

_Settings = Mapping[str, str | None]  # None: a name without a value
_Row = tuple[str, _Settings, _Settings, _Settings, int | None, str, int]


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """One guest to boot, in the words that were asked for."""

    kernel: str
    parameters: list[str]  # of the kernel's command line
    sysctls: dict[str, str]
    mtu_bytes: int | None  # of the sinks' devices; None: their own
    offloads: dict[str, bool]  # of the sinks' devices, by ethtool's names
    cpu_model: str
    smp: int
    factors: dict[str, int | str | bool]  # what an arm that is counted there says of it


class PlaceRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a person asked for, in their words: every comma makes a place."""

    kernels: list[str]
    boot: list[str] = []  # NAME=V,V or NAME, one a parameter
    sysctls: list[str] = []  # NAME=V,V
    offloads: list[str] = []  # NAME=on,off
    mtus: list[str] = []
    cpu_models: list[str] = []
    smp: list[str] = []


def expand_places(request: PlaceRequest, *, default_cpu_model: str) -> list[Place]:
    """Return every combination, the first of everything first; PlanError for what makes no sense.

    A value with a comma stands in double quotes: `mitigations="auto,nosmt",off`.
    """
    boots = [_assigned(text, "--boot") for text in request.boot]
    sysctls = [_assigned(text, "--sysctl") for text in request.sysctls]
    _refuse_taken_names([name for name, _ in (*boots, *sysctls)])
    for name, values in sysctls:
        if values == [None]:
            raise PlanError(f"--sysctl {name}: no value", mend=f"write it as {name}=0,1")
    offloads = [_offload(text) for text in request.offloads]
    mtus: list[int | None] = [int(find_factor("mtu").parse(text)) for text in request.mtus]
    rows = product(
        request.kernels,
        _choices(boots),
        _choices(sysctls),
        _choices(offloads),
        mtus or [None],
        request.cpu_models or [default_cpu_model],
        [_cpu_count(text) for text in request.smp or ["1"]],
    )
    return [_place(row) for row in rows]


def arms_in_places(arms: Sequence[Arm], places: Sequence[Place]) -> list[tuple[Arm, int, int]]:
    """Return every arm in every place, with its indices into both, call by call."""
    return [
        (msgspec.structs.replace(arm, factors={**arm.factors, **place.factors}), row, column)
        for row, arm in enumerate(arms)
        for column, place in enumerate(places)
    ]


def reference_of(arms: Sequence[Arm], index: int) -> int | None:
    """Return the arm that an arm is set against; None for the first.

    It is the one that differs in a single factor, the last that does not have its first value
    here; a copying send looks for no notification, so that its having no `limit` is no difference.
    Of two equal arms the second is set against the first.
    """
    if index == 0:
        return None
    arm, earlier = arms[index], list(arms[:index])
    if arm in earlier:
        return earlier.index(arm)
    firsts = _first_values(arms)
    for name in reversed(arm.factors):
        if name in firsts and arm.factors[name] != firsts[name]:
            wanted = {**arm.factors, name: firsts[name]}
            if name == "zerocopy" and firsts[name] == COPY:
                wanted = copying(arm.factors)
            for place, other in enumerate(earlier):
                if other.call == arm.call and other.factors == wanted:
                    return place
    return _same_but_call(arm, earlier)


def _same_but_call(arm: Arm, earlier: Sequence[Arm]) -> int:
    """Return the first arm of another call that agrees in every factor that both have."""
    for place, other in enumerate(earlier):
        shared = arm.factors.keys() & other.factors.keys()
        if all(arm.factors[name] == other.factors[name] for name in shared):
            return place
    return 0


def _first_values(arms: Sequence[Arm]) -> Mapping[str, int | str | bool]:
    firsts: dict[str, int | str | bool] = {}
    for arm in arms:
        for name, value in arm.factors.items():
            firsts.setdefault(name, value)
    return firsts


def _choices(settings: Sequence[tuple[str, Sequence[str | None]]]) -> list[_Settings]:
    """Return every combination of the values of settings, by name."""
    names = [name for name, _ in settings]
    rows = product(*(values for _, values in settings))
    return [dict(zip(names, row, strict=True)) for row in rows]


def _place(row: _Row) -> Place:
    kernel, boot, sysctls, offloads, mtu_bytes, cpu_model, smp = row
    return Place(
        kernel=kernel,
        parameters=[
            name if value is None else f"{name}={_quoted(str(value))}"
            for name, value in boot.items()
        ],
        sysctls={name: str(value) for name, value in sysctls.items()},
        mtu_bytes=mtu_bytes,
        offloads={name.removeprefix(OFFLOAD): value == "on" for name, value in offloads.items()},
        cpu_model=cpu_model,
        smp=smp,
        factors={
            "kernel": kernel,
            **{name: True if value is None else value for name, value in boot.items()},
            **{name: str(value) for name, value in sysctls.items()},
            **{name: str(value) for name, value in offloads.items()},
            **({} if mtu_bytes is None else {"mtu": mtu_bytes}),
            "cpu-model": cpu_model,
            "smp": smp,
        },
    )


def _quoted(value: str) -> str:
    """The kernel takes a value with spaces in double quotes (next_arg, lib/cmdline.c)."""
    return f'"{value}"' if " " in value else value


def _assigned(text: str, option: str) -> tuple[str, list[str | None]]:
    name, equals, values = text.partition("=")
    if not name or " " in name or '"' in name:
        raise PlanError(f"{option} {text!r}: no name", mend=f"write it as {option} NAME=V,V")
    if not equals:
        return name, [None]
    words: list[str | None] = [*next(csv.reader([values], strict=False), [""])]
    if not all(words) or any(set(str(word)) & set('"\n') for word in words):
        raise PlanError(f"{option} {text!r}: a value is empty or has a quote in it")
    return name, words


def _offload(text: str) -> tuple[str, list[str | None]]:
    """Return the factor that a text such as `rx-gro=on,off` makes, and its values."""
    name, values = _assigned(text, "--offload")
    factor = find_factor(OFFLOAD + name)
    return factor.name, [str(factor.parse(value or "")) for value in values]


def _refuse_taken_names(names: Sequence[str]) -> None:
    for at, name in enumerate(names):
        if name in (*FACTOR_NAMES, *_OF_A_PLACE):
            raise PlanError(f"{name} is a factor of its own", mend=f"vary it with --{name}")
        if name in names[:at]:
            raise PlanError(f"{name} is given twice", mend=f"write its values as {name}=V,V")


def _cpu_count(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text) <= MOST_CPUS:
        raise PlanError(f"--smp {text}: not from 1 to {MOST_CPUS} CPUs")
    return int(text)
