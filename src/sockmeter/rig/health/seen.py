# SPDX-License-Identifier: MIT
"""The environment as the examiners read it: values by type, and a few conclusions."""

from sockmeter.model.environment import Environment

PRIVILEGED = "sys_admin"
VIRTUAL_VENDORS = ("QEMU", "Amazon EC2", "Google", "VMware, Inc.", "Xen", "innotek GmbH", "Red Hat")


class Seen:
    """Typed access to facts; a fact that is missing, or of another type, is None."""

    def __init__(self, environment: Environment) -> None:
        self._facts = environment.facts

    def number(self, name: str) -> float | None:
        """Return a fact that is a number."""
        value = self._value(name)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    def text(self, name: str) -> str | None:
        """Return a fact that is a word or a sentence."""
        value = self._value(name)
        return value if isinstance(value, str) else None

    def words(self, name: str) -> list[str] | None:
        """Return a fact that is a list."""
        value = self._value(name)
        return value if isinstance(value, list) else None

    def truth(self, name: str) -> bool | None:
        """Return a fact that is true or false."""
        value = self._value(name)
        return value if isinstance(value, bool) else None

    def why_missing(self, name: str) -> str:
        """Return why a fact is missing."""
        fact = self._facts.get(name)
        return (fact.missing if fact else None) or "not recorded"

    def is_guest(self) -> bool:
        """Say whether a hypervisor is known to be there."""
        if self.truth("cpu.hypervisor_flag") or self.text("hypervisor.type"):
            return True
        return self.text("hypervisor.vendor") in VIRTUAL_VENDORS

    def is_container(self) -> bool:
        """Say whether a container is known to be around this process."""
        return self.text("container.kind") not in (None, "none")

    def can(self, capability: str) -> bool:
        """Say whether this process has a capability, named without CAP_ and in lower case."""
        return capability in (self.words("process.capabilities") or [])

    def sudo(self) -> str:
        """Return what comes before a command for root: nothing for root, `sudo ` for others."""
        return "" if self.can(PRIVILEGED) else "sudo "

    def write(self, value: str, path: str) -> str:
        """Return the command that writes `value` to `path` as root."""
        return f"echo {value} | {self.sudo()}tee {path}"

    def _value(self, name: str) -> object:
        fact = self._facts.get(name)
        return fact.value if fact else None
