# SPDX-License-Identifier: MIT
"""Numbers and verdicts in words."""

import math

import pytest

from sockmeter.judge.intervals import Interval
from sockmeter.judge.verdict import judge_interval, undecided
from sockmeter.report.labels import arm_labels, shared_factors
from sockmeter.report.wording import interval_words, ordinal, percent, plural, verdict_words
from tests.builders import make_arm


def make_interval(estimate: float, low: float, high: float, rounds: int = 20) -> Interval:
    logs = [math.log1p(value) for value in (estimate, low, high)]
    return Interval(estimate=logs[0], low=logs[1], high=logs[2], k=53, alpha=0.05, rounds=rounds)


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((0.149, 0.146, 0.152), "slower"),
        ((-0.1, -0.12, -0.08), "faster"),
        ((0.0, -0.004, 0.004), "no difference beyond ±1 %"),
        ((0.004, 0.002, 0.006), "no difference beyond ±1 % (a change of +0.40 % is resolved)"),
        ((0.005, -0.006, 0.016), "inconclusive: 96 more rounds should settle it"),
    ],
)
def test_a_verdict_reads_as_a_sentence(ends: tuple[float, float, float], words: str) -> None:
    assert words == verdict_words(judge_interval(make_interval(*ends), 0.01))


def test_a_verdict_that_cannot_be_reached_says_how_coarse_the_machine_is() -> None:
    verdict = judge_interval(make_interval(0.001, -0.2, 0.2), 0.01)
    assert verdict_words(verdict).startswith(
        "inconclusive: not resolvable here: the smallest effect seen is ±"
    )


def test_an_undecided_comparison_gives_its_reason() -> None:
    assert "undecided: the arm was refused" == verdict_words(undecided("the arm was refused", 0.01))


def test_an_interval_is_written_with_signs() -> None:
    assert "+14.9 % [+14.6, +15.2]" == interval_words(make_interval(0.149, 0.146, 0.152))
    assert "−0.05 % [−0.20, +0.10]" == interval_words(make_interval(-0.0005, -0.002, 0.001))


def test_an_unbounded_interval_is_drawn_as_such() -> None:
    interval = Interval(estimate=0.0, low=-math.inf, high=math.inf, k=0, alpha=0.05, rounds=3)
    assert "0.00 % [−100.0, +∞]" == interval_words(interval)


def test_an_estimate_that_is_none_is_a_dash() -> None:
    interval = Interval(estimate=math.nan, low=-math.inf, high=math.inf, k=0, alpha=0.05, rounds=3)
    assert "–" == interval_words(interval)


def test_small_words() -> None:
    assert ["1 round", "20,000 rounds"] == [plural(1, "round"), plural(20_000, "round")]
    assert "2 pairs of launches" == plural(2, "pair of launches")
    shares = [percent(share) for share in (0.00123, 0.0476, 0.0995, 0.995, 1.0, 4.2)]
    assert ["0.12 %", "4.8 %", "10 %", "100 %", "100 %", "420 %"] == shares


def test_labels_name_only_what_tells_namesakes_apart() -> None:
    """sendto is unconnected and send is not: their names say enough."""
    arms = [make_arm("send", connected=True), make_arm("sendto", connected=False)]
    assert ["send", "sendto"] == arm_labels(arms)
    arms = [make_arm("recvmmsg", batch=1), make_arm("recvmmsg", batch=2)]
    assert ["recvmmsg batch=1", "recvmmsg batch=2"] == arm_labels(arms)


def test_what_only_one_call_has_stands_in_its_label() -> None:
    """A batch is no property of the whole run where one of its calls takes none."""
    arms = [make_arm("recv"), make_arm("recvmmsg", batch=8), make_arm("null")]
    assert ["recv", "recvmmsg batch=8", "null"] == arm_labels(arms)
    assert "udp4, 64 B" == shared_factors(arms)


def test_a_sysctl_is_called_the_same_outside_a_guest_as_in_one() -> None:
    """A run's factor says what it turns, a guest's is named as the kernel names it."""
    turned, counted = (
        [make_arm(**{name: value}) for value in ("0", "1")]
        for name in ("sysctl.net.core.busy_read", "net.core.busy_read")
    )
    labels = [f"recvfrom net.core.busy_read={value}" for value in (0, 1)]
    assert labels == arm_labels(turned)
    assert labels == arm_labels(counted)
    assert "udp4, 64 B, net.core.busy_read 0" == shared_factors(turned[:1])


def test_namesakes_are_numbered() -> None:
    assert ["recv #1", "recv #2"] == arm_labels([make_arm("recv"), make_arm("recv")])


def test_what_all_arms_share_is_said_once_and_plain_defaults_are_not() -> None:
    arms = [make_arm("recvfrom", cpu="auto", name=False), make_arm("recvmsg", name=False)]
    assert "udp4, 64 B, name no" == shared_factors(arms)


@pytest.mark.parametrize(
    ("position", "words"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (11, "11th"),
        (32, "32nd"),
        (112, "112th"),
        (1000, "1,000th"),
    ],
)
def test_ordinals(position: int, words: str) -> None:
    assert words == ordinal(position)
