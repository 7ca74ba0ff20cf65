# SPDX-License-Identifier: MIT
"""`sockmeter doctor`: what this machine can measure, what disturbs it, and what mends that."""

from sockmeter.cli import options


def doctor(format: options.Format = options.OutputFormat.TEXT) -> None:
    """Say what this machine can and cannot measure, what disturbs it, and what mends each."""
    from sockmeter.cli.measuring import DEVICE
    from sockmeter.cli.printing import (
        print_last_selftest,
        print_restored,
        print_tables,
        refuse_commit,
    )
    from sockmeter.files.states import read_selftest
    from sockmeter.plan.arms import expand_arms
    from sockmeter.plan.designs import Request, make_design
    from sockmeter.report.health import health_table
    from sockmeter.rig.environment import LocalMachine, read_environment
    from sockmeter.rig.exact_health import examine_emulator
    from sockmeter.rig.health import examine
    from sockmeter.rig.health.rings import examine_rings
    from sockmeter.rig.host import HostRig, choose_cpu
    from sockmeter.rig.probe import find_probe
    from sockmeter.rig.turning import Journal, open_stage, restore_leftovers
    from sockmeter.rig.turning.abilities import examine_sending

    refuse_commit(format)
    print_restored(restore_leftovers())
    machine, cpu = LocalMachine(), choose_cpu()
    rig = HostRig(find_probe(), cpu=cpu)
    _, instrument = rig.prepare(make_design(Request(scenario="recv", call=["null"])))
    environment = read_environment(machine, DEVICE, cpu)
    with open_stage(expand_arms("bulk", ["send"], {}), Journal()) as stage:
        sending = examine_sending(stage)
    findings = [
        *examine(machine, environment, instrument),
        examine_rings(rig),
        *sending,
        examine_emulator(),
    ]
    print_tables({"findings": health_table(findings)}, format)
    if format is options.OutputFormat.TEXT:
        print_last_selftest(read_selftest())
