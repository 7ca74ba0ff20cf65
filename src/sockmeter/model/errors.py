# SPDX-License-Identifier: MIT
"""The errors that reach a user: what failed, why, how to mend it, and the exit code."""


class SockmeterError(Exception):
    """The root of the tree; one line on stderr, no traceback.

    ::

        SockmeterError              1  something of ours failed
        ├── PlanError               2  what was asked for makes no sense or is not known
        ├── MachineError            3  this machine or this user cannot do it
        ├── RunFileError            4  a run file is truncated, foreign, damaged or too new
        ├── OutputError             5  a result could not be written
        ├── ProbeError              6  the probe is missing, died, or was not understood
        ├── JudgementError          7  what was asked for cannot be decided from what was measured
        └── KernelError             8  a guest kernel could not be had, booted or understood
    """

    exit_code = 1

    def __init__(self, what: str, *, mend: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.mend = mend

    def __str__(self) -> str:
        return self.what if self.mend is None else f"{self.what}; {self.mend}"


class PlanError(SockmeterError):
    """What was asked for makes no sense or is not known."""

    exit_code = 2


class MachineError(SockmeterError):
    """This machine, or this user on it, cannot do what was asked."""

    exit_code = 3


class RunFileError(SockmeterError):
    """A run file is truncated before its first round, foreign, damaged or too new."""

    exit_code = 4


class OutputError(SockmeterError):
    """A result could not be written."""

    exit_code = 5


class ProbeError(SockmeterError):
    """The probe is missing, died, or said something that was not understood."""

    exit_code = 6


class JudgementError(SockmeterError):
    """What was asked for cannot be decided from what was measured."""

    exit_code = 7


class KernelError(SockmeterError):
    """A guest kernel could not be had, booted or understood."""

    exit_code = 8
