# SPDX-License-Identifier: MIT
"""The machine of a run in one line, as it stands in a commit message."""

from sockmeter.model.runs import Run
from sockmeter.model.units import Unit

SINKS = {"recv": "loopback", "send": "loopback"}


def setting_line(run: Run) -> str:
    """Return kernel, architecture, CPU, clock and sink; what could not be read is left out."""
    clock = run.instrument.clock
    rate = f" {clock.clock_hz / 1e9:.3f} GHz" if clock.clock_hz and clock.unit is Unit.TICKS else ""
    family = str(run.design.arms[0].factors.get("family", ""))
    sink = "AF_UNIX" if family.startswith("unix") else _sinks(run)
    release = _fact(run, "kernel.release")
    parts = [
        f"Linux {release}" if release else None,
        _fact(run, "kernel.architecture"),
        _fact(run, "cpu.model_name"),
        f"clock {clock.name}{rate}",
        sink,
    ]
    return ", ".join(part for part in parts if part)


def _sinks(run: Run) -> str | None:
    named = dict.fromkeys(
        str(arm.factors["sink"]) for arm in run.design.arms if "sink" in arm.factors
    )
    return "sink " + "/".join(named) if named else SINKS.get(run.design.scenario)


def _fact(run: Run, name: str) -> str | None:
    fact = run.environment.facts.get(name)
    return str(fact.value) if fact is not None and fact.value is not None else None
