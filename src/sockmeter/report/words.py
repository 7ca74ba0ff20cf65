# SPDX-License-Identifier: MIT
"""The words that a plan is made of, as tables."""

from collections.abc import Mapping, Sequence

import msgspec

from sockmeter.plan.calls import Call
from sockmeter.plan.factors import FACTORS
from sockmeter.plan.sinks import SINKS
from sockmeter.report.tables import Cell, Table

Refused = Mapping[tuple[str, str], str | None]

TURNED = {
    "sysctl": "a sysctl of the private network, else of the machine: --sysctl NAME=V,…",
    "offload": "an offload of the sink's device: --offload NAME=on,off",
}

SCENARIOS = {
    "recv": "messages are queued beforehand, the receive is timed",
    "send": "the send is timed, the receiver is drained outside the bracket",
    "channels": "a reader wakes every tick and takes what many paced UDP sockets have received",
    "rr": "a request and its response are timed together, and the two calls that make them",
    "bulk": "as much as can be sent, to a sink that drops it or to a second thread that reads it",
    "zerocopy": "the same with MSG_ZEROCOPY, beside the copying send: what notifications cost",
}


class Here(msgspec.Struct, frozen=True, kw_only=True):
    """Why something cannot be had on this machine; None: it can."""

    calls: Refused  # by scenario and call
    values: Refused  # by factor and value


def scenario_table() -> Table:
    """Return the scenarios."""
    return _words_table(
        "Scenarios", ["scenario", "what is timed"], [[*item] for item in SCENARIOS.items()]
    )


def call_table(calls: Sequence[Call], here: Here | None) -> Table:
    """Return the calls; with `here`, as the other tables, what of them this machine takes."""
    rows = [
        [call.scenario, call.name, call.summary, ", ".join(call.factors)]
        + ([] if here is None else [_words(here.calls, (call.scenario, call.name))])
        for call in calls
    ]
    columns = ["scenario", "call", "what it is", "factors of its own", *_head(here)]
    return _words_table("Calls", columns, rows)


def sink_table(here: Here | None) -> Table:
    """Return the sinks, the best first."""
    rows = [
        [sink.name, sink.summary]
        + ([] if here is None else [_words(here.values, ("sink", sink.name))])
        for sink in SINKS
    ]
    columns = ["sink", "what becomes of a packet", *_head(here)]
    return _words_table("Sinks of bulk and zerocopy", columns, rows)


def factor_table(calls: Sequence[Call], here: Here | None) -> Table:
    """Return the factors of the calls with unit and default, those on the machine last."""
    taken = [row for row in FACTORS if any(call.takes(row.name) for call in calls)]
    rows = [[row.name, row.default, row.unit, row.summary] for row in taken]
    has_device = any(row.name == "sink" for row in taken)
    rows += [
        [kind, "as it is", "", summary]
        for kind, summary in TURNED.items()
        if kind == "sysctl" or has_device
    ]
    if here is not None:
        rows = [[*row, _words_of_values(here.values, row[0])] for row in rows]
    rows = [[f"--{name}", *words] for name, *words in rows]
    columns = ["factor", "default", "unit", "what it varies", *_head(here)]
    return _words_table("Factors", columns, rows)


def _head(here: Here | None) -> list[str]:
    return [] if here is None else ["here"]


def _words(refused: Refused, key: tuple[str, str]) -> str:
    why = refused[key]
    return "yes" if why is None else f"no: {why}"


def _words_of_values(refused: Refused, factor: str) -> str:
    """Return which values of a factor cannot be had; nothing where all can everywhere."""
    tried = {value: why for (name, value), why in refused.items() if name == factor}
    if not tried:
        return ""
    lacking = [f"not {value}: {why}" for value, why in tried.items() if why is not None]
    return "; ".join(lacking) or "yes"


def _words_table(title: str, columns: list[str], rows: list[list[str]]) -> Table:
    return Table(
        title=title,
        columns=columns,
        rows=[[Cell(text) for text in row] for row in rows],
        wordy=frozenset(range(len(columns))),
    )
