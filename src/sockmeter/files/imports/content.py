# SPDX-License-Identifier: MIT
"""What a form's reader is given and what it returns."""

from enum import StrEnum
from typing import NoReturn

import msgspec

from sockmeter.model.errors import RunFileError
from sockmeter.model.imported import Form, ImportedColumn, Rate
from sockmeter.model.units import Unit


class Edge(StrEnum):
    """Which edge of its bucket a label names."""

    LOWER = "lower"  # costs in [label, label + width)
    UPPER = "upper"  # costs in [label - width, label)


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What the user says about a source that the source does not say itself."""

    form: Form | None = None
    unit: str | None = None  # a key of units.UNITS
    bucket_width: float | None = None  # in that unit
    edge: Edge | None = None
    headings: tuple[str, ...] | None = None
    seconds: float | None = None  # that the source's counts were made in


class Source(msgspec.Struct, frozen=True):
    """A text to read; line numbers count from 1."""

    name: str
    lines: list[str]  # without line ends and without the marks of quoting

    def refuse(self, number: int, what: str, *, mend: str | None = None) -> NoReturn:
        """Raise the RunFileError that names a line."""
        raise RunFileError(f"{self.name}: line {number}: {what}", mend=mend)

    def refuse_all(self, what: str, *, mend: str | None = None) -> NoReturn:
        """Raise the RunFileError that concerns no single line."""
        raise RunFileError(f"{self.name}: {what}", mend=mend)


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """What a source holds; fields as in ImportedRun."""

    unit: Unit | None = None
    edge: str | None = None
    said: list[str] = []
    columns: list[ImportedColumn] = []
    rates: list[Rate] = []
    remarks: list[str] = []
