# SPDX-License-Identifier: MIT
"""How many messages a call stands for: what makes a batch comparable with a single call."""

from sockmeter.model.arms import Arm
from sockmeter.plan.calls import find_call
from sockmeter.plan.pacing import is_paced


def messages_asked(arm: Arm) -> int:
    """Return how many messages one call hands over or asks for: a batch, segments, or both."""
    return int(arm.factors.get("batch", 1)) * int(arm.factors.get("segments", 1))


def messages_compared(arm: Arm) -> int:
    """Return the messages by which the cost of a call is divided before it is compared.

    In channels a call finds as many as have come to its socket, and is compared as a call.
    """
    return 1 if is_paced(arm) else messages_asked(arm)


def incomparable_reason(arm: Arm) -> str | None:
    """Return why a call of the arm is no match for one that takes from a single socket, or None."""
    if not is_paced(arm):
        return None
    if find_call(arm.scenario, arm.call).is_multishot:
        return "a call takes what came to all sockets: compare the bursts"
    if "ring" in arm.factors and messages_asked(arm) > 1:
        return "a call takes what came to several sockets: compare the bursts"
    return None
