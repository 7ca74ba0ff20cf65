# SPDX-License-Identifier: MIT
"""The words that a plan is made of, as tables."""

from collections.abc import Mapping, Sequence

import msgspec

from sockmeter.plan.calls import Call
from sockmeter.plan.factors import FACTORS
from sockmeter.plan.sinks import SINKS
from sockmeter.report.tables import Cell, Table

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
    """Why something cannot be had on this machine; None: it can. What is absent was not tried."""

    calls: Mapping[tuple[str, str], str | None] = {}  # by scenario and call
    values: Mapping[tuple[str, str], str | None] = {}  # by factor and value


def scenario_table() -> Table:
    """Return the scenarios."""
    return _words_table(
        "Scenarios", ["scenario", "what is timed"], [[*item] for item in SCENARIOS.items()]
    )


def call_table(calls: Sequence[Call], here: Here) -> Table:
    """Return the calls, and which of them can be had."""
    rows = [
        [
            call.scenario,
            call.name,
            call.summary,
            ", ".join(call.factors),
            _word(here.calls, (call.scenario, call.name)),
        ]
        for call in calls
    ]
    columns = ["scenario", "call", "what it is", "factors of its own", "here"]
    return _words_table("Calls", columns, rows)


def sink_table(here: Here) -> Table:
    """Return the sinks, the best first, and which of them can be had."""
    rows = [[sink.name, sink.summary, _word(here.values, ("sink", sink.name))] for sink in SINKS]
    columns = ["sink", "what becomes of a packet", "here"]
    return _words_table("Sinks of bulk and zerocopy", columns, rows)


def factor_table(calls: Sequence[Call], here: Here) -> Table:
    """Return the calls' factors with unit and default, those on the machine last.

    Of values that not every machine has, which ones can be had.
    """
    taken = [row for row in FACTORS if any(call.takes(row.name) for call in calls)]
    rows = [[row.name, row.default, row.unit, row.summary] for row in taken]
    has_device = any(row.name == "sink" for row in taken)
    rows += [
        [kind, "as it is", "", summary]
        for kind, summary in TURNED.items()
        if kind == "sysctl" or has_device
    ]
    columns = ["factor", "default", "unit", "what it varies", "here"]
    return _words_table(
        "Factors",
        columns,
        [[f"--{name}", *words, _words_of_values(here.values, name)] for name, *words in rows],
    )


def _word(tried: Mapping[tuple[str, str], str | None], key: tuple[str, str]) -> str:
    if key not in tried:
        return "not tried"
    why = tried[key]
    return "yes" if why is None else f"no: {why}"


def _words_of_values(tried: Mapping[tuple[str, str], str | None], factor: str) -> str:
    """Return which values of a factor cannot be had; nothing where none was tried."""
    found = {value: why for (name, value), why in tried.items() if name == factor}
    if not found:
        return ""
    lacking = [f"not {value}: {why}" for value, why in found.items() if why is not None]
    return "; ".join(lacking) or "yes"


def _words_table(title: str, columns: list[str], rows: list[list[str]]) -> Table:
    return Table(
        title=title,
        columns=columns,
        rows=[[Cell(text) for text in row] for row in rows],
        wordy=frozenset(range(len(columns))),
    )
