# SPDX-License-Identifier: MIT
"""Two machines are told apart by what changes a call's cost, and by what is not known."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sockmeter.explain.environments import RULES, Kind, differences
from sockmeter.model.environment import Environment, Fact, FactValue
from sockmeter.rig.environment import CATALOGUE


def make_environment(**facts: FactValue | Fact) -> Environment:
    """Return an environment; a double underscore in a name stands for the dot."""
    return Environment(
        facts={
            name.replace("__", "."): fact if isinstance(fact, Fact) else Fact(value=fact)
            for name, fact in facts.items()
        }
    )


NAMES = st.sampled_from(
    ["clock.source", "config.HZ", "sysctl.net.core.rmem_max", "load.average", "later.fact"]
)
VALUES: st.SearchStrategy[FactValue] = st.one_of(
    st.integers(0, 3), st.booleans(), st.sampled_from(string.ascii_lowercase[:3])
)
FACTS = st.one_of(
    st.builds(lambda value: Fact(value=value), VALUES),
    st.builds(lambda reason: Fact(missing=reason), st.sampled_from(["gone", "forbidden"])),
)
ENVIRONMENTS = st.builds(
    lambda facts: Environment(facts=facts), st.dictionaries(NAMES, FACTS, max_size=5)
)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            make_environment(clock__source="tsc"),
            make_environment(clock__source="hpet"),
            "the clock source differs: tsc against hpet",
        ),
        (
            make_environment(device__mtu=Fact(value=1500, unit="bytes")),
            make_environment(device__mtu=Fact(value=9000, unit="bytes")),
            "the MTU differs: 1500 against 9000 bytes",
        ),
        (
            make_environment(config__PREEMPT="n"),
            make_environment(config__PREEMPT="y"),
            "CONFIG_PREEMPT differs: n against y",
        ),
        (
            make_environment(kernel__command_line="quiet mitigations=auto"),
            make_environment(kernel__command_line="quiet mitigations=off psi=1"),
            "the kernel command line differs: mitigations=auto against mitigations=off psi=1",
        ),
        (
            make_environment(kernel__command_line="a b"),
            make_environment(kernel__command_line="b a"),
            "the kernel command line differs: the order of parameters",
        ),
        (
            make_environment(netfilter__nftables_hooks=[]),
            make_environment(netfilter__nftables_hooks=["ip output 0"]),
            "the list of nftables chains differs: none against ip output 0",
        ),
        (
            make_environment(frequency__governor="performance"),
            make_environment(frequency__governor=Fact(missing="no driver")),
            "the governor is unknown after (no driver)",
        ),
        (
            make_environment(),
            make_environment(vulnerability__tsa="Not affected"),
            "the mitigation of tsa is unknown before (not recorded)",
        ),
    ],
)
def test_a_difference_is_a_sentence(before: Environment, after: Environment, expected: str) -> None:
    """With both values and the unit, or with why one is not known."""
    assert [expected] == [found.sentence() for found in differences(before, after)]


def test_what_neither_could_read_is_no_difference() -> None:
    """Not even where the reasons are two."""
    before = make_environment(clock__source=Fact(missing="gone"))
    after = make_environment(clock__source=Fact(missing="forbidden"))
    assert [] == differences(before, after)


def test_what_matters_comes_first() -> None:
    """The load of a moment never hides the clock."""
    before = make_environment(load__average=0.1, clock__source="tsc", kernel__release="6.1")
    after = make_environment(load__average=2.5, clock__source="hpet", kernel__release="6.12")
    expected = [("kernel.release", True), ("clock.source", True), ("load.average", False)]
    assert expected == [(found.name, found.matters) for found in differences(before, after)]


def test_a_fact_of_a_later_version_matters() -> None:
    """What is not known to be harmless is not called so."""
    found = differences(make_environment(later__fact=1), make_environment(later__fact=2))
    assert [("later.fact", True)] == [(each.label, each.matters) for each in found]


def test_every_fact_that_is_read_has_a_rule() -> None:
    """A new fact is weighed when it is added."""
    names = [row.name for rows in CATALOGUE.values() for row in rows]
    bare = [
        name
        for name in names
        if not any(
            rule.name == name or (rule.name.endswith(".") and name.startswith(rule.name))
            for rule in RULES
        )
    ]
    assert [] == bare


def test_every_rule_is_of_a_fact_that_is_read() -> None:
    """A rule for nothing is a rule for a misspelt fact."""
    names = [row.name for rows in CATALOGUE.values() for row in rows]
    idle = [
        rule.name
        for rule in RULES
        if not any(
            name == rule.name or (rule.name.endswith(".") and name.startswith(rule.name))
            for name in names
        )
    ]
    assert [] == idle


@given(ENVIRONMENTS)
def test_an_environment_does_not_differ_from_itself(environment: Environment) -> None:
    """The law of identity."""
    assert [] == differences(environment, environment)


@given(ENVIRONMENTS, ENVIRONMENTS)
def test_differences_do_not_depend_on_which_came_first(
    before: Environment, after: Environment
) -> None:
    """The same facts, kinds and weights, with the sides exchanged."""
    there = {(each.name, each.kind, each.matters) for each in differences(before, after)}
    back = {(each.name, each.kind, each.matters) for each in differences(after, before)}
    assert there == back


@given(ENVIRONMENTS, ENVIRONMENTS)
def test_only_one_sided_absence_is_unknown(before: Environment, after: Environment) -> None:
    """UNKNOWN has a value on exactly one side, DIFFERS on both."""
    for each in differences(before, after):
        known = [fact.missing is None for fact in (each.before, each.after)]
        assert (known.count(True) == 1) == (each.kind is Kind.UNKNOWN)
        assert any(known)
