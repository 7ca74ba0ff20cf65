# SPDX-License-Identifier: MIT
"""What the doctor found, as a table."""

from collections.abc import Sequence
from typing import Protocol

from sockmeter.report.tables import Cell, Table

STYLES = {"ok": "green", "disturbs": "yellow", "cannot": "red"}


class Finding(Protocol):
    """One thing that was looked at; satisfied by `rig.health.Finding`, which is above this room."""

    @property
    def subject(self) -> str:
        """What was looked at."""

    @property
    def status(self) -> str:
        """One of ok, disturbs, cannot."""

    @property
    def detail(self) -> str:
        """What was seen, with its unit."""

    @property
    def mend(self) -> str | None:
        """The command that mends it; None: nothing to mend."""


def health_table(findings: Sequence[Finding]) -> Table:
    """Return the findings in order, each with the command that mends it where there is one."""
    return Table(
        title="What this machine can measure, what disturbs it, and what mends that",
        columns=["subject", "status", "what was seen", "mend with"],
        rows=[
            [
                Cell(finding.subject),
                Cell(str(finding.status), STYLES[str(finding.status)]),
                Cell(finding.detail),
                Cell(finding.mend or ""),
            ]
            for finding in findings
        ],
        wordy=frozenset(range(4)),
    )
