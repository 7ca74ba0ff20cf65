# SPDX-License-Identifier: MIT
"""What doctor says of sending on this machine."""

from pathlib import Path

import pytest

from sockmeter.plan.arms import expand_arms
from sockmeter.plan.sinks import SINKS
from sockmeter.rig.health.finding import Finding
from sockmeter.rig.sinks import NamespaceRefusedError
from sockmeter.rig.turning import Journal, Stage, open_stage
from sockmeter.rig.turning.abilities import examine_sending
from tests.rig.fake_namespace import FakeNamespace

pytestmark = pytest.mark.system


def examine(stage: Stage) -> dict[str, Finding]:
    return {finding.subject: finding for finding in examine_sending(stage)}


def test_what_can_be_sent_and_where_is_said(tmp_path: Path) -> None:
    with open_stage(expand_arms("bulk", ["send"], {}), Journal(tmp_path)) as stage:
        findings = examine(stage)
        assert [
            "private network",
            "sinks",
            "UDP_SEGMENT",
            "UDP_GRO",
            "MSG_ZEROCOPY",
            "sysctls",
        ] == list(findings)
        assert f"bulk goes to {stage.best_sink()}" in findings["sinks"].detail
        assert "segments" in findings["UDP_SEGMENT"].detail


def test_what_a_kernel_lacks_is_said_once_with_the_command(tmp_path: Path) -> None:
    """Both sinks that nftables is needed for need one module."""
    refusals = {
        "dummy": NamespaceRefusedError("sink", 95, "Operation not supported"),
        "loopback-drop": NamespaceRefusedError("nftables", 93, "Protocol not supported"),
        "veth": NamespaceRefusedError("nftables", 93, "Protocol not supported"),
    }
    finding = examine(Stage(FakeNamespace({}), refusals, Journal(tmp_path)))["sinks"]
    assert (
        "bulk goes to ifb; not here: dummy (Operation not supported), "
        "loopback-drop, veth (Protocol not supported)"
    ) == finding.detail
    assert ("ok", "sudo modprobe -a dummy nf_tables") == (finding.status, finding.mend)


def test_a_machine_without_a_private_network_copies_and_is_told(tmp_path: Path) -> None:
    refusal = NamespaceRefusedError("namespace", 1, "Operation not permitted", mend="run as root")
    refusals = {sink.name: refusal for sink in SINKS if not sink.is_received}
    findings = examine(Stage(None, refusals, Journal(tmp_path)))
    assert "cannot" == findings["private network"].status
    assert "run as root" == findings["private network"].mend
    assert "bulk goes to loopback" in findings["sinks"].detail
    assert "every zerocopy send would be copied" in findings["sinks"].detail
