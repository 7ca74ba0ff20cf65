# SPDX-License-Identifier: MIT
"""What a call can yield at most: its share of one core at a given rate (Amdahl, AFIPS 1967)."""

import msgspec

from sockmeter.model.errors import PlanError
from sockmeter.model.units import Unit
from sockmeter.report.view import Row, View
from sockmeter.report.wording import percent

MOST_HZ = 1e12


def core_share(view: View, row: Row, rate_hz: float) -> float | None:
    """Return the share of one core that `rate_hz` messages a second take; None without a time.

    It is the plain mean that adds up to a core's time, less the harness's own bracket. Core cycles
    and instructions are no time, so they have no share.
    """
    if row.summary is None:
        return None
    cost = max(row.summary.mean - (view.bracket or 0.0), 0.0) / row.messages
    if view.unit is Unit.NS:
        return cost * 1e-9 * rate_hz
    if view.unit is Unit.TICKS and view.clock_hz:
        return cost / view.clock_hz * rate_hz
    return None


def amdahl_sentences(view: View, rate_hz: float) -> list[str]:
    """Return what the difference of each arm is worth at the rate, in shares of one core."""
    shares = [core_share(view, row, rate_hz) for row in view.rows]
    if all(share is None for share in shares):
        return [f"Costs in {view.unit} are no time: no share of a core can be given."]
    sentences = []
    baselines = {row.baseline_row for row in view.rows if row.difference is not None}
    for place, (row, share) in enumerate(zip(view.rows, shares, strict=True)):
        if share is not None and place in baselines:
            sentences.append(
                f"At {rate_hz:,.0f} messages a second {row.label} takes {percent(share)} of one "
                f"core.{_most(share)}"
            )
        before = shares[row.baseline_row]
        if row.difference is not None and share is not None and before is not None:
            sentences.append(_sentence(row, before, share))
    return sentences


def _sentence(row: Row, before: float, after: float) -> str:
    change = "more" if after > before else "less"
    return (
        f"With {row.label} it is {percent(after)}: {percent(abs(after - before))} of a core "
        f"{change}, and no more than that can come of the change."
    )


def _most(share: float) -> str:
    return " That is more than there is: one core cannot keep this rate." if share > 1 else ""


def parse_rate(text: str) -> float | None:
    """Return a rate written as `22500/s`, `22.5k/s` or `22500`, per second; None if it is none."""
    number = text.strip().removesuffix("/s").replace(",", "").replace("_", "")
    factor = {"k": 1e3, "M": 1e6}.get(number[-1:], 1.0)
    digits = number[:-1] if factor != 1.0 else number
    whole, _, decimals = digits.partition(".")
    if not whole.isascii() or not (whole + decimals).isdigit() or not whole:
        return None
    rate = float(digits) * factor
    return rate if 0 < rate <= MOST_HZ else None


def with_rate(view: View, rate: str | None) -> View:
    """Return the view with the sentences for a rate; PlanError where the rate is none."""
    if rate is None:
        return view
    rate_hz = parse_rate(rate)
    if rate_hz is None:
        raise PlanError(f"--rate {rate}: not a rate", mend="write messages a second as 22500/s")
    return msgspec.structs.replace(
        view, sentences=[*view.sentences, *amdahl_sentences(view, rate_hz)]
    )
