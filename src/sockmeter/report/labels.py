# SPDX-License-Identifier: MIT
"""How arms are called: by what varies between them, and what they share is said once."""

from collections.abc import Sequence

from sockmeter.model.arms import Arm

Value = int | str | bool

UNSAID: dict[str, Value] = {"cpu": "auto", "priority": "auto", "control": "none", "work": 0}


def arm_labels(arms: Sequence[Arm]) -> list[str]:
    """Return a short label for each arm: its call, and what tells it from its namesakes."""
    return [
        " ".join(
            [arm.call]
            + [
                f"{name}={spell(arm.factors[name])}"
                for name in _varying_factors([other for other in arms if other.call == arm.call])
                if name in arm.factors
            ]
        )
        for arm in arms
    ]


def shared_factors(arms: Sequence[Arm]) -> str:
    """Return what all arms that have a factor agree on, as one line without plain defaults."""
    varying = _varying_factors(arms)
    shared: dict[str, Value] = {}
    for arm in arms:
        shared |= {name: value for name, value in arm.factors.items() if name not in varying}
    shared = {name: value for name, value in shared.items() if UNSAID.get(name) != value}
    words = []
    if "family" in shared:
        words.append(str(shared.pop("family")))
    if "size" in shared:
        words.append(f"{shared.pop('size')} B")
    return ", ".join([*words, *(f"{name} {spell(value)}" for name, value in shared.items())])


def spell(value: Value) -> str:
    """Return a factor's value as it is written on the command line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _varying_factors(arms: Sequence[Arm]) -> list[str]:
    """Return the factors that take two values, in the order of their first appearance."""
    seen: dict[str, set[Value]] = {}
    for arm in arms:
        for name, value in arm.factors.items():
            seen.setdefault(name, set()).add(value)
    return [name for name, values in seen.items() if len(values) > 1]
