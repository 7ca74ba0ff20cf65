# SPDX-License-Identifier: MIT
"""The units that sources speak in, and the project's unit that each becomes: times become ns."""

import re

import msgspec

from sockmeter.files.imports.content import Source
from sockmeter.model.units import Unit

UNITS: dict[str, tuple[Unit, int]] = {
    "ns": (Unit.NS, 1),
    "us": (Unit.NS, 1_000),
    "ms": (Unit.NS, 1_000_000),
    "s": (Unit.NS, 1_000_000_000),
    "ticks": (Unit.TICKS, 1),
    "cycles": (Unit.CYCLES, 1),
    "instructions": (Unit.INSTRUCTIONS, 1),
}
_SPELLINGS = {
    "ns": r"ns|nsecs?|nanosec(?:ond)?s?",
    "us": r"us|µs|μs|usecs?|microsec(?:ond)?s?",
    "ms": r"ms|msecs?|millisec(?:ond)?s?",
    "ticks": r"ticks?",
    "cycles": r"cycles?",
    "instructions": r"insns?|instructions?",
}
_WORD = re.compile(
    "|".join(f"(?P<{name}>{spelling})" for name, spelling in _SPELLINGS.items()), re.IGNORECASE
)


class Said(msgspec.Struct, frozen=True):
    """A unit that the source says."""

    unit: str  # a key of UNITS
    where: str  # as an error names it


def unit_word(text: str) -> str | None:
    """Return the unit that `text` is the name of, a key of UNITS, or None."""
    match = _WORD.fullmatch(text.strip())
    return match.lastgroup if match else None


def settle_unit(source: Source, said: list[Said], given: str | None) -> tuple[Unit | None, int]:
    """Return the unit and the factor to it, from what the source says and what the user gave.

    (None, 1) where nobody says. RunFileError where two of them differ.
    """
    for one in said[1:]:
        if one.unit != said[0].unit:
            source.refuse_all(
                f"mixed units: {said[0].where} says {said[0].unit}, {one.where} says {one.unit}",
                mend="import columns of one unit at a time",
            )
    if said and given is not None and said[0].unit != given:
        source.refuse_all(f"{said[0].where} says {said[0].unit}, --unit says {given}")
    name = said[0].unit if said else given
    return (None, 1) if name is None else UNITS[name]
