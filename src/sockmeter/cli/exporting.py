# SPDX-License-Identifier: MIT
"""`sockmeter export`: what a run file holds, in a form that other tools read."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sockmeter.cli import options


class Target(StrEnum):
    """The forms."""

    CSV = "csv"
    HLOG = "hlog"
    JSON = "json"


def export(
    file: Annotated[Path, typer.Argument(help="Run file.", show_default=False)],
    to: Annotated[
        Target,
        typer.Option(
            "--to",
            help="csv: buckets; hlog: HdrHistogram's log; json: everything.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="File to write.  [default: stdout]"),
    ] = None,
    force: options.Force = False,
) -> None:
    """Write a run's histograms for other tools, one for each arm and round.

    A2, the second copy of the baseline, is written as an arm of its own.
    """
    import sys

    from sockmeter.cli.outlet import result_outlet
    from sockmeter.files.whole import write_whole

    text = _written(file, to)
    if output is not None:
        write_whole(output, text, replace=force, mend="name another file with -o")
        return
    with result_outlet():
        sys.stdout.write(text)


def _written(file: Path, to: Target) -> str:
    from sockmeter.files.exports.buckets_csv import write_csv
    from sockmeter.files.exports.hdrlog import write_hlog
    from sockmeter.files.exports.histograms import histograms_of
    from sockmeter.files.exports.whole import write_json
    from sockmeter.files.runfile import read_measurement
    from sockmeter.model.counted import CountedRun
    from sockmeter.model.errors import OutputError
    from sockmeter.model.imported import ImportedRun
    from sockmeter.model.units import Unit
    from sockmeter.report.labels import arm_labels

    measurement = read_measurement(file)
    if to is Target.JSON:
        return write_json(measurement)
    if isinstance(measurement, ImportedRun):
        labels: list[str] = []
        unit, started_at = measurement.unit, measurement.imported_at
        if not any(column.calls for column in measurement.columns):
            raise OutputError(
                f"no histogram in it: {measurement.form} tells figures only",
                mend="take --to json",
            )
    elif isinstance(measurement, CountedRun):
        labels = arm_labels([each.arm for each in measurement.arms])
        unit, started_at = Unit.INSTRUCTIONS, measurement.started_at
    else:
        labels = arm_labels(measurement.design.arms)
        labels.append(f"{labels[0]} A2")
        unit, started_at = measurement.instrument.clock.unit, measurement.started_at
    histograms = histograms_of(measurement, labels)
    if to is Target.CSV:
        return write_csv(histograms, unit)
    return write_hlog(histograms, unit, started_at)
