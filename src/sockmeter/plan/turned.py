# SPDX-License-Identifier: MIT
"""Factors on the machine as they are written: `NAME=V,V` on a command line, a table in a plan."""

from collections.abc import Iterator, Mapping

from sockmeter.model.errors import PlanError
from sockmeter.plan.factors import TURNED_FORMS

KINDS = tuple(TURNED_FORMS)  # sysctl, offload


def read_turned(kind: str, value: object, source: str) -> dict[str, object]:
    """Return the values by factor name: `sysctl.net.core.optmem_max` and its like.

    `value` is one `NAME=V,V`, a list of them, or a table from names to values, dotted or nested.
    Values are as they were written: texts between commas, or a list. PlanError otherwise.
    """
    turned: dict[str, object] = {}
    for name, values in _pairs(kind, value, source):
        if name in turned:
            raise PlanError(f"{source}: {name} is given twice")
        turned[name] = values
    return turned


def spell_turned(name: str, texts: list[str]) -> list[str]:
    """Return the words of a command line that make this factor."""
    kind, _, what = name.partition(".")
    return [f"--{kind}", f"{what}={','.join(texts)}"]


def _pairs(kind: str, value: object, source: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        for name, nested in value.items():
            if isinstance(nested, Mapping):
                yield from _pairs(f"{kind}.{name}", nested, source)
            else:
                yield f"{kind}.{name}", nested
    elif isinstance(value, list):
        for item in value:
            yield from _pairs(kind, item, source)
    elif isinstance(value, str) and "=" in value:
        name, _, values = value.partition("=")
        yield f"{kind}.{name.strip()}", values
    else:
        raise PlanError(f"{source}: {kind} {value!r}: no NAME=VALUE", mend=TURNED_FORMS[kind])
