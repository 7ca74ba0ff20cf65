# SPDX-License-Identifier: MIT
"""bulk and zerocopy with the real probe, into sinks of a private network on this machine."""

import json
import math
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from sockmeter.plan.sinks import SINKS
from sockmeter.rig.environment.nftables import read_hooks
from sockmeter.rig.sinks import Namespace, NamespaceRefusedError, open_namespace
from sockmeter.rig.sinks.protocol import MakeSink, SetFeature, SetMtu, SetSysctl
from tests.cli.run_cli import SOURCE

pytestmark = pytest.mark.system

DENYING = Path(__file__).with_name("denying.py")
QUICK = ("--rounds", "10", "--calls", "500")
# A sysctl of the machine, in no network but the first, that the tests may turn.
HIGH_ORDER = Path("/proc/sys/net/core/high_order_alloc_disable")
is_root = os.geteuid() == 0
needs_root = pytest.mark.skipif(not is_root, reason="only root may turn a sysctl of the machine")


@pytest.fixture(scope="module")
def namespace() -> Iterator[Namespace]:
    try:
        opened = open_namespace()
    except NamespaceRefusedError as error:
        pytest.skip(f"no private network here: {error}")
    with opened:
        yield opened


@pytest.fixture(scope="module")
def dropping(namespace: Namespace) -> str:
    """Return a sink that drops without copying; skip where the kernel has none."""
    for name in ("dummy", "ifb"):
        if why_not(namespace, name) is None:
            return name
    pytest.skip("neither dummy nor ifb in this kernel")


def make_or_skip(namespace: Namespace, sink: str) -> None:
    refusal = why_not(namespace, sink)
    if refusal is not None:
        pytest.skip(f"no {sink} in this kernel: {refusal}")


def why_not(namespace: Namespace, sink: str) -> NamespaceRefusedError | None:
    """Make a sink; that it is there already is no refusal."""
    try:
        namespace.ask(MakeSink(sink))
    except NamespaceRefusedError as error:
        return None if error.errno_name == "EEXIST" else error
    return None


@pytest.fixture
def restored() -> Iterator[Path]:
    """Yield a sysctl of the machine; whatever a test does, it is as it was afterwards."""
    before = HIGH_ORDER.read_text()
    yield HIGH_ORDER
    HIGH_ORDER.write_text(before)


def start(*words: str, cwd: Path, before: Sequence[str] = ()) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*before, sys.executable, "-m", "sockmeter", "run", *words, "-o", "run.jsonl"],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(SOURCE), "XDG_STATE_HOME": str(cwd)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_json(*words: str, cwd: Path, before: Sequence[str] = ()) -> dict[str, Any]:
    process = start(*words, "--force", "-f", "json", cwd=cwd, before=before)
    stdout, stderr = process.communicate(timeout=120)
    assert 0 == process.returncode, stderr
    view: dict[str, Any] = json.loads(stdout)
    return view


def notes(cwd: Path) -> list[Path]:
    return list((cwd / "sockmeter" / "restore").glob("*.json"))


def wait_for(path: Path, value: str) -> None:
    deadline_s = time.monotonic() + 60
    while value != path.read_text().strip():
        assert time.monotonic() < deadline_s, f"{path} never was {value}"
        time.sleep(0.001)


def test_segments_cost_far_less_than_datagrams(tmp_path: Path, dropping: str) -> None:
    """A datagram of a GSO send costs a tenth; the sink is named in the result."""
    view = run_json("bulk", "--call", "send,send-gso,sendmsg-gso", *QUICK, cwd=tmp_path)
    plain, option, control = view["rows"]
    assert f"sink {dropping}" in view["shared"]
    assert option["per_message"] < plain["summary"]["midmean"] / 3
    assert control["per_message"] < plain["summary"]["midmean"] / 3
    rates = view["figures"]["rows"]
    assert rates[1]["megabytes_per_s"] > 2 * rates[0]["megabytes_per_s"]
    assert rates[0]["calls_per_s"] * 1472 / 1e6 == pytest.approx(rates[0]["megabytes_per_s"])


@pytest.mark.parametrize("family", ["udp4", "udp6"])
@pytest.mark.parametrize("sink", [sink.name for sink in SINKS if not sink.is_received])
def test_a_dropping_sink_copies_nothing(
    tmp_path: Path, namespace: Namespace, sink: str, family: str
) -> None:
    """0 %, exactly, where each notification is read by itself."""
    make_or_skip(namespace, sink)
    view = run_json(
        *("zerocopy", "--call", "send-gso", "--sink", sink, "--limit", "1"),
        *("--family", family, *QUICK),
        cwd=tmp_path,
    )
    plain, zerocopy = view["figures"]["rows"]
    assert "copied" not in plain
    assert "0" == zerocopy["copied"]
    assert 1.0 == zerocopy["sends_per_notification"]
    assert view["rows"][1]["void"] is None
    assert "faster" == view["rows"][1]["difference"]["verdict"]


def test_several_sizes_are_judged_each_against_its_copy(tmp_path: Path, dropping: str) -> None:
    """Over both ways of reading; what a byte costs is the sends and the looks, over the bytes."""
    words = ("--sink", dropping, "--segments", "2,44", "--limit", "1", "--zerocopy", "poll,recvmsg")
    view = run_json("zerocopy", "--call", "send-gso", *words, *QUICK, cwd=tmp_path)
    assert [(2, 44), (2, 44)] == [
        tuple(row["datagrams"] for row in crossover["rows"]) for crossover in view["crossovers"]
    ]
    for crossover in view["crossovers"]:
        for row in crossover["rows"]:
            copy, own = (
                view["rows"][row[f"{which}_row"]]["factors"] for which in ("copy", "zerocopy")
            )
            assert copy["segments"] == own["segments"] == row["datagrams"]
            assert "no" == copy["zerocopy"] != own["zerocopy"]
            costs = {
                which: byte_costs_in(tmp_path / "run.jsonl", row[f"{which}_row"], view["rounds"])
                for which in ("copy", "zerocopy")
            }
            for which, each in costs.items():
                assert statistics.median(each) == pytest.approx(row[f"{which}_per_byte"])
            ratios = [math.log(own / copied) for copied, own in zip(*costs.values(), strict=True)]
            estimate = row["difference"]["estimate"]
            assert math.expm1(statistics.median(ratios)) == pytest.approx(estimate)


def byte_costs_in(path: Path, arm: int, rounds: int) -> list[float]:
    """Return what a byte of an arm cost in each round of a run file that was judged."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    kept = [each["round"] for each in lines if "round" in each and not each["round"]["dropped"]]
    segments = [each for one in kept[:rounds] for each in one["segments"] if each["arm"] == arm]
    costs = [each["sum"] + looks_of(each.get("histograms", {})) for each in segments]
    return [cost / each["bytes"] for cost, each in zip(costs, segments, strict=True)]


def looks_of(histograms: dict[str, Any]) -> int:
    """Return what the system calls that looked cost; a copying send has none."""
    names = ("read", "read_empty", "poll")
    return sum(histograms[name]["sum"] for name in names if name in histograms)


def test_loopback_that_drops_leaves_the_reader_what_is_its_own(tmp_path: Path) -> None:
    """Whatever the order of their segments; and the names of both addresses work."""
    words = ("--sink", "loopback-drop,loopback", "--family", "udp4,udp6", *QUICK)
    view = run_json("bulk", "--call", "send", *words, cwd=tmp_path)
    assert [None] * 4 == [row["refused"] for row in view["rows"]]
    assert [False, True, False, True] == [
        row.get("received_megabytes_per_s", 0) > 0 for row in view["figures"]["rows"]
    ]


@pytest.mark.parametrize("family", ["udp4", "tcp4"])
def test_loopback_copies_everything_and_the_arm_is_void(tmp_path: Path, family: str) -> None:
    view = run_json(
        *("zerocopy", "--call", "send", "--sink", "loopback", "--family", family),
        *("--limit", "1", "--size", "4096", *QUICK),
        cwd=tmp_path,
    )
    assert "100% of the notifications say that the kernel copied" == view["rows"][1]["void"]
    assert view["figures"]["rows"][1]["copied"].endswith("100")


def test_the_best_sink_is_never_one_that_copies_for_no_reason(
    tmp_path: Path, dropping: str
) -> None:
    view = run_json("bulk", "--call", "send", "--family", "udp4,udp6,tcp4", *QUICK, cwd=tmp_path)
    assert [dropping, dropping, "loopback"] == [row["factors"]["sink"] for row in view["rows"]]
    assert [None, None, None] == [row["refused"] for row in view["rows"]]


def test_limits_are_rows_with_the_limit_and_the_rest_is_measured(
    tmp_path: Path, dropping: str
) -> None:
    view = run_json(
        *("bulk", "--call", "send-gso", "--sink", dropping, "--size", "100,1472,1473"),
        *("--segments", "44,45,200", "--calls", "100", "--rounds", "10"),
        cwd=tmp_path,
    )
    told = {
        (row["factors"]["size"], row["factors"]["segments"]): row["refused"] for row in view["rows"]
    }
    assert told[100, 44] is None
    assert told[1472, 44] is None
    assert "at most 64 segments, 128 from Linux 6.9" in told[100, 200]
    assert "66,240 bytes; a message has at most 65,507" in told[1472, 45]
    assert "exceed the MTU" in told[1473, 44]


def test_a_sink_that_the_kernel_has_not_is_a_row(tmp_path: Path, namespace: Namespace) -> None:
    try:
        namespace.ask(MakeSink("dummy"))
    except NamespaceRefusedError as error:
        assert "EOPNOTSUPP" == error.errno_name
        view = run_json("bulk", "--call", "send", "--sink", "auto,dummy", *QUICK, cwd=tmp_path)
        assert view["rows"][0]["refused"] is None
        assert "modprobe dummy" in view["rows"][1]["refused"]


def test_a_larger_mtu_carries_larger_segments(tmp_path: Path, dropping: str) -> None:
    """8,000 bytes need it: the other arm is refused, this one is not."""
    view = run_json(
        *("bulk", "--call", "send-gso", "--sink", dropping, "--size", "8000", "--mtu", "1500,9000"),
        *QUICK,
        cwd=tmp_path,
    )
    assert "exceed the MTU" in view["rows"][0]["refused"]
    assert view["rows"][1]["refused"] is None


@pytest.mark.parametrize(
    ("sink", "family"),
    [*((sink.name, "udp6") for sink in SINKS), ("loopback", "tcp6")],
)
def test_an_mtu_too_small_for_ipv6_takes_it_from_no_other_arm(
    tmp_path: Path, namespace: Namespace, sink: str, family: str
) -> None:
    """The kernel takes a device's IPv6 addresses with it, and does not bring them back."""
    make_or_skip(namespace, sink)
    view = run_json(
        *("bulk", "--call", "send", "--sink", sink, "--family", family, "--mtu", "1500,68"),
        *("--calls", "100", "--rounds", "10"),
        cwd=tmp_path,
    )
    assert view["rows"][0]["refused"] is None
    assert "IPv6 needs an MTU of at least 1,280 bytes" in view["rows"][1]["refused"]


def test_segmentation_in_software_is_slower(tmp_path: Path, dropping: str) -> None:
    view = run_json(
        *("bulk", "--call", "send-gso", "--sink", dropping),
        *("--offload", "tx-udp-segmentation=on,off", *QUICK),
        cwd=tmp_path,
    )
    assert "slower" == view["rows"][1]["difference"]["verdict"]


def test_a_device_that_has_no_such_feature_is_said(tmp_path: Path, dropping: str) -> None:
    """Every arm needs it, so there is nothing to measure."""
    words = ("bulk", "--call", "send", "--sink", dropping, "--offload", "warp-drive=on")
    process = start(*words, *QUICK, cwd=tmp_path)
    _, stderr = process.communicate(timeout=60)
    assert 3 == process.returncode
    assert f"sink-{dropping} has no feature warp-drive" in stderr


def test_what_is_turned_in_our_network_is_not_turned_outside(namespace: Namespace) -> None:
    wmem = Path("/proc/sys/net/ipv4/tcp_wmem")
    outside = wmem.read_text()
    old = namespace.ask(SetSysctl("net.ipv4.tcp_wmem", "4096 20000 5000000"))
    assert outside == wmem.read_text()
    assert "4096 20000 5000000" == namespace.ask(SetSysctl("net.ipv4.tcp_wmem", old))


def test_a_network_of_our_own_is_gone_with_its_owner(tmp_path: Path) -> None:
    """Also when the owner is killed: the process that holds it ends with its input."""
    script = (
        "import os, signal, sys\n"
        "from sockmeter.rig.sinks import open_namespace\n"
        "from sockmeter.rig.sinks.protocol import MakeSink\n"
        "opened = open_namespace()\n"
        "opened.ask(MakeSink('veth'))\n"
        "print(os.fstat(opened.descriptors[-1]).st_ino, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert -9 == finished.returncode, finished.stderr
    wait_until_gone(int(finished.stdout))


@needs_root
@pytest.mark.parametrize("ending", [None, signal.SIGINT, signal.SIGKILL])
def test_no_network_no_device_and_no_hook_is_left(
    tmp_path: Path, dropping: str, ending: signal.Signals | None
) -> None:
    """Also of a run that is interrupted or killed while it drops."""
    before = sorted(os.listdir("/sys/class/net")), read_hooks()
    words = ("--sink", f"loopback-drop,{dropping},veth", "--call", "send", "--calls", "500")
    process = start("bulk", *words, "--rounds", "10000" if ending else "10", cwd=tmp_path)
    inode = wait_for_network(process)
    if ending is not None:
        wait_for_rounds(tmp_path / "run.jsonl", 2)
        process.send_signal(ending)
    _, stderr = process.communicate(timeout=60)
    assert "Traceback" not in stderr
    wait_until_gone(inode)
    assert before == (sorted(os.listdir("/sys/class/net")), read_hooks())


def wait_for_network(process: subprocess.Popen[str]) -> int:
    """Return the inode of the network that a child of `process` has made."""
    own = os.stat("/proc/self/ns/net").st_ino
    deadline_s = time.monotonic() + 60
    while True:
        for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
            if (inode := _network_of(Path("/proc") / child)) not in (own, None):
                assert inode is not None
                return inode
        assert time.monotonic() < deadline_s, "no network was made"
        time.sleep(0.002)


def wait_for_rounds(path: Path, rounds: int) -> None:
    deadline_s = time.monotonic() + 60
    while not path.exists() or path.read_text().count('"round"') < rounds:
        assert time.monotonic() < deadline_s, "the run never began"
        time.sleep(0.01)


def wait_until_gone(inode: int) -> None:
    deadline_s = time.monotonic() + 10
    while inode in _network_inodes():
        assert time.monotonic() < deadline_s, "a process still holds the network"
        time.sleep(0.02)


def _network_inodes() -> set[int]:
    numbers = [entry for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    return {inode for each in numbers if (inode := _network_of(each)) is not None}


def _network_of(process: Path) -> int | None:
    try:
        return (process / "ns" / "net").stat().st_ino
    except OSError:
        return None


def test_a_user_without_privileges_has_a_network_of_their_own(
    tmp_path: Path, dropping: str
) -> None:
    """By a user namespace; without real-time priority, and CAP_NET_ADMIN only inside."""
    # Who maps user 0 needs CAP_SETFCAP, which only the tests' own root has to.
    gone = "-sys_admin,-net_admin,-sys_nice,-ipc_lock"
    drop = ["setpriv", "--bounding-set", gone] if is_root else []
    words = ("--sink", f"{dropping},loopback-drop,veth,loopback", *QUICK)
    view = run_json("bulk", "--call", "send", *words, cwd=tmp_path, before=drop)
    assert [None] * 4 == [row["refused"] for row in view["rows"]]


def test_where_no_network_can_be_made_that_is_said(tmp_path: Path) -> None:
    """In a user namespace that may have none; loopback is measured all the same."""
    limit = 'echo 0 > /proc/sys/user/max_net_namespaces && exec "$@"'
    before = ["unshare", "--user", "--map-root-user", "sh", "-c", limit, "sh"]
    view = run_json(
        *("bulk", "--call", "send", "--sink", "ifb,loopback", *QUICK), cwd=tmp_path, before=before
    )
    assert view["rows"][0]["refused"].startswith("namespace: ENOSPC")
    assert "user.max_net_namespaces" in view["rows"][0]["refused"]
    assert view["rows"][1]["refused"] is None


@pytest.mark.parametrize(
    ("before", "errno", "command"),
    [
        # As root of a user namespace without any capability, which may have no other.
        (
            (
                *("unshare", "--user", "--map-root-user", "sh", "-c"),
                'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv "$@"',
                *("sh", "--bounding-set", "-all"),
            ),
            "ENOSPC",
            "sysctl user.max_net_namespaces=1000 user.max_user_namespaces=1000",
        ),
        (
            (sys.executable, str(DENYING), "namespaces", "--"),
            "EPERM",
            "run it as root, or allow it: sudo sysctl kernel.unprivileged_userns_clone=1",
        ),
    ],
    ids=["no user namespaces", "unshare is not allowed"],
)
def test_a_user_who_may_have_no_network_is_told_the_command(
    tmp_path: Path, before: tuple[str, ...], errno: str, command: str
) -> None:
    view = run_json(
        *("bulk", "--call", "send", "--sink", "loopback-drop,ifb,loopback", *QUICK),
        cwd=tmp_path,
        before=before,
    )
    drop, ifb, loopback = [row["refused"] for row in view["rows"]]
    for refused in (drop, ifb):
        assert refused.startswith(f"namespace: {errno}, ")
        assert command in refused
    assert loopback is None


def test_without_nftables_its_sinks_are_rows_and_the_rest_is_measured(
    tmp_path: Path, dropping: str
) -> None:
    view = run_json(
        *("bulk", "--call", "send", "--sink", f"{dropping},loopback-drop,veth,loopback", *QUICK),
        cwd=tmp_path,
        before=(sys.executable, str(DENYING), "nftables", "--"),
    )
    first, drop, veth, loopback = [row["refused"] for row in view["rows"]]
    for refused in (drop, veth):
        assert (
            "nftables: EPROTONOSUPPORT, Protocol not supported; "
            "this kernel cannot drop at a device; try: sudo modprobe nf_tables"
        ) == refused
    assert (None, None) == (first, loopback)


@needs_root
def test_page_fragments_without_high_orders_halve_a_large_send(
    tmp_path: Path, dropping: str, restored: Path
) -> None:
    """And the sysctl is as it was: success."""
    before = restored.read_text()
    view = run_json(
        *("bulk", "--call", "send-gso", "--sink", dropping, "--segments", "42"),
        *("--sysctl", "net.core.high_order_alloc_disable=0,1", *QUICK),
        cwd=tmp_path,
    )
    difference = view["rows"][1]["difference"]
    assert "slower" == difference["verdict"]
    assert difference["low"] > 0.1
    assert before == restored.read_text()
    assert [] == notes(tmp_path)


@needs_root
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_sysctl_is_put_back_when_the_run_is_interrupted(
    tmp_path: Path, restored: Path, number: signal.Signals
) -> None:
    restored.write_text("0")
    words = ("--sysctl", "net.core.high_order_alloc_disable=1", "--rounds", "10000")
    process = start("recv", "--call", "recv", *words, cwd=tmp_path)
    wait_for(restored, "1")
    process.send_signal(number)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode in (130, 3), stderr
    assert "Traceback" not in stderr
    assert "0" == restored.read_text().strip()
    assert [] == notes(tmp_path)


@needs_root
def test_a_sysctl_is_put_back_by_the_start_after_a_kill(tmp_path: Path, restored: Path) -> None:
    restored.write_text("0")
    words = ("--sysctl", "net.core.high_order_alloc_disable=1", "--rounds", "10000")
    process = start("recv", "--call", "recv", *words, cwd=tmp_path)
    wait_for(restored, "1")
    process.kill()
    process.communicate(timeout=60)
    assert "1" == restored.read_text().strip()
    assert 1 == len(notes(tmp_path))
    process = start("recv", "--call", "recv", *QUICK, "--force", cwd=tmp_path)
    _, stderr = process.communicate(timeout=60)
    assert 0 == process.returncode, stderr
    assert "is 0 again; a run that was killed had left it at 1" in stderr
    assert "0" == restored.read_text().strip()
    assert [] == notes(tmp_path)


@needs_root
def test_two_runs_at_once_leave_a_sysctl_as_it_was(tmp_path: Path, restored: Path) -> None:
    """The second, of another user even, is refused: it would take a value for the old one."""
    restored.write_text("0")
    words = ("recv", "--call", "recv", "--sysctl", "net.core.high_order_alloc_disable=1")
    (other := tmp_path / "other").mkdir()
    first = start(*words, "--rounds", "10000", cwd=tmp_path)
    wait_for(restored, "1")
    second = start(*words, *QUICK, cwd=other)
    _, stderr = second.communicate(timeout=60)
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=60)
    assert 3 == second.returncode
    assert f"at lock: process {first.pid} is turning {restored}: wait for its end" in stderr
    assert "0" == restored.read_text().strip()
    assert [] == notes(tmp_path) + notes(other)


@needs_root
def test_a_sysctl_is_put_back_when_the_probe_fails(tmp_path: Path, restored: Path) -> None:
    restored.write_text("0")
    words = ("--sysctl", "net.core.high_order_alloc_disable=1", *QUICK)
    (broken := tmp_path / "probe").write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    process = subprocess.run(
        [sys.executable, "-m", "sockmeter", "run", "recv", "--call", "recv", *words],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(SOURCE),
            "XDG_STATE_HOME": str(tmp_path),
            "SOCKMETER_PROBE": str(broken),
        },
        capture_output=True,
        check=False,
    )
    assert 6 == process.returncode
    assert "0" == restored.read_text().strip()


def test_a_sysctl_that_this_user_may_not_turn_is_said() -> None:
    drop = ["setpriv", "--bounding-set", "-all", "--reuid", "65534"] if is_root else []
    probe = subprocess.run(
        [*drop, sys.executable, "-c", "pass"], check=False, capture_output=True, cwd="/"
    )
    if probe.returncode:
        pytest.skip("no interpreter that another user may run")
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o777)
        process = start(
            *("recv", "--call", "recv", "--sysctl", "net.core.optmem_max=20480", *QUICK),
            cwd=Path(directory),
            before=drop,
        )
        _, stderr = process.communicate(timeout=60)
    assert 3 == process.returncode
    assert "sysctl: Permission denied" in stderr


def test_settings_of_a_device_are_undone_with_their_old_values(
    namespace: Namespace, dropping: str
) -> None:
    device = f"sink-{dropping}"
    assert "1500" == namespace.ask(SetMtu(device, 9000))
    assert "9000" == namespace.ask(SetMtu(device, 1500))
    assert "on" == namespace.ask(SetFeature(device, "tx-udp-segmentation", False))
    assert "off" == namespace.ask(SetFeature(device, "tx-udp-segmentation", True))


def test_sends_that_find_no_room_are_counted_by_cause(tmp_path: Path) -> None:
    """Locked memory of whoever has not CAP_IPC_LOCK: a few large sends are too many."""
    gone = ["setpriv", "--bounding-set", "-ipc_lock,-sys_resource"] if is_root else []
    words = ("--family", "tcp4", "--zerocopy", "none", "--rounds", "8", "--calls", "500")
    view = run_json(
        *("zerocopy", "--call", "send", *words),
        cwd=tmp_path,
        before=[*gone, "prlimit", "--memlock=262144"],
    )
    text = "\n".join(view["sentences"])
    assert view["rows"][1]["failed"]["ENOBUFS"] > 0
    assert "would have pinned more than RLIMIT_MEMLOCK allows; more: sudo prlimit" in text
    assert "option memory" not in text
    assert "ENOBUFS" in view["rows"][1]["void"]
    assert {} == view["rows"][0]["failed"]


@needs_root
def test_notifications_that_find_no_option_memory_are_counted_as_that(tmp_path: Path) -> None:
    words = ("--family", "tcp4", "--zerocopy", "none", "--rounds", "8", "--calls", "500")
    view = run_json(
        *("zerocopy", "--call", "send", *words, "--sysctl", "net.core.optmem_max=4096"),
        cwd=tmp_path,
    )
    text = "\n".join(view["sentences"])
    assert view["rows"][1]["failed"]["ENOBUFS"] > 0
    assert "no option memory for a notification; more: sudo sysctl net.core.optmem_max" in text
    assert "RLIMIT_MEMLOCK" not in text


def test_buffers_that_do_not_fit_are_a_row(tmp_path: Path) -> None:
    """60,000 of them hold 3.9 GB: more than the address space that is left to the probe."""
    view = run_json(
        *("bulk", "--call", "send", "--family", "tcp4", "--buffers", "1,60000", *QUICK),
        cwd=tmp_path,
        before=["prlimit", "--as=2147483648"],
    )
    assert view["rows"][0]["refused"] is None
    assert view["rows"][1]["refused"].startswith("buffers: ENOMEM")
    assert "ulimit -l" in view["rows"][1]["refused"]
