# SPDX-License-Identifier: MIT
"""The words of a plan, with what of them a machine refuses."""

from sockmeter.plan.calls import CALLS, calls_of
from sockmeter.report.tables import Table
from sockmeter.report.words import Here, call_table, factor_table, sink_table

RR = calls_of("rr")


def make_here(**values: str | None) -> Here:
    """Return what is refused: a factor's values by `factor_value`; of the calls, every read."""
    calls = {
        (call.scenario, call.name): "no such call" if call.name == "read" else None
        for call in CALLS
    }
    return Here(
        calls=calls,
        values={(name.split("_")[0], name.split("_")[1]): why for name, why in values.items()},
    )


def cell(table: Table, row: str, column: str) -> str:
    at = table.columns.index(column)
    (text,) = {line[at].text for line in table.rows if row in [each.text for each in line]}
    return text


def test_a_call_says_whether_it_can_be_had_here() -> None:
    table = call_table(RR, make_here())
    assert "no: no such call" == cell(table, "read", "here")
    assert "yes" == cell(table, "recvmsg", "here")


def test_a_factor_names_the_values_that_cannot_be_had_each_with_its_reason() -> None:
    here = make_here(ring_plain=None, ring_sqpoll="EPERM", peer_thread=None)
    table = factor_table(RR, here)
    assert "not sqpoll: EPERM" == cell(table, "--ring", "here")
    assert "yes" == cell(table, "--peer", "here")
    assert "" == cell(table, "--size", "here")


def test_a_sink_says_whether_it_can_be_had_here() -> None:
    here = make_here(
        sink_dummy="modprobe dummy",
        **{f"sink_{name}": None for name in ("ifb", "loopback-drop", "veth", "loopback")},
    )
    assert "no: modprobe dummy" == cell(sink_table(here), "dummy", "here")


def test_what_was_not_tried_is_said_to_be_so() -> None:
    assert "not tried" == cell(call_table(RR, Here()), "recvmsg", "here")
    assert "not tried" == cell(sink_table(Here()), "ifb", "here")
    assert "" == cell(factor_table(RR, Here()), "--ring", "here")


def test_a_factor_is_no_scenario_of_its_name() -> None:
    """channels is both."""
    calls = calls_of("channels")
    here = Here(calls={("channels", call.name): "no" for call in calls})
    assert "" == cell(factor_table(calls, here), "--channels", "here")


def test_a_scenario_lists_the_factors_of_its_own_calls_alone() -> None:
    factors = {row[0].text for row in factor_table(RR, Here()).rows}
    assert {"--wait", "--peer-cpu", "--sysctl"} <= factors
    assert factors.isdisjoint({"--sink", "--channels", "--zerocopy", "--offload"})
