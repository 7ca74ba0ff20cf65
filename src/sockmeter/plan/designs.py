# SPDX-License-Identifier: MIT
"""From what a person asked for to a design: everything that is fixed before the first round."""

import math
import re
from collections.abc import Sequence

import msgspec

from sockmeter.model.arms import Arm
from sockmeter.model.errors import PlanError
from sockmeter.model.runs import Design, Look
from sockmeter.plan import pacing
from sockmeter.plan.arms import expand_arms
from sockmeter.plan.factors import LONGEST_NUMBER, Value, find_factor, shorten

# The schedule of looks that the method was calibrated with; the alphas sum to 5 %.
LOOKS = (Look(20, 0.010), Look(40, 0.015), Look(80, 0.025))
ALPHA = 0.05
FEWEST_ROUNDS = 6  # below, an interval at 5 % is infinite (k = 0)
MOST_ROUNDS = 10_000

CLOCKS = ("auto", "tsc", "cycles", "clock_gettime")
FEWEST_CALLS = 5_000
MOST_CALLS = 10_000_000  # a round has to end within minutes
SHORTEST_SEGMENT_NS = 10_000_000
WARMUP_CALLS = 512
QUEUE_MESSAGES = 64
MOST_QUEUED = 65_536
EFFECT = 0.01
STEAL_LIMIT = 0.10
MOST_DROPPED = 0.10  # above this share of dropped rounds there is no verdict


class Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person asked for, still in their words: a command line or a plan file.

    Lists hold one text per arm to make; `rounds` and `looks` exclude each other.
    """

    scenario: str
    call: list[str]
    factors: dict[str, list[str]] = {}
    rounds: int | None = None
    looks: str | None = None
    effect: str | None = None  # EFFECT
    seed: int = 1
    clock: str = "auto"
    calls: int = FEWEST_CALLS  # per segment; more are taken where that is under 10 ms
    queue: int | None = None  # QUEUE_MESSAGES, or the largest batch if that is more


def make_design(request: Request) -> Design:
    """Return the design that the request means; PlanError says what makes no sense in it."""
    choices: dict[str, Sequence[Value]] = {
        name: [find_factor(name).parse(text) for text in texts]
        for name, texts in request.factors.items()
        if texts
    }
    if request.clock not in CLOCKS:
        raise PlanError(
            f"--clock {request.clock}: unknown", mend=f"take one of {', '.join(CLOCKS)}"
        )
    if not 1 <= request.calls <= MOST_CALLS:
        raise PlanError(f"--calls {request.calls}: not from 1 to {MOST_CALLS}")
    if not 0 <= request.seed < 2**63:
        raise PlanError(f"--seed {request.seed}: not from 0 to {2**63 - 1}")
    arms = expand_arms(request.scenario, request.call, choices)
    is_left_to_us = request.rounds is None and request.looks is None
    looks = (
        list(pacing.LOOKS)
        if is_left_to_us and any(pacing.is_paced(arm) for arm in arms)
        else make_looks(request.rounds, request.looks)
    )
    design = Design(
        scenario=request.scenario,
        arms=arms,
        looks=looks,
        effect=EFFECT if request.effect is None else parse_effect(request.effect),
        seed=request.seed,
        calls=request.calls,
        warmup=WARMUP_CALLS,
        queue=_queue(request.queue, arms),
        clock=request.clock,
        steal_limit=STEAL_LIMIT,
    )
    _refuse_looks_that_cannot_decide(design)
    return design


def _refuse_looks_that_cannot_decide(design: Design) -> None:
    """Raise PlanError for a look whose intervals are infinite: P(W+ = 0) = 2^-R is over alpha/2."""
    pairs = planned_pairs(design)
    for look in design.looks:
        fewest = math.ceil(math.log2(2 * pairs / look.alpha))
        if look.rounds < fewest:
            raise PlanError(
                f"{look.rounds} rounds cannot decide {pairs} comparisons at an error of "
                f"{100 * look.alpha:g} %",
                mend=f"take {fewest} rounds or more",
            )


def compared_arms(design: Design) -> list[int]:
    """Return the baseline and the arms that mean something against it, as indices.

    The empty bracket is what the harness itself costs: no change of a call, unless it is the
    baseline and the harness itself is in question.
    """
    arms = design.arms
    return [index for index, arm in enumerate(arms) if arm.call != "null" or arms[0].call == "null"]


def planned_pairs(design: Design) -> int:
    """Return by how many comparisons the error of each look is divided, at least 1."""
    return max(len(compared_arms(design)) - 1, 1)


def make_looks(rounds: int | None, looks: str | None) -> list[Look]:
    """Return the schedule: one look at 5 %, a schedule of one's own, or the calibrated one.

    `looks` reads `20,40,80` (5 % shared equally) or `20:1%,40:1.5%,80:2.5%` (the calibrated one).
    """
    if rounds is not None and looks is not None:
        raise PlanError("--rounds and --looks exclude each other", mend="give one of them")
    if rounds is not None:
        return [Look(_round_count(str(rounds), "--rounds"), ALPHA)]
    if looks is None:
        return list(LOOKS)
    words = [word.strip() for word in looks.split(",")]
    schedule = []
    for word in words:
        count, colon, alpha = word.partition(":")
        share = parse_percent(alpha, "--looks") if colon else ALPHA / len(words)
        schedule.append(Look(_round_count(count, "--looks"), share))
    counts = [look.rounds for look in schedule]
    if sorted(set(counts)) != counts:
        raise PlanError(f"--looks {looks}: the rounds must rise from look to look")
    if (
        sum(look.alpha for look in schedule) > ALPHA + 1e-12
        or min(look.alpha for look in schedule) <= 0
    ):
        raise PlanError(f"--looks {looks}: the errors must be positive and sum to 5 % at most")
    return schedule


def parse_effect(text: str, option: str = "--effect") -> float:
    """Return the smallest effect that matters as a fraction: `1%` and `0.01` are the same."""
    effect = parse_percent(text, option)
    if not 0 < effect < 1:
        raise PlanError(
            f"{option} {text}: must lie between 0 and 100 %", mend="write it as 1% or as 0.01"
        )
    return effect


def parse_percent(text: str, option: str) -> float:
    """Return a share written as `1.5%` or `0.015`; PlanError names the option otherwise."""
    match = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*(%?)\s*", text, re.ASCII)
    if match is None:
        raise PlanError(f"{option} {text}: not a share", mend="write it as 1% or as 0.01")
    return float(match[1]) / (100 if match[2] else 1)


def _queue(asked: int | None, arms: Sequence[Arm]) -> int:
    """Return the messages of a burst: at least as many as the largest call takes."""
    largest = max(int(arm.factors.get("batch", 1)) for arm in arms)
    if asked is None:
        return max(QUEUE_MESSAGES, largest)
    if not 1 <= asked <= MOST_QUEUED:
        raise PlanError(f"--queue {asked}: not from 1 to {MOST_QUEUED} messages")
    if asked < largest:
        raise PlanError(
            f"--queue {asked}: a call takes {largest} messages", mend=f"take --queue {largest}"
        )
    return asked


def _round_count(text: str, option: str) -> int:
    is_short = text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER
    if not is_short or not FEWEST_ROUNDS <= int(text) <= MOST_ROUNDS:
        raise PlanError(
            f"{option} {shorten(text)}: not from {FEWEST_ROUNDS} to {MOST_ROUNDS} rounds",
            mend=f"fewer than {FEWEST_ROUNDS} rounds have no 95 % interval",
        )
    return int(text)
