# SPDX-License-Identifier: MIT
"""A plan as a TOML text, with the words of the command line."""

import tomllib
from collections.abc import Mapping

import msgspec

from sockmeter.model.errors import PlanError
from sockmeter.plan.calls import calls_of
from sockmeter.plan.designs import Request
from sockmeter.plan.factors import FACTOR_NAMES
from sockmeter.plan.turned import KINDS, read_turned

NUMBERS = ("rounds", "seed", "calls", "queue")
TEXTS = ("scenario", "looks", "effect", "clock")
KEYS = ("call", *TEXTS, *FACTOR_NAMES, *KINDS, *NUMBERS)


def parse_plan(text: str, source: str) -> dict[str, object]:
    """Return the words of a plan; PlanError for what is not TOML. `source` names it in errors."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # TOMLDecodeError, and a number too long for int
        raise PlanError(f"{source}: not TOML: {error}") from error


def read_request(words: Mapping[str, object], source: str) -> Request:
    """Return the request that the words state, from a plan file or a command line.

    A factor's value is one value or a list; `name = [true, false]` and `name = "yes,no"` are the
    same. Raises PlanError for an unknown key and a value of the wrong type.
    """
    for key in words:
        if key not in KEYS:
            raise PlanError(f"{source}: unknown key {key!r}", mend=f"keys are {', '.join(KEYS)}")
    if "scenario" not in words:
        raise PlanError(f"{source}: no scenario", mend='add a line such as scenario = "recv"')
    calls_of(_text(words["scenario"], "scenario", source))  # before anything is missed in it
    if "call" not in words:
        raise PlanError(f"{source}: no call", mend="name one or more with --call or call = [...]")
    request: dict[str, object] = {
        "call": _texts(words["call"], "call", source),
        "factors": {
            name: _texts(value, name, source) for name, value in _factors_of(words, source).items()
        },
    }
    request |= {key: _number(words[key], key, source) for key in NUMBERS if key in words}
    request |= {key: _text(words[key], key, source) for key in TEXTS if key in words}
    return msgspec.convert(request, Request)


def split_commas(text: str, option: str) -> list[str]:
    """Return the words between commas; PlanError where one is empty."""
    words = [word.strip() for word in text.split(",")]
    if not all(words):
        raise PlanError(f"{option} {text!r}: a value is empty", mend="remove the spare comma")
    return words


def _factors_of(words: Mapping[str, object], source: str) -> dict[str, object]:
    """Return the values of every factor by name, those on the machine last."""
    factors = {name: words[name] for name in FACTOR_NAMES if name in words}
    for kind in KINDS:
        if kind in words:
            factors |= read_turned(kind, words[kind], source)
    return factors


def _texts(value: object, key: str, source: str) -> list[str]:
    if isinstance(value, list):
        if not value:
            raise PlanError(f"{source}: {key} is an empty list")
        if any(isinstance(item, list) for item in value):
            raise PlanError(f"{source}: {key} is a list of lists", mend="write one list")
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
