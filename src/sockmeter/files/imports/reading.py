# SPDX-License-Identifier: MIT
"""From a published file to an imported measurement."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from sockmeter import __version__
from sockmeter.files.imports import (
    bpftrace,
    bpftrace_json,
    hgrm,
    hlog,
    netperf,
    table,
    udpgso,
    values,
    zerocopy_lines,
)
from sockmeter.files.imports.content import Content, Options, Source
from sockmeter.files.imports.recognise import recognise
from sockmeter.files.imports.text import read_source
from sockmeter.model.errors import PlanError
from sockmeter.model.imported import Form, ImportedRun


class _Reader(msgspec.Struct, frozen=True):
    parse: Callable[[Source, Options], Content]
    options: frozenset[str] = frozenset()  # that mean something to the form


_READERS: dict[Form, _Reader] = {
    Form.TABLE: _Reader(
        table.parse, frozenset({"unit", "bucket_width", "edge", "headings", "baseline"})
    ),
    Form.VALUES: _Reader(values.parse, frozenset({"unit", "headings", "baseline"})),
    Form.BPFTRACE: _Reader(bpftrace.parse, frozenset({"unit", "baseline"})),
    Form.BPFTRACE_JSON: _Reader(bpftrace_json.parse, frozenset({"unit", "baseline"})),
    Form.HGRM: _Reader(hgrm.parse, frozenset({"unit"})),
    Form.HLOG: _Reader(hlog.parse, frozenset({"unit", "baseline"})),
    Form.NETPERF: _Reader(netperf.parse),
    Form.UDPGSO: _Reader(udpgso.parse),
    Form.MSG_ZEROCOPY: _Reader(zerocopy_lines.parse_msg_zerocopy, frozenset({"seconds"})),
    Form.IO_URING_ZEROCOPY: _Reader(zerocopy_lines.parse_io_uring, frozenset({"seconds"})),
}


def import_file(
    path: Path, options: Options, *, baseline: str | None, command: str, imported_at: str
) -> ImportedRun:
    """Return what the file holds.

    Raises RunFileError, naming the line or the field, for what cannot be read, and PlanError for
    options that mean nothing to the form or name what is not there.
    """
    return import_source(
        read_source(path), options, baseline=baseline, command=command, imported_at=imported_at
    )


def import_source(
    source: Source, options: Options, *, baseline: str | None, command: str, imported_at: str
) -> ImportedRun:
    """Return what a text holds; errors as in `import_file`."""
    form = options.form or recognise(source, options)
    reader = _READERS[form]
    _check_options(form, reader, options, baseline)
    content = reader.parse(source, options)
    _check_baseline(content, baseline)
    return ImportedRun(
        source=source.name,
        form=form,
        unit=content.unit,
        edge=content.edge,
        said=content.said,
        columns=content.columns,
        rates=content.rates,
        remarks=content.remarks,
        baseline=baseline,
        command=command,
        imported_at=imported_at,
        sockmeter_version=__version__,
    )


def _check_options(form: Form, reader: _Reader, options: Options, baseline: str | None) -> None:
    given = {
        "unit": options.unit,
        "bucket_width": options.bucket_width,
        "edge": options.edge,
        "headings": options.headings,
        "seconds": options.seconds,
        "baseline": baseline,
    }
    for name, value in given.items():
        if value is not None and name not in reader.options:
            spelled = name.replace("_", "-")
            raise PlanError(f"--{spelled} means nothing to {form}", mend="leave it out")


def _check_baseline(content: Content, baseline: str | None) -> None:
    labels = [column.label for column in content.columns]
    parts = {part for label in labels for part in (label, *label.split("/"))}
    if baseline is not None and baseline not in parts:
        raise PlanError(
            f"--baseline {baseline}: no such column", mend=f"one of: {', '.join(labels)}"
        )
