# SPDX-License-Identifier: MIT
"""In what two machines differ, and whether that can change what a socket call costs."""

from enum import StrEnum
from typing import NamedTuple

import msgspec

from sockmeter.model.environment import Environment, Fact

COMMAND_LINE = "kernel.command_line"


class Kind(StrEnum):
    """How two environments stand to each other in one fact."""

    DIFFERS = "differs"
    UNKNOWN = "unknown"  # one side has no value, so that nothing can be said


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One fact in which two environments are not known to be the same."""

    name: str
    label: str  # what the fact is called in a sentence
    kind: Kind
    matters: bool  # whether it can change what a call costs
    before: Fact
    after: Fact

    def sentence(self) -> str:
        """Return the difference as a reader sees it, without a full stop."""
        if self.kind is Kind.UNKNOWN:
            side, fact = ("before", self.before) if self.before.missing else ("after", self.after)
            return f"{self.label} is unknown {side} ({fact.missing})"
        if self.name == COMMAND_LINE:
            return f"{self.label} differs: {_words_apart(self.before, self.after)}"
        unit = f" {self.after.unit}" if self.after.unit else ""
        return f"{self.label} differs: {_shown(self.before)} against {_shown(self.after)}{unit}"


class Rule(NamedTuple):
    """Facts of one name, or of one prefix that ends in a dot: their label, and their weight."""

    name: str
    matters: bool
    label: str  # {} stands for what follows the prefix


# The first rule that fits counts. A fact without a rule matters: it may be of a later version.
RULES = (
    Rule("kernel.config_source", False, "the place of the kernel's configuration"),
    Rule("kernel.boot_id", False, "the boot"),
    Rule("kernel.release", True, "the kernel release"),
    Rule("kernel.build", True, "the kernel build"),
    Rule("kernel.architecture", True, "the architecture"),
    Rule("kernel.compiler", True, "the kernel's compiler"),
    Rule(COMMAND_LINE, True, "the kernel command line"),
    Rule("kernel.security_modules", True, "the list of security modules"),
    Rule("kernel.preemption", True, "the preemption model"),
    Rule("kernel.livepatches", True, "the list of live patches"),
    Rule("vulnerability.", True, "the mitigation of {}"),
    Rule("config.", True, "CONFIG_{}"),
    Rule("cpu.vulnerabilities", False, "the list of known vulnerabilities"),
    Rule("cpu.model_name", True, "the CPU model"),
    Rule("cpu.microcode", True, "the microcode"),
    Rule("cpu.path_flags", True, "the list of CPU features on the path"),
    Rule("cpu.hypervisor_flag", True, "being a guest"),
    Rule("cpu.measured", True, "the measured CPU"),
    Rule("cpu.siblings", False, "the numbering of the sibling threads"),
    Rule("cpu.online", False, "the list of online CPUs"),
    Rule("cpu.online_count", True, "the number of CPUs"),
    Rule("cpu.", True, "the CPU's {}"),
    Rule("frequency.current", False, "the frequency at the start"),
    Rule("frequency.governor", True, "the governor"),
    Rule("frequency.driver", True, "the frequency driver"),
    Rule("frequency.", True, "the frequency setting {}"),
    Rule("idle.", True, "the idle setting {}"),
    Rule("clock.available", False, "the list of clock sources"),
    Rule("clock.source", True, "the clock source"),
    Rule("clock.tsc_flags", True, "the list of TSC features"),
    Rule("memory.transparent_hugepages", True, "the use of huge pages"),
    Rule("hypervisor.", True, "the hypervisor's {}"),
    Rule("container.kind", True, "the container"),
    Rule("container.", True, "the limit {}"),
    Rule("sysctl.net.ipv4.udp_mem", False, "sysctl net.ipv4.udp_mem (a share of memory)"),
    Rule("sysctl.net.ipv4.tcp_mem", False, "sysctl net.ipv4.tcp_mem (a share of memory)"),
    Rule("sysctl.kernel.perf_event_paranoid", False, "sysctl kernel.perf_event_paranoid"),
    Rule("sysctl.kernel.io_uring_disabled", False, "sysctl kernel.io_uring_disabled"),
    Rule("sysctl.kernel.unprivileged_bpf_disabled", False, "sysctl unprivileged_bpf_disabled"),
    Rule("sysctl.", True, "sysctl {}"),
    Rule("device.name", True, "the network device"),
    Rule("device.mtu", True, "the MTU"),
    Rule("device.", True, "the device's {}"),
    Rule("offload.", True, "the offload {}"),
    Rule("netfilter.connections", False, "the number of tracked connections"),
    Rule("netfilter.nftables_hooks", True, "the list of nftables chains"),
    Rule("netfilter.", True, "the packet filter's {}"),
    Rule("process.capabilities", False, "the list of capabilities"),
    Rule("process.allowed_cpus", False, "the list of allowed CPUs"),
    Rule("process.realtime_limit", False, "the limit on real-time priority"),
    Rule("process.memlock_limit", False, "the limit on locked memory"),
    Rule("process.seccomp", True, "the seccomp mode"),
    Rule("process.seccomp_filters", True, "the number of seccomp filters"),
    Rule("process.", True, "the process's {}"),
    Rule("load.", False, "the load's {}"),
    Rule("tracing.", True, "tracing's {}"),
)


def differences(before: Environment, after: Environment) -> list[Difference]:
    """Return the facts in which two environments are not known to be equal, weighty ones first.

    A fact that neither has is no difference. One that only one has is UNKNOWN. Within one weight
    the order is that of RULES, then that of the environments.
    """
    names = list(dict.fromkeys([*before.facts, *after.facts]))
    found = []
    for name in names:
        difference = _compare(name, before.facts.get(name), after.facts.get(name))
        if difference is not None:
            found.append(difference)
    return sorted(found, key=lambda difference: (not difference.matters, _rank(difference.name)))


def _compare(name: str, before: Fact | None, after: Fact | None) -> Difference | None:
    absent = Fact(missing="not recorded")
    before, after = before or absent, after or absent
    unknown = (before.missing is None) != (after.missing is None)
    if not unknown and (before.missing is not None or before == after):
        return None
    rule = _rule(name)
    return Difference(
        name=name,
        label=rule.label.format(name.removeprefix(rule.name)),
        kind=Kind.UNKNOWN if unknown else Kind.DIFFERS,
        matters=rule.matters,
        before=before,
        after=after,
    )


def _fits(rule: Rule, name: str) -> bool:
    return name == rule.name or (rule.name.endswith(".") and name.startswith(rule.name))


def _rank(name: str) -> int:
    return next((rank for rank, rule in enumerate(RULES) if _fits(rule, name)), len(RULES))


def _rule(name: str) -> Rule:
    rank = _rank(name)
    return RULES[rank] if rank < len(RULES) else Rule(name, True, name)


def _words_apart(before: Fact, after: Fact) -> str:
    """Return the boot parameters that only one side has."""
    old, new = str(before.value).split(), str(after.value).split()
    gone = " ".join(word for word in old if word not in new) or "nothing more"
    come = " ".join(word for word in new if word not in old) or "nothing more"
    return "the order of parameters" if gone == come else f"{gone} against {come}"


def _shown(fact: Fact) -> str:
    if isinstance(fact.value, list):
        return " ".join(fact.value) or "none"
    if isinstance(fact.value, bool):
        return "on" if fact.value else "off"
    return str(fact.value) or "none"
