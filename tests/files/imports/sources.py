# SPDX-License-Identifier: MIT
"""Texts to import. Those in tests/data/imports are what the tools printed on a Linux 6.18 guest.

bpftrace 0.17.0; netperf 2.7.0; the udpgso_bench, msg_zerocopy and io_uring_zerocopy_tx of Linux
6.1; hdrhistogram 0.10.8 with receive calls timed from Python.
"""

from pathlib import Path

from sockmeter.files.imports.content import Options
from sockmeter.files.imports.reading import import_source
from sockmeter.files.imports.text import decode
from sockmeter.model.imported import ImportedRun

DATA = Path(__file__).parent.parent.parent / "data" / "imports"
LAIGHT = Path(__file__).parent.parent.parent / "judge" / "data" / "laight-2019-12-06.csv"


def import_bytes(
    content: bytes, options: Options | None = None, *, baseline: str | None = None
) -> ImportedRun:
    return import_source(
        decode(content, "source.txt"),
        options or Options(),
        baseline=baseline,
        command="sockmeter import source.txt",
        imported_at="2026-11-30T15:00:00+00:00",
    )


def import_text(
    text: str, options: Options | None = None, *, baseline: str | None = None
) -> ImportedRun:
    return import_bytes(text.encode(), options, baseline=baseline)


def import_sample(name: str, options: Options | None = None) -> ImportedRun:
    return import_bytes((DATA / name).read_bytes(), options)


def laight_rows() -> list[list[str]]:
    """Return the published table's rows as cells, the comments and the headings left out."""
    lines = LAIGHT.read_text(encoding="utf-8").splitlines()
    return [line.split(",") for line in lines if line[0].isdigit()]
