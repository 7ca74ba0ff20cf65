# SPDX-License-Identifier: MIT
"""What this kernel and this user can do for bulk and zerocopy, tried out and not guessed."""

import errno
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress

from sockmeter.plan.sinks import find_sink
from sockmeter.rig.health.finding import Finding, Status
from sockmeter.rig.sinks import NamespaceRefusedError
from sockmeter.rig.turning.stage import Stage

# <linux/udp.h>, <asm-generic/socket.h>
UDP_SEGMENT = 103
UDP_GRO = 104
SO_ZEROCOPY = 60
MOST_SEGMENTS = (128, 64)  # UDP_MAX_SEGMENTS from 6.9, and before


def examine_sending(stage: Stage) -> list[Finding]:
    """Return what can be sent, where to, and what can be turned; changes nothing."""
    return [
        *_network(stage),
        _sinks(stage),
        *_option("UDP_SEGMENT", socket.SOCK_DGRAM, socket.IPPROTO_UDP, UDP_SEGMENT, _segments()),
        *_option("UDP_GRO", socket.SOCK_DGRAM, socket.IPPROTO_UDP, UDP_GRO, "readers can join"),
        *_option(
            "MSG_ZEROCOPY",
            socket.SOCK_STREAM,
            socket.SOL_SOCKET,
            SO_ZEROCOPY,
            "sends need not copy; where somebody reads over loopback they do",
        ),
        _sysctls(),
    ]


def _network(stage: Stage) -> Iterator[Finding]:
    if stage.is_private:
        detail = "bulk and zerocopy have a network of their own, gone with the run"
        yield Finding(subject="private network", status=Status.OK, detail=detail)
        return
    refusal = next(iter(stage.refusals.values()))
    yield Finding(
        subject="private network",
        status=Status.CANNOT,
        detail=f"none can be made ({refusal.text}): bulk and zerocopy go over loopback, and copy",
        mend=refusal.mend,
    )


def _sinks(stage: Stage) -> Finding:
    best = stage.best_sink()
    if not stage.refusals:
        return Finding(subject="sinks", status=Status.OK, detail=f"all; bulk goes to {best}")
    missing: dict[str, list[str]] = {}
    for name, error in stage.refusals.items():
        missing.setdefault(error.text, []).append(name)
    listed = ", ".join(f"{', '.join(names)} ({text})" for text, names in missing.items())
    is_copying = find_sink(best).is_received
    return Finding(
        subject="sinks",
        status=Status.CANNOT if is_copying else Status.OK,
        detail=f"bulk goes to {best}; not here: {listed}"
        + ("; every zerocopy send would be copied" if is_copying else ""),
        mend=f"sudo modprobe -a {' '.join(_modules(stage.refusals))}" if stage.is_private else None,
    )


def _modules(refusals: Mapping[str, NamespaceRefusedError]) -> list[str]:
    """Return the modules that would make the sinks possible."""
    return list(
        dict.fromkeys(
            "nf_tables" if refusal.step == "nftables" else sink
            for sink, refusal in refusals.items()
        )
    )


def _option(subject: str, kind: int, level: int, option: int, can: str) -> Iterator[Finding]:
    with socket.socket(socket.AF_INET, kind) as tried:
        try:
            tried.setsockopt(level, option, 1)
        except OSError as error:
            yield Finding(
                subject=subject,
                status=Status.CANNOT,
                detail=f"this kernel refuses it ({error.strerror})",
            )
        else:
            yield Finding(subject=subject, status=Status.OK, detail=can)


def _segments() -> str:
    """Say how many segments a send may have: the most that the kernel takes."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as reader,
    ):
        reader.bind(("127.0.0.1", 0))
        sender.connect(reader.getsockname())
        with suppress(OSError):
            sender.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, 1)
            for most in MOST_SEGMENTS:
                try:
                    sender.send(bytes(most))
                except OSError as error:
                    if error.errno != errno.EINVAL:
                        raise
                    continue
                return f"a send has up to {most} segments"
    return "how many segments a send may have is not known"


def can_turn_machine() -> bool:
    """Say whether this user may turn sysctls of the machine."""
    return os.access("/proc/sys/net/core/optmem_max", os.W_OK)


def _sysctls() -> Finding:
    if can_turn_machine():
        detail = "those of the machine can be turned; they are put back, also after a kill"
        return Finding(subject="sysctls", status=Status.OK, detail=detail)
    return Finding(
        subject="sysctls",
        status=Status.CANNOT,
        detail="only those of a private network can be turned by this user",
        mend="run sockmeter as root",
    )
