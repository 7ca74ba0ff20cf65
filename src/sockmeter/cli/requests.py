# SPDX-License-Identifier: MIT
"""From a command line, with or without a plan file, to a request; and back to a command line."""

import shlex
from collections.abc import Mapping
from pathlib import Path

from sockmeter.cli.inlet import read_words
from sockmeter.plan.designs import Request
from sockmeter.plan.outbound import crossover_words
from sockmeter.plan.planfile import KEYS, parse_plan, read_request
from sockmeter.plan.turned import spell_turned


def plan_words(parameters: Mapping[str, object]) -> dict[str, object]:
    """Return the options of a verb that are words of a plan, spelt as a plan spells them."""
    spelt = {name.replace("_", "-"): value for name, value in parameters.items()}
    return {name: value for name, value in spelt.items() if name in KEYS and name != "scenario"}


def gather_request(
    scenario_or_plan: str, options: Mapping[str, object], *, crossover: bool = False
) -> Request:
    """Return what was asked for; an option that was given overrides the plan file's word.

    With `crossover` the message sizes are those over which a crossing is looked for.
    """
    given = {name: value for name, value in options.items() if value not in (None, [])}
    is_file = scenario_or_plan.endswith(".toml")
    words: dict[str, object] = {"scenario": scenario_or_plan}
    if is_file:
        words = parse_plan(read_words(Path(scenario_or_plan)), scenario_or_plan)
    if "rounds" in given or "looks" in given:  # one schedule takes the place of the other
        words = {name: word for name, word in words.items() if name not in ("rounds", "looks")}
    words = words | given
    source = scenario_or_plan if is_file else "the command line"
    return read_request(crossover_words(words) if crossover else words, source)


def spell_command(request: Request) -> str:
    """Return the command line that makes this request, in an order that never varies."""
    words = ["sockmeter", "run", request.scenario, "--call", ",".join(request.call)]
    for name, texts in request.factors.items():
        words += spell_turned(name, texts) if "." in name else [f"--{name}", ",".join(texts)]
    default = Request(scenario=request.scenario, call=request.call)
    for name in ("rounds", "looks", "effect", "seed", "clock", "calls", "queue"):
        value = getattr(request, name)
        if value != getattr(default, name):
            words += [f"--{name}", str(value)]
    return shlex.join(words)
