# SPDX-License-Identifier: MIT
"""`sockmeter run`: measure a scenario; every comma makes an arm, the first is the baseline."""

from typing import Annotated

import typer

from sockmeter.cli import options


def run(
    scenario: Annotated[
        str,
        typer.Argument(metavar="SCENARIO|PLAN.toml", help="A scenario (sockmeter list) or a plan."),
    ],
    call: Annotated[
        str | None, typer.Option(metavar="CALL,…", help="Calls; see: sockmeter list.")
    ] = None,
    family: Annotated[
        str | None,
        typer.Option(help="udp4, udp6, tcp4, tcp6, unix-stream, unix-dgram.  [default: udp4]"),
    ] = None,
    size: Annotated[
        str | None, typer.Option(metavar="BYTES,…", help="Payload of a message.  [default: 64]")
    ] = None,
    batch: Annotated[
        str | None,
        typer.Option(
            metavar="N,…", help="Messages a recvmmsg or sendmmsg asks for.  [default: 32]"
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(metavar="yes,no", help="Ask for the sender's address.  [default: yes]"),
    ] = None,
    control: Annotated[
        str | None,
        typer.Option(metavar="KIND,…", help="none, buffer or timestamp.  [default: none]"),
    ] = None,
    connected: Annotated[
        str | None,
        typer.Option(
            metavar="yes,no",
            help="Connect the socket under test."
            "  [default: no to receive and for sendto, else yes]",
        ),
    ] = None,
    cpu: Annotated[
        str | None, typer.Option(metavar="N,…", help="CPU to measure on.  [default: the last]")
    ] = None,
    priority: Annotated[
        str | None,
        typer.Option(metavar="N,…", help="0 ordinary, 1-99 FIFO.  [default: FIFO 1 if allowed]"),
    ] = None,
    wait: Annotated[
        str | None,
        typer.Option(metavar="HOW,…", help="rr: both ends block or spin.  [default: block]"),
    ] = None,
    peer: Annotated[
        str | None,
        typer.Option(
            metavar="KIND,…", help="rr: the other end is a thread or a process.  [default: thread]"
        ),
    ] = None,
    peer_cpu: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE,…", help="CPU of the other end: same, other or N.  [default: other]"
        ),
    ] = None,
    ring: Annotated[
        str | None,
        typer.Option(
            metavar="KIND,…",
            help="uring-*: plain, single-issuer, defer-taskrun, sqpoll.  [default: defer-taskrun]",
        ),
    ] = None,
    registered: Annotated[
        str | None,
        typer.Option(metavar="WHAT,…", help="uring-*: none, files, buffers.  [default: none]"),
    ] = None,
    channels: Annotated[
        str | None,
        typer.Option(metavar="N,…", help="channels: sockets that receive.  [default: 450]"),
    ] = None,
    interval: Annotated[
        str | None,
        typer.Option(
            metavar="TIME,…", help="channels: between two messages of one.  [default: 20ms]"
        ),
    ] = None,
    tick: Annotated[
        str | None,
        typer.Option(
            metavar="TIME,…", help="channels: between two looks of the reader.  [default: 10ms]"
        ),
    ] = None,
    busy: Annotated[
        str | None,
        typer.Option(metavar="N,…", help="channels: busy threads beside it.  [default: 5]"),
    ] = None,
    find: Annotated[
        str | None,
        typer.Option(metavar="HOW,…", help="channels: epoll, epoll-again, scan.  [default: epoll]"),
    ] = None,
    duration: Annotated[
        str | None,
        typer.Option(metavar="TIME,…", help="channels: length of a segment.  [default: 1s]"),
    ] = None,
    sink: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…",
            help="Where bulk traffic goes: dummy, ifb, veth, loopback.  [default: the best here]",
        ),
    ] = None,
    segments: Annotated[
        str | None,
        typer.Option(
            metavar="N,…", help="Datagrams of a …-gso message.  [default: as many as fit]"
        ),
    ] = None,
    zerocopy: Annotated[
        str | None,
        typer.Option(
            metavar="WAY,…",
            help="MSG_ZEROCOPY, its notifications read by: no (copies), poll, recvmsg, recvmmsg,"
            " cmsg, none.  [default: no; for zerocopy no,poll]",
        ),
    ] = None,
    limit: Annotated[
        str | None,
        typer.Option(
            metavar="N,…", help="Sends between two looks at the notifications.  [default: 32]"
        ),
    ] = None,
    cork: Annotated[
        str | None,
        typer.Option(metavar="N,…", help="Sends that make one message.  [default: 1]"),
    ] = None,
    buffers: Annotated[
        str | None,
        typer.Option(
            metavar="N,…",
            help="Payload buffers that sends take in turn.  [default: 1; for zerocopy 256]",
        ),
    ] = None,
    gro: Annotated[
        str | None,
        typer.Option(metavar="yes,no", help="UDP_GRO for the reader at loopback.  [default: no]"),
    ] = None,
    mtu: Annotated[
        str | None,
        typer.Option(metavar="BYTES,…", help="MTU of the sink.  [default: the device's own]"),
    ] = None,
    sysctl: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=V,…", help="Set a sysctl, and put it back; may be given again."),
    ] = None,
    offload: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=on,off", help="Switch an offload of the sink; may be given again."
        ),
    ] = None,
    crossover: Annotated[
        bool,
        typer.Option("--crossover", help="zerocopy: find the size from which it pays."),
    ] = False,
    work: Annotated[
        str | None,
        typer.Option(metavar="N,…", help="Multiplies injected inside the bracket.  [default: 0]"),
    ] = None,
    rounds: options.Rounds = None,
    looks: options.Looks = None,
    effect: options.Effect = None,
    seed: options.Seed = None,
    clock: options.Clock = None,
    calls: options.Calls = None,
    queue: options.Queue = None,
    output: options.Output = None,
    force: options.Force = False,
    format: options.Format = options.OutputFormat.TEXT,
) -> None:
    """Measure a scenario. Every comma makes an arm; the first arm is the baseline.

    sockmeter run recv --call recvfrom,recvmsg --size 64,1400
    """
    from sockmeter.cli.measuring import measure_and_print
    from sockmeter.cli.requests import gather_request

    words = {
        "call": call,
        "family": family,
        "size": size,
        "batch": batch,
        "name": name,
        "control": control,
        "connected": connected,
        "cpu": cpu,
        "priority": priority,
        "wait": wait,
        "peer": peer,
        "peer-cpu": peer_cpu,
        "ring": ring,
        "registered": registered,
        "channels": channels,
        "interval": interval,
        "tick": tick,
        "busy": busy,
        "find": find,
        "duration": duration,
        "sink": sink,
        "segments": segments,
        "zerocopy": zerocopy,
        "limit": limit,
        "cork": cork,
        "buffers": buffers,
        "gro": gro,
        "mtu": mtu,
        "sysctl": sysctl,
        "offload": offload,
        "work": work,
        "rounds": rounds,
        "looks": looks,
        "effect": effect,
        "seed": seed,
        "clock": clock,
        "calls": calls,
        "queue": queue,
    }
    request = gather_request(scenario, words, crossover=crossover)
    measure_and_print([request], output=output, replace=force, format=format)
