# SPDX-License-Identifier: MIT
"""Facts about the machine of a run; a fact that could not be read keeps the reason."""

import msgspec

FactValue = int | float | bool | str | list[str]


class Fact(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One fact: a value, or the reason why there is none. Exactly one of the two is given."""

    value: FactValue | None = None
    missing: str | None = None
    unit: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.missing is None):
            raise ValueError("a fact has either a value or the reason why it is missing")


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """What the machine looked like; keys are dotted names such as `kernel.release`."""

    facts: dict[str, Fact]
