# SPDX-License-Identifier: MIT
"""A plan as a TOML text, with the words of the command line."""

import tomllib

import msgspec

from sockmeter.model.errors import PlanError
from sockmeter.plan.designs import Request
from sockmeter.plan.factors import FACTOR_NAMES

NUMBERS = ("rounds", "seed", "calls", "queue")
TEXTS = ("scenario", "looks", "effect", "clock")
KEYS = ("call", *TEXTS, *FACTOR_NAMES, *NUMBERS)


def parse_plan(text: str, source: str) -> Request:
    """Return the request that a TOML text states; `source` names it in errors.

    A factor's value is one value or a list; `name = [true, false]` and `name = "yes,no"` are the
    same. Raises PlanError for what is not TOML, an unknown key and a value of the wrong type.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"{source}: not TOML: {error}") from error
    for key in table:
        if key not in KEYS:
            raise PlanError(f"{source}: unknown key {key!r}", mend=f"keys are {', '.join(KEYS)}")
    for key in ("scenario", "call"):
        if key not in table:
            raise PlanError(f"{source}: no {key}", mend=f'add a line such as {key} = "recv"')
    request: dict[str, object] = {
        "call": _texts(table["call"], "call", source),
        "factors": {
            name: _texts(table[name], name, source) for name in FACTOR_NAMES if name in table
        },
    }
    request |= {key: _number(table[key], key, source) for key in NUMBERS if key in table}
    request |= {key: _text(table[key], key, source) for key in TEXTS if key in table}
    return msgspec.convert(request, Request)


def split_commas(text: str, option: str) -> list[str]:
    """Return the words between commas; PlanError where one is empty."""
    words = [word.strip() for word in text.split(",")]
    if not all(words):
        raise PlanError(f"{option} {text!r}: a value is empty", mend="remove the spare comma")
    return words


def _texts(value: object, key: str, source: str) -> list[str]:
    if isinstance(value, list):
        if not value:
            raise PlanError(f"{source}: {key} is an empty list")
        return [word for item in value for word in _texts(item, key, source)]
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    if isinstance(value, int):
        return [str(value)]
    if isinstance(value, str):
        return split_commas(value, f"{source}: {key}")
    raise PlanError(f"{source}: {key} = {value!r}: not a word, a whole number or a list of them")


def _text(value: object, key: str, source: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise PlanError(f"{source}: {key} = {value!r}: not a text")
    return str(value)


def _number(value: object, key: str, source: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise PlanError(f"{source}: {key} = {value!r}: not a whole number")
    return value
