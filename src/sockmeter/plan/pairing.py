# SPDX-License-Identifier: MIT
"""Which arm of one counted run is the same as which of another, but for its kernel."""

from collections.abc import Sequence

from sockmeter.model.arms import Arm
from sockmeter.model.errors import PlanError


def pair_arms(before: Sequence[Arm], after: Sequence[Arm]) -> list[tuple[int, int]]:
    """Return the indices of arms that agree in everything, or in everything but the kernel.

    Raises PlanError where none does, and where an arm has several partners.
    """
    exact = _pairs(before, after, with_kernel=True)
    pairs = exact or _pairs(before, after, with_kernel=False)
    if not pairs:
        raise PlanError("the two sides have no arm in common", mend="see: sockmeter show FILE")
    return pairs


def _pairs(
    before: Sequence[Arm], after: Sequence[Arm], *, with_kernel: bool
) -> list[tuple[int, int]]:
    keys = [_key(arm, with_kernel=with_kernel) for arm in after]
    pairs = []
    for at, arm in enumerate(before):
        key = _key(arm, with_kernel=with_kernel)
        partners = [place for place, other in enumerate(keys) if other == key]
        if len(partners) > 1 and not with_kernel:
            raise PlanError(
                f"{arm.call} has {len(partners)} partners on the other side",
                mend="count with one kernel a file, or take two --arms of one file",
            )
        if partners:
            pairs.append((at, partners[0]))
    return pairs


def _key(arm: Arm, *, with_kernel: bool) -> tuple[str, frozenset[tuple[str, int | str | bool]]]:
    factors = {
        name: value for name, value in arm.factors.items() if with_kernel or name != "kernel"
    }
    return arm.call, frozenset(factors.items())
