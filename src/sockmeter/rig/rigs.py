# SPDX-License-Identifier: MIT
"""What every rig is: a schedule in, segments out."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from sockmeter.model.runs import Design, Instrument
from sockmeter.model.segments import Refusal, Segment


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What one round brought; `dropped` says why the whole of it does not count."""

    segments: list[Segment]
    refusals: list[Refusal]
    dropped: str | None


class Rig(Protocol):
    """Where a run happens."""

    name: str

    def prepare(self, design: Design) -> tuple[Design, Instrument]:
        """Return the design with its segments sized for this place, and what measures them."""
        ...

    def run_round(self, design: Design, order: Sequence[int], cap: int) -> Outcome:
        """Run one segment of every arm in `order`; a failed round is dropped, not raised."""
        ...
