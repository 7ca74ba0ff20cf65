# SPDX-License-Identifier: MIT
"""Rates of other tools come with their faults corrected, and the correction said."""

import pytest

from sockmeter.files.imports.content import Options
from sockmeter.model.errors import RunFileError
from sockmeter.model.imported import Form, ImportedRun, Rate
from sockmeter.model.units import Unit
from tests.files.imports.sources import import_sample, import_text


def rate_of(imported: ImportedRun, name: str) -> Rate:
    return next(rate for rate in imported.rates if rate.name == name)


def test_udpgso_prints_mib_as_mb() -> None:
    """A line shifts bytes right by 20: 396 of them are 415.2 million."""
    imported = import_sample("udpgso-tx.txt")
    payload = rate_of(imported, "udp tx: payload")
    assert Form.UDPGSO == imported.form
    assert [396 * 1.048576, 376 * 1.048576] == payload.values
    assert payload.corrected is not None
    assert "whole MiB" in payload.corrected
    assert [282574, 268547] == rate_of(imported, "udp tx: calls").values


def test_udpgso_prints_kib_per_ms_as_mb_in_its_sum() -> None:
    """The calls a second of the same line, of 1472 bytes each, bear it out within its rounding."""
    imported = import_sample("udpgso-tx.txt")
    payload = rate_of(imported, "udp tx, whole run: payload")
    assert [396 * 1.024] == payload.values
    assert 275560 * 1472 / 1e6 == pytest.approx(payload.values[0], abs=1.024)


def test_udpgso_receivers_are_read_too() -> None:
    imported = import_sample("udpgso-rx.txt")
    assert [207317, 233321] == rate_of(imported, "udp rx: calls").values
    assert any("wait for the first datagram" in remark for remark in imported.remarks)


@pytest.mark.parametrize(
    ("name", "divisor", "seconds", "sent", "too_much"),
    [("io_uring-tx.txt", 4, 4.2, 1688120, "5 %"), ("io_uring-tx-zc.txt", 1, 1.2, 388240, "20 %")],
)
def test_io_uring_divides_by_too_few_seconds(
    name: str, divisor: int, seconds: float, sent: int, too_much: str
) -> None:
    requests = rate_of(import_sample(name), "tx: requests")
    assert [pytest.approx(sent / seconds)] == requests.values
    assert f"printed per {divisor} s of a run of {seconds} s: {too_much} too much" == (
        requests.corrected
    )


def test_msg_zerocopy_tells_totals_and_rates_only_with_the_seconds() -> None:
    totals = import_sample("msg_zerocopy-tx.txt")
    assert {"calls", "MB"} == {rate.unit for rate in totals.rates}
    assert any("--seconds" in remark for remark in totals.remarks)
    rates = import_sample("msg_zerocopy-tx.txt", Options(seconds=1.2))
    assert [225731 / 1.2] == rate_of(rates, "tx: calls a second").values


def test_zerocopy_that_was_copied_is_called_so() -> None:
    imported = import_sample("msg_zerocopy-tx-z.txt")
    assert [28880] == rate_of(imported, "tx zerocopy, copied: calls").values
    assert any("not of zerocopy" in remark for remark in imported.remarks)


def test_a_receiver_of_msg_zerocopy_is_read_too() -> None:
    assert [73713] == rate_of(import_sample("msg_zerocopy-rx.txt"), "rx: calls").values


def test_netperf_tells_latencies_in_microseconds() -> None:
    imported = import_sample("netperf-udp-rr.txt")
    assert Form.NETPERF == imported.form
    assert Unit.NS == imported.unit
    stated = imported.columns[0].stated
    assert (6000, 10000, 6940) == (stated["p50"], stated["p99"], stated["mean"])
    assert [143040.85] == rate_of(imported, "throughput").values


def test_netperf_counts_megabytes_in_powers_of_two() -> None:
    throughput = rate_of(import_sample("netperf-k.txt"), "throughput")
    assert [pytest.approx(2263.35 * 1.048576)] == throughput.values
    assert "netperf's MBytes are 2^20 bytes" == throughput.corrected


def test_netperf_of_udp_tells_what_was_sent_beside_what_arrived() -> None:
    imported = import_sample("netperf-all.txt")
    sent, arrived = (rate_of(imported, name) for name in ("sent here", "received there"))
    assert sent.values[0] > arrived.values[0]
    assert arrived.values == rate_of(imported, "throughput").values


def test_a_netperf_run_that_follows_another_is_a_run_of_its_own() -> None:
    text = "THROUGHPUT=1.00\nTHROUGHPUT_UNITS=Trans/s\nTHROUGHPUT=2.00\nTHROUGHPUT_UNITS=Trans/s\n"
    assert [1.0, 2.0] == rate_of(import_text(text), "throughput").values


def test_what_netperf_did_not_measure_is_absent() -> None:
    """It prints -1 or nan for that."""
    text = "THROUGHPUT=1.00\nTHROUGHPUT_UNITS=Trans/s\nP50_LATENCY=-1\nMEAN_LATENCY=-nan\n"
    assert [] == import_text(text).columns


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("udp tx:    396 MB/s   2825", "line 1: .* is not a whole line of udpgso_bench"),
        ("tx=12 (3 MB) txc=0 zc=n\ntx=12 (3 MB) tx", "line 2: .* not a whole line of msg_zero"),
        ("tx=9 (MB=1), tx/s=0 (MB/s=0)", "line 1: tx/s=0"),
        ("tx=9 (MB=1), tx/s=10 (MB/s=1)", "line 1: tx=9 and tx/s=10 do not go together"),
        ("tx=9 (MB=1), tx/s=1 (MB/s=1)", "line 1: tx=9 is too little"),
        ("THROUGHPUT=fast\nTHROUGHPUT_UNITS=Trans/s", "line 1: THROUGHPUT: 'fast' is not a number"),
        ("THROUGHPUT=-7\nTHROUGHPUT_UNITS=Trans/s", "line 1: THROUGHPUT: -7 is out of range"),
        ("THROUGHPUT=7\nTHROUGHPUT_UNITS=furlongs", "line 2: THROUGHPUT_UNITS: 'furlongs'"),
        ("THROUGHPUT=7\n", "neither a throughput with its unit nor a latency"),
        (
            "THROUGHPUT=1\nTHROUGHPUT_UNITS=Trans/s\nTHROUGHPUT=2\nTHROUGHPUT_UNITS=MBytes/s\n",
            "mixed units: MB/s and transactions/s",
        ),
    ],
)
def test_a_line_that_is_cut_or_senseless_is_named(text: str, what: str) -> None:
    with pytest.raises(RunFileError, match=what):
        import_text(text)
