# SPDX-License-Identifier: MIT
"""From the labels of a table's buckets to their edges, with what had to be assumed."""

import itertools
from collections.abc import Sequence

import msgspec

from sockmeter.files.imports.content import Edge, Source


class Label(msgspec.Struct, frozen=True):
    """The label of one bucket."""

    number: int  # of its line
    edge: float
    is_open: bool  # everything from the edge up


class Edges(msgspec.Struct, frozen=True, kw_only=True):
    """The edges of all buckets."""

    lowers: list[float]
    uppers: list[float | None]
    convention: str  # in words
    remarks: list[str]


def find_edges(
    source: Source, labels: Sequence[Label], convention: Edge, width: float | None
) -> Edges:
    """Return the edges of a table's buckets; `labels` is not empty.

    Without a declared width a bucket reaches to its neighbour's label. RunFileError, naming the
    line, where labels are unordered or a declared width makes buckets overlap.
    """
    _check_order(source, labels)
    closed = [label for label in labels if not label.is_open]
    remarks = []
    if width is None and len(labels) > 1:
        steps = {after.edge - before.edge for before, after in itertools.pairwise(labels)}
        if len(steps) == 1:
            width = steps.pop()
            remarks.append(f"The bucket width {width:g} is taken from the labels.")
    if convention is Edge.LOWER:
        lowers, uppers = _from_lower(labels, width)
    else:
        lowers, uppers = _from_upper(labels, width)
    if uppers[-1] is None and not labels[-1].is_open:
        remarks.append("The last bucket has no upper edge and is taken as open.")
    for index, (upper, label) in enumerate(zip(uppers[:-1], labels[1:], strict=True)):
        if upper is not None and upper > lowers[index + 1]:
            source.refuse(
                label.number,
                f"bucket {label.edge:g} overlaps the one before: with a width of {width:g} that "
                f"reaches to {upper:g}",
                mend="see --bucket-width",
            )
    if lowers[0] < 0:
        source.refuse(labels[0].number, f"bucket {labels[0].edge:g} reaches below 0")
    wide = f", buckets {width:g} wide" if width is not None and closed else ""
    return Edges(
        lowers=lowers,
        uppers=uppers,
        convention=f"labels are {convention} edges{wide}",
        remarks=remarks,
    )


def _from_lower(
    labels: Sequence[Label], width: float | None
) -> tuple[list[float], list[float | None]]:
    lowers = [label.edge for label in labels]
    uppers: list[float | None] = list(lowers[1:])
    if width is not None:
        uppers = [lower + width for lower in lowers[:-1]]
    is_open = labels[-1].is_open or width is None
    return lowers, [*uppers, None if is_open else lowers[-1] + (width or 0.0)]


def _from_upper(
    labels: Sequence[Label], width: float | None
) -> tuple[list[float], list[float | None]]:
    """An open row still begins at its label; without a width the first bucket begins at 0."""
    edges = [label.edge for label in labels]
    lowers = [0.0, *edges[:-1]] if width is None else [edge - width for edge in edges]
    uppers: list[float | None] = list(edges)
    if labels[-1].is_open:
        lowers[-1], uppers[-1] = edges[-1], None
    return lowers, uppers


def _check_order(source: Source, labels: Sequence[Label]) -> None:
    for before, after in itertools.pairwise(labels):
        if before.is_open:
            source.refuse(before.number, f"{before.edge:g}+ is open but not the last bucket")
        if after.edge == before.edge and not after.is_open:
            source.refuse(after.number, f"bucket {after.edge:g} is there twice")
        if after.edge < before.edge:
            source.refuse(
                after.number, f"unordered buckets: {after.edge:g} follows {before.edge:g}"
            )
