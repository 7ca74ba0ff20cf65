# SPDX-License-Identifier: MIT
"""`sockmeter run`: measure a scenario; every comma makes an arm, the first is the baseline."""

from typing import Annotated

import typer

from sockmeter.cli import factor_options, options


def run(
    scenario: Annotated[
        str,
        typer.Argument(metavar="SCENARIO|PLAN.toml", help="A scenario (sockmeter list) or a plan."),
    ],
    call: factor_options.Call = None,
    family: factor_options.Family = None,
    size: factor_options.Size = None,
    batch: factor_options.Batch = None,
    name: factor_options.Name = None,
    control: factor_options.Control = None,
    connected: factor_options.Connected = None,
    cpu: Annotated[
        str | None, typer.Option(metavar="N,…", help="CPU to measure on.  [default: the last]")
    ] = None,
    priority: Annotated[
        str | None,
        typer.Option(metavar="N,…", help="0 ordinary, 1-99 FIFO.  [default: FIFO 1 if allowed]"),
    ] = None,
    wait: factor_options.Wait = None,
    peer: factor_options.Peer = None,
    peer_cpu: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE,…", help="CPU of the other end: same, other or N.  [default: other]"
        ),
    ] = None,
    ring: factor_options.Ring = None,
    registered: factor_options.Registered = None,
    channels: factor_options.Channels = None,
    interval: factor_options.Interval = None,
    tick: factor_options.Tick = None,
    busy: factor_options.Busy = None,
    find: factor_options.Find = None,
    duration: Annotated[
        str | None,
        typer.Option(metavar="TIME,…", help="channels: length of a segment.  [default: 1s]"),
    ] = None,
    sink: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…",
            help="Where bulk traffic goes: dummy, ifb, loopback-drop, veth, loopback."
            "  [default: the best here]",
        ),
    ] = None,
    segments: factor_options.Segments = None,
    zerocopy: factor_options.Zerocopy = None,
    limit: factor_options.Limit = None,
    cork: factor_options.Cork = None,
    buffers: factor_options.Buffers = None,
    gro: factor_options.Gro = None,
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
    work: factor_options.Work = None,
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
    parameters = locals()
    from sockmeter.cli.measuring import measure_and_print
    from sockmeter.cli.requests import gather_request, plan_words

    request = gather_request(scenario, plan_words(parameters), crossover=crossover)
    measure_and_print([request], output=output, replace=force, format=format)
