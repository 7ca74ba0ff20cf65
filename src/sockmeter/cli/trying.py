# SPDX-License-Identifier: MIT
"""What this machine says to the words of a plan, in words."""

from collections.abc import Mapping, Sequence

from sockmeter.cli.printing import stderr
from sockmeter.plan.calls import Call
from sockmeter.report.refusals import refusal_words
from sockmeter.report.words import Here
from sockmeter.rig.health.trials import Trial, try_words
from sockmeter.rig.host import choose_cpu
from sockmeter.rig.probe import find_probe

AS_ROOT = "run it as root; those that a private network has for itself can be turned"


def tried_here(calls: Sequence[Call]) -> Here:
    """Try the calls and their factors' values, some seconds; a terminal is told meanwhile."""
    with stderr.status("trying each call and value once…"):
        trials = try_words(find_probe(), choose_cpu(), calls)
    machine = {("sysctl", "the machine's"): None if trials.can_turn_machine else AS_ROOT}
    return Here(calls=_words(trials.calls), values=_words(trials.values) | machine)


def _words(trials: Mapping[tuple[str, str], Trial]) -> dict[tuple[str, str], str | None]:
    return {
        key: None if trial.refusal is None else refusal_words(trial.arm, trial.refusal)
        for key, trial in trials.items()
    }
