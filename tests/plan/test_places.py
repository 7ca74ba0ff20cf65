# SPDX-License-Identifier: MIT
"""Kernels, boot parameters and sysctls make places; arms are set against their nearest relative."""

import pytest

from sockmeter.model.arms import Arm
from sockmeter.model.errors import PlanError
from sockmeter.plan.arms import expand_arms
from sockmeter.plan.pairing import pair_arms
from sockmeter.plan.places import Place, PlaceRequest, arms_in_places, expand_places, reference_of


def places_of(**fields: list[str]) -> list[Place]:
    request = PlaceRequest(kernels=fields.pop("kernels", ["debian:6.1"]), **fields)
    return expand_places(request, default_cpu_model="haswell")


def make_arm(call: str, **factors: int | str | bool) -> Arm:
    return Arm(scenario="recv", call=call, factors=factors)


def test_every_comma_makes_a_place() -> None:
    """The last factor varies fastest, and the first place has the first of everything."""
    places = places_of(
        kernels=["a", "b"], boot=["hardened_usercopy=on,off", "quiet"], sysctls=["net.x=0"]
    )
    assert [
        ("a", ["hardened_usercopy=on", "quiet"]),
        ("a", ["hardened_usercopy=off", "quiet"]),
        ("b", ["hardened_usercopy=on", "quiet"]),
        ("b", ["hardened_usercopy=off", "quiet"]),
    ] == [(place.kernel, place.parameters) for place in places]
    assert {
        "kernel": "a",
        "hardened_usercopy": "on",
        "quiet": True,
        "net.x": "0",
        "cpu-model": "haswell",
        "smp": 1,
    } == places[0].factors
    assert {"net.x": "0"} == places[0].sysctls


def test_what_is_turned_at_the_sinks_is_of_the_boot() -> None:
    """All arms of a guest share it, so it is no factor of an arm there."""
    places = places_of(offloads=["rx-gro=on,off"], mtus=["1500", "9000"])
    assert [
        ({"rx-gro": True}, 1500),
        ({"rx-gro": True}, 9000),
        ({"rx-gro": False}, 1500),
        ({"rx-gro": False}, 9000),
    ] == [(place.offloads, place.mtu_bytes) for place in places]
    assert ("off", 9000) == (places[3].factors["offload.rx-gro"], places[3].factors["mtu"])
    (plain,) = places_of()
    assert ({}, None, False) == (plain.offloads, plain.mtu_bytes, "mtu" in plain.factors)


def test_a_value_with_a_comma_stands_in_quotes() -> None:
    """As `mitigations=auto,nosmt`; one with spaces is quoted for the kernel."""
    first, second = places_of(boot=['mitigations="auto,nosmt",off'])
    assert (["mitigations=auto,nosmt"], ["mitigations=off"]) == (
        first.parameters,
        second.parameters,
    )
    (spaced,) = places_of(boot=["dyndbg=file x +p"])
    assert ['dyndbg="file x +p"'] == spaced.parameters


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"boot": ["=on"]}, "no name"),
        ({"boot": ["a=on,"]}, "a value is empty"),
        ({"boot": ["a=on", "a=off"]}, "a is given twice"),
        ({"boot": ["size=64"]}, "size is a factor of its own"),
        ({"sysctls": ["net.x"]}, "no value"),
        ({"offloads": ["rx-gro"]}, "unknown"),
        ({"offloads": ["rx gro=on"]}, "no name"),
        ({"mtus": ["10"]}, "not a whole number from 68"),
        ({"smp": ["0"]}, "not from 1 to 16 CPUs"),
        ({"smp": ["two"]}, "not from 1 to 16 CPUs"),
    ],
)
def test_what_makes_no_sense_is_named(fields: dict[str, list[str]], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        places_of(**fields)


def test_an_arm_is_set_against_the_one_that_differs_in_one_factor() -> None:
    """The last factor that is not at its first value goes back to it."""
    arms = [
        arm
        for arm, _, _ in arms_in_places(
            [make_arm("recvfrom"), make_arm("recvmsg")],
            places_of(kernels=["6.1", "6.12"], boot=["hardened_usercopy=on,off"]),
        )
    ]
    assert [None, 0, 0, 2, 0, 4, 4, 6] == [reference_of(arms, at) for at in range(len(arms))]


def test_the_second_of_two_equal_arms_is_set_against_the_first() -> None:
    """So one asks whether two runs are identical."""
    arms = [make_arm("recv", size=1), make_arm("recv", size=2), make_arm("recv", size=2)]
    assert [None, 0, 1] == [reference_of(arms, at) for at in range(3)]


def test_zerocopy_is_set_against_the_copy_of_its_own_message() -> None:
    """Which has no limit; a second limit differs from the first by that alone."""
    arms = expand_arms("zerocopy", ["send-gso"], {"segments": [4, 44], "limit": [1, 32]})
    told = [(arm.factors["segments"], arm.factors.get("limit")) for arm in arms]
    assert [(4, None), (44, None), (4, 1), (4, 32), (44, 1), (44, 32)] == told
    assert [None, 0, 0, 2, 1, 4] == [reference_of(arms, at) for at in range(len(arms))]


def test_calls_with_other_factors_are_compared_by_those_that_both_have() -> None:
    """A batch means nothing to recvfrom."""
    arms = [
        make_arm("recvfrom", size=64),
        make_arm("recvfrom", size=65),
        make_arm("recvmmsg", size=65, batch=8),
    ]
    assert 1 == reference_of([arms[0], arms[1], arms[2]], 2)


def test_files_are_paired_by_arm_whatever_their_kernel_is_called() -> None:
    """Before and after a change, each with one kernel."""
    before = [make_arm("recv", kernel="old"), make_arm("recvmsg", kernel="old")]
    after = [make_arm("recvmsg", kernel="new"), make_arm("recv", kernel="new")]
    assert [(0, 1), (1, 0)] == pair_arms(before, after)
    assert [(0, 0)] == pair_arms(before[:1], before)


def test_an_arm_with_two_partners_is_refused() -> None:
    with pytest.raises(PlanError, match="recv has 2 partners"):
        pair_arms(
            [make_arm("recv", kernel="old")],
            [make_arm("recv", kernel="a"), make_arm("recv", kernel="b")],
        )
    with pytest.raises(PlanError, match="no arm in common"):
        pair_arms([make_arm("recv", size=1)], [make_arm("recv", size=2)])
