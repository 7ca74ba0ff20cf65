# SPDX-License-Identifier: MIT
"""The looks: the moments, fixed before the first round, at which a run may stop.

The errors of all looks add up (Bonferroni), so an interval of any look holds with the rest. Looking
after every round instead gives 26-30 % false verdicts.
"""

import itertools
from collections.abc import Sequence

from sockmeter.model.runs import Look
from sockmeter.plan.designs import ALPHA


def check_looks(looks: Sequence[Look]) -> None:
    """Raise ValueError unless the schedule can be followed and spends at most 5 % in all."""
    if not looks:
        raise ValueError("a run needs at least one look")
    rounds = [look.rounds for look in looks]
    if rounds[0] < 1 or any(late <= early for early, late in itertools.pairwise(rounds)):
        raise ValueError(f"looks come at ascending numbers of rounds, not {rounds}")
    if any(look.alpha <= 0.0 for look in looks):
        raise ValueError("every look spends an error above 0")
    spent = sum(look.alpha for look in looks)
    if spent > ALPHA * (1 + 1e-9):
        raise ValueError(f"the looks spend {spent:g} in all, more than {ALPHA:g}")


def divided_looks(looks: Sequence[Look], pairs: int) -> tuple[Look, ...]:
    """Return the schedule for each of `pairs` comparisons planned before the run (Bonferroni)."""
    check_looks(looks)
    if pairs < 1:
        raise ValueError(f"a comparison needs at least one pair, not {pairs}")
    return tuple(Look(look.rounds, look.alpha / pairs) for look in looks)


def look_due(looks: Sequence[Look], rounds: int) -> Look | None:
    """Return the look that falls on exactly `rounds` kept rounds, or None."""
    return next((look for look in looks if look.rounds == rounds), None)


def look_ahead(looks: Sequence[Look], rounds: int) -> Look | None:
    """Return the first look still to come after `rounds` kept rounds, or None."""
    return next((look for look in looks if look.rounds > rounds), None)
