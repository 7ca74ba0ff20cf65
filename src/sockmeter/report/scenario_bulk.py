# SPDX-License-Identifier: MIT
"""The second table of bulk and zerocopy: rates, costs all in, and what notifications say."""

from sockmeter.judge.assess import Assessment
from sockmeter.judge.sending import Notified, Sent, notified_of, sent_of
from sockmeter.judge.soundness import segments_of
from sockmeter.model.runs import Run
from sockmeter.model.segments import Segment
from sockmeter.plan.factors import STREAMS
from sockmeter.report.figures import FigureColumn, Figures, Value


def bulk_figures(run: Run, _: Assessment) -> Figures:
    """Return rates of every arm, and its mean costs all in."""
    unit = run.instrument.clock.unit
    columns = [
        FigureColumn(key="megabytes_per_s", head="sent\nMB/s"),
        FigureColumn(key="calls_per_s", head="calls/s"),
        FigureColumn(key="datagrams_per_s", head="datagrams/s"),
        FigureColumn(key=f"call_{unit}", head=f"a call\n{unit}"),
        FigureColumn(key=f"byte_{unit}", head=f"a byte\n{unit}", digits=4),
        FigureColumn(key="received_megabytes_per_s", head="received\nMB/s"),
        FigureColumn(key="received_percent", head="received\n%", digits=1),
        FigureColumn(key="segments_per_read", head="datagrams\na read", digits=1),
        FigureColumn(key=f"read_{unit}", head=f"a reading\n{unit}"),
        FigureColumn(key=f"looking_{unit}", head=f"looking\n{unit}/send"),
        FigureColumn(key=f"delay_{unit}", head=f"delay\n{unit}"),
        FigureColumn(key="sends_per_notification", head="sends a\nnotice", digits=1),
        FigureColumn(key="carried_percent", head="with the\nsends\n%"),
        FigureColumn(key="copied", head="copied\n%"),
    ]
    rows = [
        _row(segments_of(run, at), str(unit), is_stream=arm.factors.get("family") in STREAMS)
        for at, arm in enumerate(run.design.arms)
    ]
    return Figures(
        title="All in: the sends and every look for a notification; MB are 10^6 bytes",
        columns=[column for column in columns if any(column.key in row for row in rows)],
        rows=rows,
        gives_way=[
            *("calls_per_s", "datagrams_per_s", "carried_percent", "received_megabytes_per_s"),
            *("segments_per_read", f"call_{unit}", "sends_per_notification", f"delay_{unit}"),
            *("received_percent", f"looking_{unit}", f"read_{unit}", "copied"),
        ],
    )


def _row(segments: list[Segment], unit: str, *, is_stream: bool) -> dict[str, Value]:
    sent, notified = sent_of(segments), notified_of(segments)
    row: dict[str, Value] = {}
    if sent is not None:
        row |= _sent(sent, unit)
        if is_stream:
            del row["datagrams_per_s"]  # it has none: what counts there is its calls
    if notified is not None:
        row |= _notified(notified, unit)
    return _known(**row)


def _known(**row: Value) -> dict[str, Value]:
    return {key: value for key, value in row.items() if value is not None}


def _sent(sent: Sent, unit: str) -> dict[str, Value]:
    share = sent.received_share
    return {
        "megabytes_per_s": sent.megabytes_per_s,
        "calls_per_s": sent.calls_per_s,
        "datagrams_per_s": (
            sent.datagrams_per_s if sent.datagrams_per_s != sent.calls_per_s else None
        ),
        f"call_{unit}": sent.units_per_call,
        f"byte_{unit}": sent.units_per_byte,
        "received_megabytes_per_s": sent.received_megabytes_per_s,
        "received_percent": None if share is None else 100 * share,
        "segments_per_read": sent.segments_per_read,
    }


def _notified(notified: Notified, unit: str) -> dict[str, Value]:
    return {
        f"read_{unit}": notified.read,
        f"looking_{unit}": notified.look_per_send,
        f"delay_{unit}": notified.delay,
        "sends_per_notification": notified.sends_per_notification,
        "carried_percent": 100 * notified.carried if notified.carried else None,
        "copied": _bounds(notified.copied_least, notified.copied_most),
    }


def _bounds(least: float, most: float) -> str:
    low, high = f"{100 * least:.0f}", f"{100 * most:.0f}"
    return low if low == high else f"{low} to {high}"
