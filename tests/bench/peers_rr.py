# SPDX-License-Identifier: MIT
"""`rr` against sockperf's ping-pong: the same sockets, calls and CPUs, in turn, as a ratio.

Both send with sendto and receive with recvfrom; both run under SCHED_OTHER, pinned, without
anything else asked of them. Compared are medians of the round trip: the means of both hold stalls
of milliseconds that belong to the machine.
"""

import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from sockmeter.judge.intervals import sign_interval
from sockmeter.model.buckets import bucket_lowers
from sockmeter.plan.designs import Request, make_design
from sockmeter.rig.host import choose_cpu
from sockmeter.rig.probe import LocalProbe, find_probe
from sockmeter.rig.wire import decode_output, encode_plan
from tests.bench.bounds import Bound

PAIRS = 12
SIZE_BYTES = 64
SECONDS_A_RUN = 1
TRANSACTIONS = 30_000

# name: (family, how both ends wait, where the server is)
WAYS = {
    "udp, blocking, one CPU": ("udp4", "block", "same"),
    "udp, spinning, two CPUs": ("udp4", "spin", "other"),
    "tcp, blocking, one CPU": ("tcp4", "block", "same"),
}


def compare_rr(peers: Path) -> Iterator[Bound]:
    """Yield, for each way, how many times sockperf's median round trip ours is.

    `peers` is a directory with a binary called sockperf; where it has none, nothing is yielded.
    """
    sockperf = peers / "sockperf"
    if not sockperf.is_file():
        return
    probe, cpu = find_probe(), choose_cpu()
    for name, (family, wait, where) in WAYS.items():
        server_cpu = cpu if where == "same" else _other_cpu(cpu)
        if server_cpu is None:
            continue
        options = [*(["--tcp"] if family == "tcp4" else [])]
        options += ["--nonblocked"] if wait == "spin" else []
        ratios = []
        with _serving(sockperf, options, server_cpu) as port:
            for number in range(PAIRS):
                pair = [
                    _ours_us(probe, cpu, family, wait, where)
                    if ours
                    else _theirs_us(sockperf, options, cpu, port)
                    for ours in (number % 2 == 0, number % 2 == 1)
                ]
                ours_us, theirs_us = pair if number % 2 == 0 else reversed(pair)
                ratios.append(ours_us / theirs_us)
        interval = sign_interval(np.log(np.array(ratios)), 0.05)
        low, middle, high = np.exp([interval.low, interval.estimate, interval.high])
        yield Bound(
            f"rr {name}",
            float(low),
            1.0,
            "times sockperf's round trip at least",
            f"ratio {middle:.3f}, 95 % interval {low:.3f} to {high:.3f}, {PAIRS} pairs",
        )


def _other_cpu(cpu: int) -> int | None:
    return max((other for other in os.sched_getaffinity(0) if other != cpu), default=None)


@contextmanager
def _serving(sockperf: Path, options: Sequence[str], cpu: int) -> Iterator[int]:
    """Run a server on a free port for as long as the context lasts."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    command = [
        "taskset",
        "-c",
        str(cpu),
        str(sockperf),
        "server",
        "-i",
        "127.0.0.1",
        "-p",
        str(port),
    ]
    server = subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        yield port
    finally:
        server.terminate()
        server.wait(timeout=10)


def _theirs_us(sockperf: Path, options: Sequence[str], cpu: int, port: int) -> float:
    words = ["ping-pong", "-i", "127.0.0.1", "-p", str(port), "-m", str(SIZE_BYTES), "--full-rtt"]
    finished = subprocess.run(
        ["taskset", "-c", str(cpu), sockperf, *words, "-t", str(SECONDS_A_RUN), *options],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    match = re.search(r"percentile 50\.000 =\s*([\d.]+)", finished.stdout)
    if match is None:
        raise ValueError(f"sockperf printed no median: {finished.stdout[-500:]}")
    return float(match[1])


def _ours_us(probe: LocalProbe, cpu: int, family: str, wait: str, where: str) -> float:
    factors = {"family": [family], "size": [str(SIZE_BYTES)], "priority": ["0"]}
    factors |= {"wait": [wait], "peer-cpu": [where], "peer": ["process"], "name": ["yes"]}
    if family == "udp4":
        factors["connected"] = ["no"]
    request = Request(
        scenario="rr", call=["recvfrom"], factors=factors, rounds=6, calls=TRANSACTIONS
    )
    report = decode_output(probe.run(encode_plan(make_design(request), [0], cap=0, cpu=cpu)))
    (segment,) = report.segments
    left = segment.count / 2
    for bucket, calls in segment.buckets:
        left -= calls
        if left <= 0:
            clock_hz = report.instrument.clock.clock_hz or 1e9
            return float(bucket_lowers()[bucket]) / clock_hz * 1e6
    raise ValueError("the histogram holds fewer calls than were counted")
