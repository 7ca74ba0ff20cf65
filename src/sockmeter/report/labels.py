# SPDX-License-Identifier: MIT
"""How arms are called: by what varies between them, and what they share is said once."""

from collections.abc import Mapping, Sequence

from sockmeter.model.arms import Arm
from sockmeter.plan.factors import SYSCTL

Value = int | str | bool

# What a reader takes for granted unless told otherwise.
UNSAID: dict[str, Value] = {
    "cpu": "auto",
    "priority": "auto",
    "control": "none",
    "work": 0,
    "name": True,
    "cpu-model": "haswell",
    "smp": 1,
    "ring": "defer-taskrun",
    "registered": "none",
    "gro": False,
    "buffers": 1,
    "zerocopy": "no",
    "cork": 1,
}
# Factors that follow from the call where nobody chose them.
EXPECTED = frozenset({"connected"})


def arm_labels(arms: Sequence[Arm]) -> list[str]:
    """Return a label for each arm, no two the same.

    Its call, what tells it from arms of the same call, and what only some arms have and is no plain
    default; namesakes beyond that are numbered.
    """
    shared = _shared(arms)
    labels = [" ".join([arm.call, *_marks(arm, arms, shared)]) for arm in arms]
    return [
        label if labels.count(label) == 1 else f"{label} #{labels[: place + 1].count(label)}"
        for place, label in enumerate(labels)
    ]


def shared_factors(arms: Sequence[Arm]) -> str:
    """Return what all arms have in common, as one line without plain defaults."""
    shared = _shared(arms)
    words = []
    if "family" in shared:
        words.append(str(shared.pop("family")))
    if "size" in shared:
        words.append(f"{shared.pop('size')} B")
    said = {name: value for name, value in shared.items() if UNSAID.get(name) != value}
    return ", ".join([*words, *(f"{_spoken(name)} {spell(value)}" for name, value in said.items())])


def _marks(arm: Arm, arms: Sequence[Arm], shared: Mapping[str, Value]) -> list[str]:
    varying = _varying_factors([other for other in arms if other.call == arm.call])
    return [
        f"{_spoken(name)}={spell(value)}"
        for name, value in arm.factors.items()
        if name in varying
        or (name not in shared and name not in EXPECTED and UNSAID.get(name) != value)
    ]


def _shared(arms: Sequence[Arm]) -> dict[str, Value]:
    """Return the factors that every arm has, the empty bracket aside, with the same value."""
    held = [arm.factors for arm in arms if arm.call != "null"]
    if not held:
        return {}
    return {
        name: value
        for name, value in held[0].items()
        if all(name in factors and factors[name] == value for factors in held)
    }


def spell(value: Value) -> str:
    """Return a factor's value as it is written on the command line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _spoken(name: str) -> str:
    """Return a factor's name; that of a sysctl as the kernel writes it, in a guest as outside."""
    return name.removeprefix(SYSCTL)


def _varying_factors(arms: Sequence[Arm]) -> list[str]:
    """Return the factors that take two values, in the order of their first appearance."""
    seen: dict[str, set[Value]] = {}
    for arm in arms:
        for name, value in arm.factors.items():
            seen.setdefault(name, set()).add(value)
    return [name for name, values in seen.items() if len(values) > 1]
