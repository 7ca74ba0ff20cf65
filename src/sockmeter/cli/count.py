# SPDX-License-Identifier: MIT
"""`sockmeter count`: a scenario's calls to the instruction, in a kernel booted for it."""

from typing import Annotated

import typer

from sockmeter.cli import counted_options, options

CALLS = 256
DURATION = "100ms"


def count(
    scenario: Annotated[
        str,
        typer.Argument(metavar="SCENARIO|PLAN.toml", help="A scenario (sockmeter list) or a plan."),
    ],
    call: Annotated[
        str | None, typer.Option(metavar="CALL,…", help="Calls; see: sockmeter list.")
    ] = None,
    kernel: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…",
            help="Kernels: debian:6.1, or one of sockmeter kernel list.  [default: the only one]",
        ),
    ] = None,
    boot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=V,…",
            help="A parameter of the kernel's command line; any number of them. A value with a "
            "comma stands in double quotes.",
        ),
    ] = None,
    sysctl: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=V,…", help="A sysctl in the guest; any number of them."),
    ] = None,
    smp: Annotated[
        str | None, typer.Option(metavar="N,…", help="CPUs of the guest.  [default: 1]")
    ] = None,
    cpu_model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…",
            help="haswell, nehalem, epyc or what QEMU's -cpu takes.  [default: haswell]",
        ),
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
        str | None,
        typer.Option(metavar="N,…", help="CPU of the guest to count on.  [default: its last]"),
    ] = None,
    priority: Annotated[
        str | None,
        typer.Option(metavar="N,…", help="0 ordinary, 1-99 FIFO.  [default: 0]"),
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
            metavar="WHERE,…",
            help="rr, channels: CPU of the other end: same, other or N."
            "  [default: same in a guest of one CPU, else other]",
        ),
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
        typer.Option(
            metavar="TIME,…", help=f"channels: length of a segment.  [default: {DURATION}]"
        ),
    ] = None,
    work: Annotated[
        str | None,
        typer.Option(metavar="N,…", help="Multiplies injected inside the bracket.  [default: 0]"),
    ] = None,
    calls: Annotated[
        int | None,
        typer.Option(metavar="N", help=f"Calls per arm, in whole bursts.  [default: {CALLS}]"),
    ] = None,
    queue: options.Queue = None,
    functions: counted_options.Functions = False,
    tree: counted_options.Tree = False,
    mechanisms: counted_options.Mechanisms = False,
    rules: counted_options.Rules = None,
    flame: counted_options.Flame = None,
    output: options.Output = None,
    force: options.Force = False,
    format: options.Format = options.OutputFormat.TEXT,
) -> None:
    """Count the instructions of a scenario's calls, exactly, in an emulated kernel.

    Every comma makes an arm; the first is the baseline. The same command gives the same numbers
    on any machine.

    sockmeter count recv --call recvfrom,recvmsg --kernel debian:6.1 --boot hardened_usercopy=on,off
    """
    from sockmeter.cli.counted_explaining import Wish
    from sockmeter.cli.counting import count_and_print
    from sockmeter.cli.requests import gather_request
    from sockmeter.plan.places import PlaceRequest
    from sockmeter.plan.planfile import split_commas

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
        "channels": channels,
        "interval": interval,
        "tick": tick,
        "busy": busy,
        "find": find,
        "duration": duration,
        "work": work,
        "calls": CALLS if calls is None else calls,
        "queue": queue,
    }
    place = PlaceRequest(
        kernels=split_commas(kernel, "--kernel") if kernel is not None else [],
        boot=boot or [],
        sysctls=sysctl or [],
        cpu_models=split_commas(cpu_model, "--cpu-model") if cpu_model is not None else [],
        smp=split_commas(smp, "--smp") if smp is not None else [],
    )
    count_and_print(
        gather_request(scenario, words),
        place,
        Wish(functions=functions, tree=tree, mechanisms=mechanisms, rules=rules, flame=flame),
        output=output,
        replace=force,
        format=format,
    )
