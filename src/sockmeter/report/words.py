# SPDX-License-Identifier: MIT
"""The words that a plan is made of, as tables."""

from sockmeter.plan.calls import CALLS, calls_of
from sockmeter.plan.factors import FACTORS
from sockmeter.plan.sinks import SINKS
from sockmeter.report.tables import Cell, Table

SCENARIOS = {
    "recv": "messages are queued beforehand, the receive is timed",
    "send": "the send is timed, the receiver is drained outside the bracket",
    "channels": "a reader wakes every tick and takes what many paced UDP sockets have received",
    "rr": "a request and its response are timed together, and the two calls that make them",
    "bulk": "as much as can be sent, to a sink that drops it or to a second thread that reads it",
    "zerocopy": "the same with MSG_ZEROCOPY, beside the copying send: what notifications cost",
}


def scenario_table() -> Table:
    """Return the scenarios."""
    return _words_table(
        "Scenarios", ["scenario", "what is timed"], [[*item] for item in SCENARIOS.items()]
    )


def call_table(scenario: str | None) -> Table:
    """Return the calls of one scenario, or of all; PlanError if there is no such scenario."""
    calls = CALLS if scenario is None else calls_of(scenario)
    rows = [[call.scenario, call.name, call.summary, ", ".join(call.factors)] for call in calls]
    columns = ["scenario", "call", "what it is", "factors of its own"]
    return _words_table("Calls", columns, rows)


def sink_table() -> Table:
    """Return the sinks, the best first."""
    rows = [[sink.name, sink.summary] for sink in SINKS]
    return _words_table("Sinks of bulk and zerocopy", ["sink", "what becomes of a packet"], rows)


def factor_table() -> Table:
    """Return the factors with unit and default."""
    rows = [[f"--{row.name}", row.default, row.unit, row.summary] for row in FACTORS]
    return _words_table("Factors", ["factor", "default", "unit", "what it varies"], rows)


def _words_table(title: str, columns: list[str], rows: list[list[str]]) -> Table:
    return Table(
        title=title,
        columns=columns,
        rows=[[Cell(text) for text in row] for row in rows],
        wordy=frozenset(range(len(columns))),
    )
