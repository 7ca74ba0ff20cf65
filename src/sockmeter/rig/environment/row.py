# SPDX-License-Identifier: MIT
"""A row of the catalogue: one fact, where it stands, why it matters, and how it is read."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from sockmeter.model.environment import Fact, FactValue
from sockmeter.rig.environment.site import Site, UnreadableError


class Row(NamedTuple):
    """One fact under a fixed name."""

    name: str  # dotted
    source: str  # where it stands, with {cpu} and {device} for those of the run
    why: str  # what it does to the cost of a call
    read: Callable[[Site], FactValue]  # raises OSError or UnreadableError
    unit: str | None = None

    def facts(self, site: Site) -> Iterator[tuple[str, Fact]]:
        """Yield the name and the fact, which keeps the reason where it could not be read."""
        yield self.name, read_fact(self.read, site, self.unit)


class OpenRow(NamedTuple):
    """Facts whose last names the machine gives; documented as `prefix.*`."""

    name: str
    source: str
    why: str
    expand: Callable[[Site], list[Row]]  # raises nothing: no names, no facts
    unit: str | None = None

    def facts(self, site: Site) -> Iterator[tuple[str, Fact]]:
        """Yield one fact for each name that the machine gives."""
        for row in self.expand(site):
            yield from row.facts(site)


def read_fact(read: Callable[[Site], FactValue], site: Site, unit: str | None = None) -> Fact:
    """Return what `read` gives as a fact, or why it gives nothing."""
    try:
        return Fact(value=read(site), unit=unit)
    except UnreadableError as reason:
        return Fact(missing=str(reason))
    except OSError as refusal:
        where = f": {refusal.filename}" if refusal.filename else ""
        return Fact(missing=f"{refusal.strerror or refusal}{where}")
    except (ValueError, IndexError) as surprise:
        return Fact(missing=f"not understood: {surprise}")


def from_file(
    name: str,
    path: str,
    why: str,
    parse: Callable[[str], FactValue] = str,
    *,
    unit: str | None = None,
) -> Row:
    """Return the row of a fact that is a whole file, stripped and parsed.

    `path` may hold {cpu}, which makes the fact missing in a run that is not pinned, and {device}.
    A content that `parse` refuses with ValueError makes the fact missing too.
    """

    def read(site: Site) -> FactValue:
        return parse(site.read_text(site.locate(path)).strip())

    return Row(name, path, why, read, unit)


def parse_switch(text: str) -> bool:
    """Return a 0 or 1 of the kernel as a truth; ValueError for anything else."""
    if text not in ("0", "1"):
        raise ValueError(text)
    return text == "1"


def parse_chosen(text: str) -> str:
    """Return the word in brackets (or parentheses) of `always [madvise] never`."""
    for word in text.split():
        if word[0] + word[-1] in ("[]", "()"):
            return word[1:-1]
    raise ValueError(text)
