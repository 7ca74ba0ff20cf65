# SPDX-License-Identifier: MIT
"""A bound and the figure that was reached."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bound:
    """What must not be exceeded, and what was measured."""

    name: str
    reached: float
    most: float
    unit: str
    detail: str = ""

    @property
    def is_kept(self) -> bool:
        return self.reached <= self.most

    def line(self) -> str:
        word = "ok    " if self.is_kept else "BROKEN"
        figure = f"{self.reached:,.3g} {self.unit} (at most {self.most:,.3g})"
        return f"{word} {self.name}: {figure}{'; ' + self.detail if self.detail else ''}"
