# SPDX-License-Identifier: MIT
"""Every comma makes an arm; what cannot be is refused with the way out."""

import pytest

from sockmeter.model.errors import PlanError
from sockmeter.plan.arms import MOST_ARMS, expand_arms


def labels(*calls: str, **choices: list[int | str | bool]) -> list[tuple[str, object, object]]:
    arms = expand_arms("recv", calls, choices)
    return [(arm.call, arm.factors.get("size"), arm.factors.get("batch")) for arm in arms]


def test_every_comma_makes_an_arm() -> None:
    """Two calls and two sizes are four arms, calls outermost, the first is the baseline."""
    expected = [("recv", 64, None), ("recv", 1400, None), ("read", 64, None), ("read", 1400, None)]
    assert expected == labels("recv", "read", size=[64, 1400])


def test_a_factor_that_means_nothing_to_a_call_makes_no_arm_of_it() -> None:
    """recvfrom takes no batch, so two batches leave it one arm."""
    expected = [("recvfrom", 64, None), ("recvmmsg", 64, 1), ("recvmmsg", 64, 32)]
    assert expected == labels("recvfrom", "recvmmsg", batch=[1, 32])


def test_a_call_given_twice_is_two_arms() -> None:
    """An A/A run is asked for by naming a call twice."""
    assert [("recvfrom", 64, None)] * 2 == labels("recvfrom", "recvfrom")


def test_null_varies_with_nothing_but_the_thread() -> None:
    """The empty bracket has no socket, so a size gives it no second arm."""
    assert ("null", None, None) == labels("recv", "null", size=[64, 1400])[-1]


def test_streams_are_always_connected() -> None:
    """`connected` is absent from an arm over TCP."""
    (arm,) = expand_arms("recv", ["recv"], {"family": ["tcp4"]})
    assert "connected" not in arm.factors


def test_send_is_connected_and_sendto_is_not_by_default() -> None:
    """Each call is measured the way it is used."""
    arms = expand_arms("send", ["send", "sendto"], {})
    assert [True, False] == [arm.factors["connected"] for arm in arms]


@pytest.mark.parametrize(
    ("scenario", "call", "choices", "what", "mend"),
    [
        ("recv", "recvfro", {}, "unknown call 'recvfro'", "recvfrom"),
        ("recv", "send", {}, "send is not a call of scenario recv", "sockmeter run send"),
        ("rcv", "recv", {}, "unknown scenario 'rcv'", "recv, send"),
        ("recv", "recvmmsg", {"family": ["tcp4"]}, "recvmmsg over tcp4 without a batch", "--batch"),
        ("recv", "recv", {"size": [65_508]}, "at most 65507 bytes", "--size 65507"),
        ("send", "write", {"connected": [False]}, "write needs a connected socket", "sendto"),
        ("rr", "recv", {"connected": [False]}, "recv needs a connected socket", "recvfrom"),
        ("recv", "recvfrom", {"batch": [1, 8]}, "--batch means nothing to recvfrom", ""),
        ("send", "uring-send", {"registered": ["buffers"]}, "no registered buffer", "files"),
        ("send", "uring-send", {"connected": [False]}, "needs a connected socket", "sendto"),
        ("recv", "uring-recv-multishot", {"family": ["tcp4"]}, "without a batch", "--batch"),
        ("recv", "uring-recv-bundle", {}, "a bundle parts a stream", "--family tcp4"),
        (
            "recv",
            "uring-recv-bundle",
            {"family": ["tcp4"], "batch": [2], "size": [1]},
            "leaves the last byte",
            "--size 2",
        ),
        ("rr", "uring-recv", {"ring": ["sqpoll"]}, "wait in io_uring_enter", "--ring plain"),
        ("rr", "uring-recvmsg", {"wait": ["spin"]}, "wait in io_uring_enter", "--wait block"),
        (
            "channels",
            "uring-recv",
            {"batch": [64], "size": [65_507]},
            "4,192,448 bytes",
            "at most 1,048,576",
        ),
        (
            "send",
            "uring-send-bundle",
            {"family": ["tcp4"], "batch": [257]},
            "at most 256 buffers",
            "--batch 256",
        ),
        ("send", "uring-send-bundle", {"family": ["tcp4"]}, "without a batch", "--batch"),
        ("recv", "recv", {"colour": [1]}, "unknown factor 'colour'", "family"),
    ],
)
def test_an_impossible_plan_says_what_and_how_to_mend_it(
    scenario: str, call: str, choices: dict[str, list[int | str | bool]], what: str, mend: str
) -> None:
    """The message names the combination; the hint names the option that mends it."""
    with pytest.raises(PlanError) as caught:
        expand_arms(scenario, [call], choices)
    assert what in caught.value.what
    assert mend in (caught.value.mend or "")


def test_a_round_holds_a_bounded_number_of_arms() -> None:
    """More arms than a round can pair closely are refused, not run for an hour."""
    with pytest.raises(PlanError, match="65 arms"):
        expand_arms("recv", ["recv"] * (MOST_ARMS + 1), {})


def test_a_ring_is_given_one_operation_unless_more_are_asked_for() -> None:
    """A multishot receive has a batch of completions, as recvmmsg has one of messages."""
    arms = expand_arms("recv", ["uring-recv", "uring-recv-multishot"], {})
    assert [1, 32] == [arm.factors["batch"] for arm in arms]
    assert ["defer-taskrun"] * 2 == [arm.factors["ring"] for arm in arms]


def test_a_ring_means_nothing_to_a_system_call() -> None:
    arms = expand_arms("recv", ["recv", "uring-recv"], {"ring": ["plain", "sqpoll"]})
    assert [None, "plain", "sqpoll"] == [arm.factors.get("ring") for arm in arms]
