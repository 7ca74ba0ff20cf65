# SPDX-License-Identifier: MIT
"""`sockmeter import`: a published measurement becomes a run file, and says what it cannot show."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sockmeter.cli import options


class FormName(StrEnum):
    """The forms; as model.imported.Form, which `--help` need not wait for."""

    TABLE = "table"
    VALUES = "values"
    BPFTRACE = "bpftrace"
    BPFTRACE_JSON = "bpftrace-json"
    HGRM = "hgrm"
    HLOG = "hlog"
    NETPERF = "netperf"
    UDPGSO = "udpgso_bench"
    MSG_ZEROCOPY = "msg_zerocopy"
    IO_URING_ZEROCOPY = "io_uring_zerocopy_tx"


class UnitName(StrEnum):
    """The units that a source may be in."""

    NS = "ns"
    US = "us"
    MS = "ms"
    S = "s"
    TICKS = "ticks"
    CYCLES = "cycles"
    INSTRUCTIONS = "instructions"


class EdgeName(StrEnum):
    """Which edge a label names."""

    LOWER = "lower"
    UPPER = "upper"


def import_file(
    file: Annotated[Path, typer.Argument(help="What was published; - is stdin.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Run file to keep it in.  [default: none]"
        ),
    ] = None,
    force: options.Force = False,
    form: Annotated[
        FormName | None, typer.Option(help="What it is.  [default: told by its content]")
    ] = None,
    unit: Annotated[
        UnitName | None, typer.Option(help="Unit of the costs.  [default: as the source says]")
    ] = None,
    bucket_width: Annotated[
        float | None,
        typer.Option(
            metavar="N", help="Width of a table's buckets.  [default: as told, or up to the next]"
        ),
    ] = None,
    edge: Annotated[
        EdgeName | None,
        typer.Option(help="Edge that a bucket's label names.  [default: as told, or lower]"),
    ] = None,
    headings: Annotated[
        str | None, typer.Option(metavar="A,B,…", help="Names of the columns, labels left out.")
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Column, or part of its name, to compare with.  [default: first]"
        ),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", help="How long a tool ran that does not tell it.")
    ] = None,
    format: options.Format = options.OutputFormat.TEXT,
) -> None:
    """Read a published table, histogram, log or tool's output, and say what it shows.

    Column tables of a post, CSV, bpftrace, HdrHistogram, netperf -k, udpgso_bench, msg_zerocopy.
    """
    import math
    from datetime import UTC, datetime

    from sockmeter.cli.published import print_published
    from sockmeter.files.imports import content, reading
    from sockmeter.files.runwriter import RunWriter
    from sockmeter.model.errors import PlanError
    from sockmeter.model.imported import Form

    for name, value in (("--bucket-width", bucket_width), ("--seconds", seconds)):
        if value is not None and not (value > 0 and math.isfinite(value)):
            raise PlanError(f"{name} {value:g}: not above 0")
    said = content.Options(
        form=None if form is None else Form(form),
        unit=None if unit is None else str(unit),
        bucket_width=bucket_width,
        edge=None if edge is None else content.Edge(edge),
        headings=_split(headings),
        seconds=seconds,
    )
    writer = None if output is None else RunWriter.create(output, replace=force)
    try:
        imported = reading.import_file(
            file,
            said,
            baseline=baseline,
            command=_spell(file, said, baseline),
            imported_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        if writer is not None:
            writer.write_imported(imported)
    finally:
        if writer is not None:
            writer.close()
    print_published(imported, format, kept=output)


def _split(headings: str | None) -> tuple[str, ...] | None:
    from sockmeter.model.errors import PlanError

    if headings is None:
        return None
    names = tuple(name.strip() for name in headings.split(","))
    if not all(names):
        raise PlanError(f"--headings {headings}: a name is empty")
    return names


def _spell(file: Path, said: object, baseline: str | None) -> str:
    """Return the command that imports the same again."""
    import shlex

    import msgspec

    words = ["sockmeter", "import", str(file)]
    given = {**msgspec.structs.asdict(said), "baseline": baseline}  # type: ignore[arg-type]
    for name, value in given.items():
        if value is not None:
            text = ",".join(value) if isinstance(value, tuple) else f"{value}"
            words += [f"--{name.replace('_', '-')}", text.removesuffix(".0")]
    return shlex.join(words)
