# SPDX-License-Identifier: MIT
"""What a run of bulk or zerocopy had under its feet, beside the facts of every run."""

from sockmeter.model.environment import Environment, Fact
from sockmeter.plan.sinks import SINKS
from sockmeter.rig.turning.stage import Stage


def with_stage(environment: Environment, stage: Stage) -> Environment:
    """Return the environment with the facts of the stage; the same where nothing is staged."""
    if not stage.is_staged:
        return environment
    return Environment(facts={**environment.facts, **_facts(stage)})


def _facts(stage: Stage) -> dict[str, Fact]:
    refusal = next(iter(stage.refusals.values()), None)
    network = (
        Fact(value="private")
        if stage.is_private
        else Fact(missing=f"none of our own could be made: {refusal}")
    )
    sinks = {
        f"sink.{sink.name}": Fact(value=True)
        if sink.name not in stage.refusals
        else Fact(missing=str(stage.refusals[sink.name]))
        for sink in SINKS
    }
    return {"sink.network": network, **sinks}
