# SPDX-License-Identifier: MIT
"""The factors as options of `run` and `count`, declared once; what they mean is in plan.factors."""

from typing import Annotated

import typer

Call = Annotated[str | None, typer.Option(metavar="CALL,…", help="Calls; see: sockmeter list.")]
Family = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,…",
        help="udp4, udp6, tcp4, tcp6, unix-stream, unix-dgram.  [default: udp4]",
    ),
]
Size = Annotated[
    str | None,
    typer.Option(
        metavar="BYTES,…",
        help="Payload of a message.  [default: 64; bulk and zerocopy: what a frame or call holds]",
    ),
]
Batch = Annotated[
    str | None,
    typer.Option(
        metavar="N,…",
        help="Messages of a recvmmsg, sendmmsg, multishot or bundle; operations of another uring-* "
        "call.  [default: 32; 1 operation]",
    ),
]
Name = Annotated[
    str | None,
    typer.Option(metavar="yes,no", help="Ask for the sender's address.  [default: yes]"),
]
Control = Annotated[
    str | None,
    typer.Option(metavar="KIND,…", help="none, buffer or timestamp.  [default: none]"),
]
Connected = Annotated[
    str | None,
    typer.Option(
        metavar="yes,no",
        help="Connect the socket under test.  [default: no to receive and for sendto, else yes]",
    ),
]
Cpu = Annotated[
    str | None,
    typer.Option(metavar="N,…", help="CPU of the guest to count on.  [default: its last]"),
]
Priority = Annotated[
    str | None,
    typer.Option(metavar="N,…", help="0 ordinary, 1-99 FIFO.  [default: 0; channels FIFO 50]"),
]
Wait = Annotated[
    str | None,
    typer.Option(metavar="HOW,…", help="rr: both ends block or spin.  [default: block]"),
]
Peer = Annotated[
    str | None,
    typer.Option(
        metavar="KIND,…", help="rr: the other end is a thread or a process.  [default: thread]"
    ),
]
PeerCpu = Annotated[
    str | None,
    typer.Option(
        metavar="WHERE,…",
        help="CPU of the other end: same, other or N.  [default: same in a guest of one CPU]",
    ),
]
Ring = Annotated[
    str | None,
    typer.Option(
        metavar="KIND,…",
        help="uring-*: plain, single-issuer, defer-taskrun, sqpoll.  [default: defer-taskrun]",
    ),
]
Registered = Annotated[
    str | None,
    typer.Option(metavar="WHAT,…", help="uring-*: none, files, buffers.  [default: none]"),
]
Channels = Annotated[
    str | None,
    typer.Option(metavar="N,…", help="channels: sockets that receive.  [default: 450]"),
]
Interval = Annotated[
    str | None,
    typer.Option(metavar="TIME,…", help="channels: between two messages of one.  [default: 20ms]"),
]
Tick = Annotated[
    str | None,
    typer.Option(
        metavar="TIME,…", help="channels: between two looks of the reader.  [default: 10ms]"
    ),
]
Busy = Annotated[
    str | None,
    typer.Option(metavar="N,…", help="channels: busy threads beside it.  [default: 5]"),
]
Find = Annotated[
    str | None,
    typer.Option(metavar="HOW,…", help="channels: epoll, epoll-again, scan.  [default: epoll]"),
]
Duration = Annotated[
    str | None,
    typer.Option(metavar="TIME,…", help="channels: length of a segment.  [default: 100ms]"),
]
Sink = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,…",
        help="Where bulk traffic goes in the guest: dummy, ifb, loopback.  [default: the first"
        " that all kernels have]",
    ),
]
Mtu = Annotated[
    str | None,
    typer.Option(metavar="BYTES,…", help="MTU of the guest's sink.  [default: the device's own]"),
]
Offload = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=on,off", help="Switch an offload of the guest's sink; may be given again."
    ),
]
Segments = Annotated[
    str | None,
    typer.Option(metavar="N,…", help="Datagrams of a …-gso message.  [default: as many as fit]"),
]
Zerocopy = Annotated[
    str | None,
    typer.Option(
        metavar="WAY,…",
        help="MSG_ZEROCOPY, its notifications read by: no (copies), poll, recvmsg, recvmmsg,"
        " cmsg, none; of uring-* calls: no, cqe.  [default: no; for zerocopy no,poll and no,cqe]",
    ),
]
Limit = Annotated[
    str | None,
    typer.Option(
        metavar="N,…", help="Sends between two looks at the notifications.  [default: 32]"
    ),
]
Cork = Annotated[
    str | None,
    typer.Option(metavar="N,…", help="Sends that make one message.  [default: 1]"),
]
Buffers = Annotated[
    str | None,
    typer.Option(
        metavar="N,…",
        help="Payload buffers that sends take in turn.  [default: 1; for zerocopy 256]",
    ),
]
Gro = Annotated[
    str | None,
    typer.Option(metavar="yes,no", help="UDP_GRO for the reader at loopback.  [default: no]"),
]
Work = Annotated[
    str | None,
    typer.Option(metavar="N,…", help="Multiplies injected inside the bracket.  [default: 0]"),
]
