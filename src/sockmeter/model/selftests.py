# SPDX-License-Identifier: MIT
"""What a self-test found on one machine."""

import msgspec


class Injection(msgspec.Struct, frozen=True, kw_only=True):
    """Work to inject into a call."""

    nominal: float  # fraction of the call that was to be injected
    share: float  # fraction that the multiplies really cost, from a calibration of their own
    multiplies: int


class Detection(msgspec.Struct, frozen=True, kw_only=True):
    """How often work of a known size was found."""

    injection: Injection
    trials: int
    slower: int  # trials judged slower
    estimate: float  # middle of the trials' estimates, fraction


class Selftest(msgspec.Struct, frozen=True, kw_only=True):
    """The judge against this machine: false alarms, power, and the noise floor."""

    call: str
    rounds_per_trial: int  # of the trials at a fixed number of rounds
    trials: int  # of identical arms at that number
    slower: int
    faster: int
    no_difference: int
    looked_trials: int  # of identical arms that stop at their looks
    looked_slower: int
    looked_faster: int
    looked_no_difference: int
    looked_mean_rounds: float | None
    noise_floor: float | None  # middle half-width of an interval over so many rounds, fraction
    detections: list[Detection]
    finished_at: str | None = None  # ISO 8601, UTC
    kernel: str | None = None
    boot_id: str | None = None
    seconds: float | None = None  # how long it took
    busy: int = 0  # neighbours that were kept busy on purpose
