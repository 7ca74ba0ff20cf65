# SPDX-License-Identifier: MIT
"""`sockmeter count`: a scenario's calls to the instruction, in a kernel booted for it."""

from typing import Annotated

import typer

from sockmeter.cli import counted_options, factor_options, options

CALLS = 256


def count(
    scenario: Annotated[
        str,
        typer.Argument(metavar="SCENARIO|PLAN.toml", help="A scenario (sockmeter list) or a plan."),
    ],
    call: factor_options.Call = None,
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
    family: factor_options.Family = None,
    size: factor_options.Size = None,
    batch: factor_options.Batch = None,
    name: factor_options.Name = None,
    control: factor_options.Control = None,
    connected: factor_options.Connected = None,
    cpu: factor_options.Cpu = None,
    priority: factor_options.Priority = None,
    wait: factor_options.Wait = None,
    peer: factor_options.Peer = None,
    peer_cpu: factor_options.PeerCpu = None,
    ring: factor_options.Ring = None,
    registered: factor_options.Registered = None,
    channels: factor_options.Channels = None,
    interval: factor_options.Interval = None,
    tick: factor_options.Tick = None,
    busy: factor_options.Busy = None,
    find: factor_options.Find = None,
    duration: factor_options.Duration = None,
    sink: factor_options.Sink = None,
    mtu: factor_options.Mtu = None,
    offload: factor_options.Offload = None,
    segments: factor_options.Segments = None,
    zerocopy: factor_options.Zerocopy = None,
    limit: factor_options.Limit = None,
    cork: factor_options.Cork = None,
    buffers: factor_options.Buffers = None,
    gro: factor_options.Gro = None,
    work: factor_options.Work = None,
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
    parameters = locals()
    from sockmeter.cli.counted_explaining import Wish
    from sockmeter.cli.counting import count_and_print
    from sockmeter.cli.requests import gather_request, plan_words
    from sockmeter.plan.places import PlaceRequest
    from sockmeter.plan.planfile import split_commas

    # Of a guest, sysctls are a matter of its boot.
    words = plan_words(parameters) | {"sysctl": None, "calls": CALLS if calls is None else calls}
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
