# SPDX-License-Identifier: MIT
"""The units that numbers carry. TSC ticks are never called cycles."""

from enum import StrEnum


class Unit(StrEnum):
    """Unit of a call's cost."""

    TICKS = "ticks"  # the CPU's time stamp counter, constant rate
    CYCLES = "cycles"  # core cycles, from a PMU
    NS = "ns"
    INSTRUCTIONS = "instructions"
