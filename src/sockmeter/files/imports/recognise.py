# SPDX-License-Identifier: MIT
"""Which form a source is in, told by its content; what could be two things is neither."""

import itertools
import re

from sockmeter.files.imports import (
    bpftrace,
    bpftrace_json,
    hgrm,
    hlog,
    netperf,
    udpgso,
    zerocopy_lines,
)
from sockmeter.files.imports.cells import (
    Separator,
    find_separator,
    is_total,
    parse_label,
    split_cells,
)
from sockmeter.files.imports.content import Options, Source
from sockmeter.files.imports.table import find_candidates
from sockmeter.files.imports.units import unit_word
from sockmeter.model.imported import Form

_TESTS = (
    (Form.BPFTRACE_JSON, bpftrace_json.looks_like),
    (Form.HLOG, hlog.looks_like),
    (Form.HGRM, hgrm.looks_like),
    (Form.BPFTRACE, bpftrace.looks_like),
    (Form.UDPGSO, udpgso.looks_like),
    (Form.IO_URING_ZEROCOPY, zerocopy_lines.looks_like_io_uring),
    (Form.MSG_ZEROCOPY, zerocopy_lines.looks_like_msg_zerocopy),
    (Form.NETPERF, netperf.looks_like),
)
SAMPLE = 4000  # lines that a form must show itself in
FEW_ROWS = 12
ASCENDING_SHARE = 0.75  # raw values go up in about half of their steps, labels in all


def recognise(source: Source, options: Options) -> Form:
    """Return the form; RunFileError where none or two fit."""
    source = Source(source.name, source.lines[:SAMPLE])
    if source.lines[0].startswith('{"format":"sockmeter run"'):
        source.refuse_all("is a run file already", mend=f"see: sockmeter show {source.name}")
    for form, test in _TESTS:
        if test(source):
            return form
    return _table_or_values(source, options)


def _table_or_values(source: Source, options: Options) -> Form:
    """Tell buckets with counts from raw costs."""
    if options.bucket_width is not None or options.edge is not None:
        return Form.TABLE
    separator = find_separator(source.lines)
    written = [line for line in source.lines if line.strip() and not line.startswith("#")]
    if not written:
        source.refuse_all("no rows: only comments")
    if all(_is_single_number(line) for line in itertools.islice(written, 1, FEW_ROWS)) and (
        len(written) > 1 or _is_single_number(written[0])
    ):
        return Form.VALUES
    if _says_table(source, written, separator):
        return Form.TABLE
    return _by_order(source, written, separator)


def _by_order(source: Source, written: list[str], separator: Separator) -> Form:
    """Labels ascend; raw costs do not."""
    edges = []
    for line in written:
        label = parse_label(split_cells(line, separator)[0])
        if label is not None:
            edges.append(label[0])
    if not edges:
        source.refuse_all(
            "no rows in any form that is known", mend="see docs/import.md, or name it with --form"
        )
    if len(edges) < len(written) - 1:  # prose around it
        return Form.TABLE
    steps = [after > before for before, after in itertools.pairwise(edges)]
    share = sum(steps) / len(steps) if steps else 1.0
    if all(steps):
        return Form.TABLE
    if len(edges) < FEW_ROWS or share > ASCENDING_SHARE:
        source.refuse_all(
            "may be a table whose buckets are unordered, or raw values",
            mend="say which: --form table or --form values",
        )
    return Form.VALUES


def _says_table(source: Source, written: list[str], separator: Separator) -> bool:
    """Whether an open row, totals, a heading of labels or the comments say that it is a table."""
    firsts = [split_cells(line, separator)[0] for line in (*written[:4], *written[-4:])]
    labels = [parse_label(cell) for cell in firsts]
    said = any(
        re.search(r"\bbuckets?\b|\bedges?\b", line, re.IGNORECASE)
        for line in source.lines[:200]
        if line.startswith("#")
    )
    headed = any(
        unit_word(cell) is not None or cell.lower() in ("bucket", "edge", "label", "from", "lower")
        for cell in firsts[:4]
    )
    return (
        said
        or any(label is not None and label[1] for label in labels)
        or any(is_total(cell) for cell in firsts)
        or (headed and len(find_candidates(source, separator)) > 1)
    )


def _is_single_number(line: str) -> bool:
    return re.fullmatch(r"\s*-?\d+(?:\.\d+)?\s*[,;]?\s*", line) is not None
