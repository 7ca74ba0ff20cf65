# SPDX-License-Identifier: MIT
"""What the machine looks like: every fact of the catalogue, or why it could not be had."""

from sockmeter.model.environment import Environment
from sockmeter.rig.environment.catalogue import CATALOGUE
from sockmeter.rig.environment.local import LocalMachine
from sockmeter.rig.environment.machine import Machine
from sockmeter.rig.environment.site import Site

__all__ = ["CATALOGUE", "LocalMachine", "Machine", "read_environment", "read_load"]


def read_environment(machine: Machine, device: str, cpu: int) -> Environment:
    """Return every fact about `machine`, seen from network device `device` and CPU `cpu`.

    A `cpu` of -1 means that the run is not pinned. Nothing is raised for what cannot be read: the
    fact is missing and says why. No fact holds a host's name, an address or a person's name.
    """
    site = Site(machine, device, cpu)
    facts = dict(named for rows in CATALOGUE.values() for row in rows for named in row.facts(site))
    return Environment(facts=facts)


def read_load(machine: Machine) -> float | None:
    """Return the load average of the last minute in tasks, or None where it cannot be read."""
    try:
        return float(Site(machine, "lo", -1).loadavg[0])
    except OSError:
        return None
