# SPDX-License-Identifier: MIT
"""The command line keeps what changes a call's cost and loses what names somebody."""

import ipaddress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sockmeter.rig.environment.redact import redact_command_line


@pytest.mark.parametrize(
    "line",
    [
        "quiet mitigations=off spectre_v2=retpoline,generic hardened_usercopy=off",
        "isolcpus=managed_irq,domain,2-3 nohz_full=2-3 rcu_nocbs=2-3 console=ttyS0,115200n8",
        'dyndbg="file net/core/skbuff.c +p" preempt=full slab_nomerge',
        "tsc=reliable clocksource=tsc intel_pstate=passive hugepagesz=1G lsm=landlock,bpf",
    ],
)
def test_what_changes_a_cost_is_kept_as_it_stands(line: str) -> None:
    """Parameters of the kernel's paths name nobody."""
    assert line == redact_command_line(line + "\n", "moria")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("root=/dev/mapper/moria-root", "root=[redacted]"),
        ("ip=dhcp", "ip=[redacted]"),
        ("rd.luks.uuid=luks-0b7d3b5c", "rd.luks.uuid=[redacted]"),
        ("vendor.option=fe80::1", "vendor.option=[redacted]"),
        ("vendor.option=52:54:00:12:34:56", "vendor.option=[redacted]"),
        ("vendor.option=someone@example.org", "vendor.option=[redacted]"),
        ("vendor.option=on-Moria", "vendor.option=[redacted]"),
        ("vendor.option=memorial", "vendor.option=memorial"),
        ("https://example.org/answers", "[redacted]"),
    ],
)
def test_what_names_somebody_loses_its_value(word: str, expected: str) -> None:
    """By the parameter's name, or by the form of its value, or as the host's name."""
    assert f"quiet {expected} ro" == redact_command_line(f"quiet {word} ro", "moria")


def test_what_follows_two_dashes_is_inits_and_is_left_out() -> None:
    """It may hold anything, keys included."""
    assert "quiet -- [redacted]" == redact_command_line("quiet -- --key=abc single", "moria")


@given(st.ip_addresses(), st.sampled_from(["{}", "a={}", "a=b,{}:80", 'a="x {}"', "a=[{}]/64"]))
def test_no_address_comes_through(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address, form: str
) -> None:
    """Wherever in a word it stands."""
    assert str(address) not in redact_command_line(f"ro {form.format(address)} quiet", "moria")


@given(st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), max_size=60))
@example('"=@')
def test_redacting_twice_changes_nothing_more(word: str) -> None:
    """What is redacted is safe to redact."""
    once = redact_command_line(word, "moria")
    assert once == redact_command_line(once, "moria")
