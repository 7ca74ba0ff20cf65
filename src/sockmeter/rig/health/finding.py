# SPDX-License-Identifier: MIT
"""A finding: one thing that helps, disturbs or prevents a measurement here."""

from enum import StrEnum

import msgspec


class Status(StrEnum):
    """What a finding means for a measurement."""

    OK = "ok"
    DISTURBS = "disturbs"  # numbers can be had; this makes them worse
    CANNOT = "cannot"  # something cannot be measured, or cannot be known, here


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen, what it does to a measurement, and the command that mends it."""

    subject: str
    status: Status
    detail: str  # what was seen, with its unit, and what it does
    mend: str | None = None  # a shell command; None: nothing to mend


NOT_TRIED = "not tried on hardware"
# sudo has a PATH of its own, which knows no virtual environment.
DOCTOR_AS_ROOT = 'sudo env "PATH=$PATH" sockmeter doctor'
