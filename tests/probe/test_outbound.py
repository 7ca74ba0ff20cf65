# SPDX-License-Identifier: MIT
"""Scenarios bulk and zerocopy of the probe, over this machine's loopback."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.probe.test_probe import (
    Record,
    allowed_by,
    check_laws,
    make_segment,
    probe,
    run_probe,
    run_segments,
)

pytestmark = pytest.mark.system

__all__ = ["probe"]

OWN: dict[str, int | str] = {
    "scenario": "bulk",
    "call": "send",
    "size": 1472,
    "to": "127.0.0.1",
    "receiver": "yes",
    "gro": "no",
    "segments": 1,
    "buffers": 1,
    "zerocopy": "no",
    "limit": 1,
    "cork": 1,
}
ADDRESSES = {"udp4": "127.0.0.1", "udp6": "::1", "tcp4": "127.0.0.1", "tcp6": "::1"}


def make_sending(segment_id: int, **words: Any) -> str:
    return make_segment(segment_id, **(OWN | {"calls": 500, "warmup": 64} | words))


def counters_of(segment: Record) -> dict[str, int]:
    counters: dict[str, int] = segment["counters"]
    return counters


@pytest.mark.parametrize("family", ADDRESSES)
def test_every_call_of_bulk_sends_every_byte(probe: Path, family: str) -> None:
    """Calls, datagrams and bytes agree; a stream arrives whole."""
    calls = {"send": 1, "sendmsg": 1, "sendmmsg": 8}
    if family.startswith("udp"):
        calls |= {"send-gso": 1, "sendmsg-gso": 1, "sendmmsg-gso": 4}
    for segment in allowed_by(
        run_segments(
            probe,
            *(
                make_sending(
                    number,
                    call=call,
                    batch=batch,
                    family=family,
                    to=ADDRESSES[family],
                    segments=10 if "gso" in call else 1,
                )
                for number, (call, batch) in enumerate(calls.items())
            ),
        )
    ):
        call, batch = list(calls.items())[segment["id"]]
        segments = 10 if "gso" in call else 1
        check_laws(segment)
        assert ({}, 0) == (segment["failed"], segment["short"])
        assert segment["calls"] * batch * segments == segment["datagrams"]
        assert segment["datagrams"] * 1472 == segment["bytes"]
        if family.startswith("tcp"):
            assert segment["bytes"] == counters_of(segment)["received_bytes"]
        assert 0 == counters_of(segment)["receiver_errno"]


def test_a_gro_receiver_gets_what_was_sent_as_one(probe: Path) -> None:
    """Ten segments leave in one call and come in one read; without UDP_GRO in ten."""
    joined, apart = run_segments(
        probe,
        make_sending(0, call="send-gso", segments=10, gro="yes", calls=64),
        make_sending(1, call="send-gso", segments=10, gro="no", calls=64),
    )
    assert 10 * counters_of(joined)["received_calls"] == counters_of(joined)["received_datagrams"]
    assert [[10, counters_of(joined)["received_calls"]]] == joined["histograms"]["gro_segments"][
        "buckets"
    ]
    assert "datagrams" == joined["histograms"]["gro_segments"]["unit"]
    assert counters_of(apart)["received_calls"] == counters_of(apart)["received_datagrams"]
    assert 0 == counters_of(joined)["received_truncated"]
    assert "histograms" not in apart


@pytest.mark.parametrize("family", ["udp4", "udp6"])
@pytest.mark.parametrize("zerocopy", ["poll", "recvmsg", "recvmmsg"])
def test_loopback_copies_every_zerocopy_send(probe: Path, family: str, zerocopy: str) -> None:
    """What is delivered on the machine itself is copied: skb_orphan_frags_rx, net/core/dev.c."""
    for segment in allowed_by(
        run_segments(
            probe,
            make_sending(
                0,
                scenario="zerocopy",
                family=family,
                to=ADDRESSES[family],
                zerocopy=zerocopy,
                size=4096,
            ),
        )
    ):
        counters = counters_of(segment)
        assert segment["calls"] == counters["sent_calls"] == counters["returned_calls"]
        assert segment["calls"] == counters["copied_calls_least"] == counters["copied_calls_most"]
        assert counters["notifications"] == counters["marked_notifications"]
        assert 0 == counters["impossible_notifications"] == counters["foreign_errors"]
        assert segment["histograms"]["read"]["count"] > 0
        assert counters["notifications"] == segment["histograms"]["delay"]["count"]
        assert (zerocopy == "poll") == (segment["histograms"]["poll"]["count"] > 0)


@pytest.mark.parametrize("zerocopy", ["poll", "recvmsg", "recvmmsg", "none"])
@pytest.mark.parametrize("limit", [1, 32])
def test_notifications_of_a_stream_balance(probe: Path, zerocopy: str, limit: int) -> None:
    """Ranges may be joined and out of order; in the end every send is given back."""
    (segment,) = run_segments(
        probe,
        make_sending(
            0,
            scenario="zerocopy",
            family="tcp4",
            size=65536,
            zerocopy=zerocopy,
            limit=limit,
        ),
    )
    counters = counters_of(segment)
    histograms = segment["histograms"]
    assert counters["sent_calls"] == counters["returned_calls"] == segment["calls"]
    assert counters["notifications"] == histograms["range"]["count"]
    assert counters["returned_calls"] == histograms["range"]["sum"]
    assert counters["notifications"] == counters["marked_notifications"]
    assert counters["copied_calls_least"] <= counters["copied_calls_most"] == segment["calls"]
    if zerocopy == "none":
        assert 0 == histograms["read"]["count"] == histograms["poll"]["count"]


def test_corked_sends_make_one_datagram(probe: Path) -> None:
    """Eight sends of 100 bytes arrive as one datagram of 800."""
    (segment,) = run_segments(probe, make_sending(0, size=100, cork=8, calls=64))
    counters = counters_of(segment)
    assert 8 * counters["received_datagrams"] == segment["calls"]
    assert segment["bytes"] == counters["received_bytes"]


@pytest.mark.parametrize("cork", [3, 17])
def test_every_burst_ends_with_a_whole_message(probe: Path, cork: int) -> None:
    """64 sends, and 32 between two looks, are no multiple of it: what is corked has not left."""
    corked = {"size": 100, "cork": cork, "calls": 100}
    plain, zerocopy = run_segments(
        probe,
        make_sending(0, **corked),
        make_sending(1, scenario="zerocopy", zerocopy="poll", limit=32, **corked),
    )
    for segment, burst in ((plain, 64), (zerocopy, 32)):
        whole = -(-burst // cork) * cork
        assert (whole, 0) == (segment["depth"], segment["calls"] % whole)
        assert segment["bytes"] == 100 * segment["calls"] == counters_of(segment)["received_bytes"]
    counters = counters_of(zerocopy)
    assert zerocopy["calls"] == counters["sent_calls"] == counters["returned_calls"]


def test_the_longest_burst_of_whole_messages_fits(probe: Path) -> None:
    """65,536 sends of threes are rounded down: no more calls than that are logged."""
    (segment,) = run_segments(probe, make_sending(0, size=1, cork=3, calls=1, queue=65_536))
    assert 65_535 == segment["depth"]


def test_the_limits_of_the_kernel_are_refusals(probe: Path) -> None:
    """Too many segments, and more bytes than a datagram holds."""
    beyond, long, fine = run_segments(
        probe,
        make_sending(0, call="send-gso", size=10, segments=1000),
        make_sending(2, call="sendmsg-gso", size=1472, segments=60),
        make_sending(3),
    )
    assert ("call", "EINVAL") == (beyond["step"], beyond["errno"])
    assert ("call", "EMSGSIZE") == (long["step"], long["errno"])
    assert "segment" == fine["record"]


def test_the_control_message_that_was_never_merged_is_refused(probe: Path) -> None:
    refused, fine = run_segments(
        probe,
        make_sending(0, scenario="zerocopy", zerocopy="cmsg"),
        make_sending(1, scenario="zerocopy", zerocopy="recvmsg"),
    )
    assert ("cmsg", "EOPNOTSUPP") == (refused["step"], refused["errno"])
    assert "segment" == fine["record"]


def test_a_port_where_nobody_reads_fails_and_is_counted(probe: Path) -> None:
    """Loopback without a listener answers every other send with ECONNREFUSED."""
    (segment,) = run_segments(probe, make_sending(0, receiver="no"))
    assert 0.4 * segment["calls"] < segment["failed"]["ECONNREFUSED"] < 0.6 * segment["calls"]


def test_a_namespace_that_is_none_is_an_error(probe: Path) -> None:
    """And a word that is no option is one."""
    for words, text in (
        (["--namespace", "0"], "namespace 0 cannot be joined"),
        (["--namespace"], "'--namespace' is not --namespace FD"),
        (["--net", "3"], "'--net' is not --namespace FD"),
    ):
        with open(os.devnull, "rb") as nothing:
            finished = subprocess.run(
                [probe, *words], stdin=nothing, capture_output=True, check=False
            )
        error = json.loads(finished.stdout.splitlines()[1])
        assert 1 == finished.returncode
        assert text in error["text"]


def test_a_probe_without_a_namespace_runs_where_it_is(probe: Path) -> None:
    status, records = run_probe(probe, "sockmeter-plan 1\nclock auto\ncap 0\nend\n")
    assert 0 == status
    assert "end" == records[-1]["record"]
