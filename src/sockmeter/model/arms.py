# SPDX-License-Identifier: MIT
"""An arm: one combination of factors. The first arm of a run is its baseline."""

import msgspec


class Arm(msgspec.Struct, frozen=True, kw_only=True):
    """One combination of a call and the factors that apply to it.

    `factors` maps a factor's name to its value, in the order of the factor table; a factor that
    means nothing to the call (a batch to recvfrom) is absent, not defaulted.
    """

    scenario: str
    call: str
    factors: dict[str, int | str | bool]
