# SPDX-License-Identifier: MIT
"""`sockmeter show`: everything that a run file holds."""

from pathlib import Path
from typing import Annotated

import typer

from sockmeter.cli import counted_options, options


def show(
    file: Annotated[Path, typer.Argument(help="Run file.", show_default=False)],
    machine: Annotated[
        bool, typer.Option("--machine", help="Show every fact about the machine too.")
    ] = False,
    rate: options.Rate = None,
    functions: counted_options.Functions = False,
    tree: counted_options.Tree = False,
    mechanisms: counted_options.Mechanisms = False,
    rules: counted_options.Rules = None,
    flame: counted_options.Flame = None,
    format: options.Format = options.OutputFormat.TEXT,
) -> None:
    """Show a run: its table, its distributions, the shift of every quantile, the machine.

    JSON, CSV and Markdown hold the table and the sentences; the file itself holds the rest.
    """
    from sockmeter.cli.console import make_stdout
    from sockmeter.cli.counted import print_counted
    from sockmeter.cli.counted_explaining import Wish
    from sockmeter.cli.outlet import result_outlet
    from sockmeter.cli.printing import print_views
    from sockmeter.cli.published import print_published
    from sockmeter.files.runfile import read_measurement
    from sockmeter.judge.assess import assess
    from sockmeter.model.counted import CountedRun
    from sockmeter.model.imported import ImportedRun
    from sockmeter.report.amdahl import with_rate
    from sockmeter.report.dossier import draw_dossier
    from sockmeter.report.view import make_view

    run = read_measurement(file)
    wish = Wish(functions=functions, tree=tree, mechanisms=mechanisms, rules=rules, flame=flame)
    if isinstance(run, ImportedRun):
        print_published(run, format, kept=None)
        return
    if isinstance(run, CountedRun):
        print_counted(run, format, wish)
        return
    assessment = assess(run)
    print_views([with_rate(make_view(run, assessment), rate)], format)
    if format is not options.OutputFormat.TEXT:
        return
    console = make_stdout()
    dossier = draw_dossier(run, assessment, width=console.width, with_machine=machine)
    with result_outlet():
        console.print(dossier)
