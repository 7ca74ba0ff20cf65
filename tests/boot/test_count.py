# SPDX-License-Identifier: MIT
"""`sockmeter count` as a user runs it: a real kernel, the real probe, the whole way to the file."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from sockmeter.files.runfile import read_measurement
from sockmeter.guest.qemu import CPU_MODELS, Qemu
from sockmeter.model.counted import CountedRun
from sockmeter.model.errors import ProbeError
from sockmeter.rig.probe import find_probe
from tests.boot.conftest import ROOT, Lab

pytestmark = pytest.mark.boot
Found = TypeVar("Found")
USERCOPY = (
    *("recv", "--call", "recvfrom,recvmsg", "--kernel", "debian:6.1"),
    *("--boot", "hardened_usercopy=on,off"),
)
CHANNELS = (
    *("channels", "--call", "recvfrom", "--channels", "16", "--busy", "2", "--duration", "10ms"),
    *("--interval", "5ms", "--tick", "2ms"),
    *("--kernel", "debian:6.12", "--smp", "2"),
)


class Command:
    """Starts `sockmeter` in a directory, with a store of its own that has the kernels of all."""

    def __init__(self, directory: Path, plugin: Path) -> None:
        self.directory = directory
        self.store = directory / "cache" / "sockmeter" / "kernels"
        self._environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT / "src"),
            "XDG_CACHE_HOME": str(directory / "cache"),
            "SOCKMETER_TALLY": str(plugin.parent),
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "sockmeter", *words],
            cwd=self.directory,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str) -> str:
        process = self.start(*words)
        out, err = process.communicate(timeout=240)
        assert process.returncode == 0, err
        return out

    def count_at_once(self, *words: str, names: tuple[str, str]) -> list[bytes]:
        """Count twice at the same time; return both files without what may differ."""
        processes = [self.start("count", *words, "-o", name, "-f", "json") for name in names]
        errors = [process.communicate(timeout=240)[1] for process in processes]
        assert [0, 0] == [process.returncode for process in processes], errors
        return [without_place_and_time((self.directory / name).read_bytes()) for name in names]

    def read(self, name: str) -> CountedRun:
        run = read_measurement(self.directory / name)
        assert isinstance(run, CountedRun)
        return run


def without_place_and_time(content: bytes) -> bytes:
    """Return the bytes of a file but for those of its time stamp and its environment."""
    start, end = content.index(b'"started_at":'), content.index(b'"command":')
    return content[:start] + content[end:]


@pytest.fixture(scope="module")
def command(
    tmp_path_factory: pytest.TempPathFactory, emulator: Qemu, plugin: Path, make_lab: Any
) -> Command:
    del emulator
    try:
        find_probe()
    except ProbeError as error:
        pytest.skip(str(error))
    made = Command(tmp_path_factory.mktemp("count"), plugin)
    made.store.mkdir(parents=True)
    for series in ("6.1", "6.12"):
        lab: Lab = make_lab(series)
        entry = made.store / lab.kernel.directory.name
        entry.mkdir()
        for path in lab.kernel.directory.iterdir():
            if (series, path.name) != ("6.1", "symbols"):  # the first count has to fetch those
                (entry / path.name).symlink_to(path)
    return made


@pytest.fixture(scope="module")
def usercopy(command: Command) -> dict[str, Any]:
    """Two runs at once in a store without symbols, and what `show` then says of the first."""
    one, other = command.count_at_once(*USERCOPY, names=("first.jsonl", "second.jsonl"))
    assert one == other
    shown: dict[str, Any] = json.loads(
        command.run("show", "first.jsonl", "-f", "json", "--functions", "--mechanisms", "--tree")
    )
    return shown


def test_a_segmented_send_asks_for_its_fragments_as_often_as_its_pages(command: Command) -> None:
    """61,824 bytes to a dummy device, as Linux 6.1 gathers them: 2 and 16 calls of getfrag.

    In pages of order 3 one for the linear part and one for the fragment; in single pages sixteen
    (net.core.high_order_alloc_disable).
    """
    command.run(
        *("count", "bulk", "--call", "send-gso", "--size", "1472", "--segments", "42"),
        *("--sink", "dummy", "--sysctl", "net.core.high_order_alloc_disable=0,1"),
        *("--kernel", "debian:6.1", "--calls", "64", "-o", "gso.jsonl"),
    )
    entries = []
    for arm in command.read("gso.jsonl").arms:
        modal = max(arm.shapes, key=lambda shape: shape.profile.calls).profile
        entries.append(modal.functions["ip_generic_getfrag"].entries / modal.calls)
    assert [2, 16] == entries


def test_segments_without_checksum_offload_are_refused_or_cut_by_the_kernel(
    command: Command,
) -> None:
    """Linux 6.1 answers EIO, 6.12 does the work itself: udp_send_skb(), net/ipv4/udp.c."""
    out = command.run(
        *("count", "bulk", "--call", "send-gso", "--segments", "4"),
        *("--offload", "tx-checksum-ip-generic=off", "--kernel", "debian:6.1,debian:6.12"),
        *("--calls", "64", "-o", "checksum.jsonl", "-f", "json"),
    )
    refused, counted = json.loads(out)["rows"]
    assert refused["refused"].startswith("call: EIO, Input/output error; the device has no checks")
    assert counted["cost"] > 0
    assert "undecided: the arm that it is set against is refused" == counted["words"]
    assert "dummy" == counted["factors"]["sink"]  # the best that both kernels have


def test_zerocopy_copies_nothing_on_its_way_to_a_sink(command: Command) -> None:
    """Over both families: half of the instructions, and notifications that say so."""
    out = command.run(
        *("count", "zerocopy", "--call", "send-gso", "--segments", "10", "--limit", "1,32"),
        *("--sink", "dummy,ifb", "--family", "udp4,udp6", "--kernel", "debian:6.12"),
        *("--calls", "64", "--queue", "32", "-o", "zerocopy.jsonl", "-f", "json"),
    )
    view = json.loads(out)
    assert [None] * 12 == [row["refused"] or row["void"] for row in view["rows"]]
    copying = [row["cost"] for row in view["rows"] if row["factors"]["zerocopy"] == "no"]
    others = [row["cost"] for row in view["rows"] if row["factors"]["zerocopy"] != "no"]
    assert 2 * max(others) < min(copying)
    singly = [
        arm.segment.counters
        for arm in command.read("zerocopy.jsonl").arms
        if arm.segment is not None and arm.arm.factors.get("limit") == 1
    ]
    assert [(64, 0)] * 4 == [
        (counters["notifications"], counters["copied_calls_most"]) for counters in singly
    ]
    assert any("as notifications say: 0 % of " in sentence for sentence in view["sentences"])
    for row, arm in zip(view["rows"], command.read("zerocopy.jsonl").arms, strict=True):
        assert arm.segment is not None
        assert row["all_in"]["per_call"] == row["mean"] + row["all_in"]["looking"]
        # The guest's own clock has room for all of it, and for the probe's counting between.
        assert 64 * row["all_in"]["per_call"] < arm.segment.elapsed_ns
        assert (row["all_in"]["copy_row"] is None) == (row["factors"]["zerocopy"] == "no")
        assert (row["all_in"]["looking"] > 0) == (row["factors"]["zerocopy"] != "no")


def test_a_boot_has_the_mtu_and_the_offload_that_it_is_asked_for(command: Command) -> None:
    """Segments of 8,000 bytes need the one; without the other the kernel cuts them itself."""
    words = ("bulk", "--call", "send-gso", "--size", "8000", "--segments", "4", "--sink", "ifb")
    command.run(
        *("count", *words, "--mtu", "9000", "--offload", "tx-udp-segmentation=on,off"),
        *("--kernel", "debian:6.1", "--calls", "64", "-o", "offload.jsonl"),
    )
    run = command.read("offload.jsonl")
    assert [(9000, True), (9000, False)] == [
        (boot.mtu_bytes, boot.offloads["tx-udp-segmentation"]) for boot in run.boots
    ]
    assert [False, True] == ["skb_segment" in arm.shapes[0].profile.functions for arm in run.arms]


def test_an_offload_that_no_device_has_ends_the_count_with_its_name(command: Command) -> None:
    words = ("bulk", "--call", "send", "--sink", "dummy", "--offload", "warp-drive=on")
    process = command.start("count", *words, "--kernel", "debian:6.1", "-o", "warp.jsonl")
    _, err = process.communicate(timeout=120)
    assert 8 == process.returncode
    assert "offload warp-drive: Invalid argument; its device has no such feature" in err
    assert not (command.directory / "warp.jsonl").exists()


def test_hardened_usercopy_saves_what_it_is_known_to(usercopy: dict[str, Any]) -> None:
    """About 200 instructions of recvfrom and 240 of recvmsg, in every call without a timer tick.

    A tick is due every 4 ms, several times as long as 256 calls take: each arm may have one.
    """
    changes = [row["change"] for row in usercopy["rows"]]
    assert [None, 0, 0, 2] == [change and change["against"] for change in changes]
    for place, expected in ((1, -200), (3, -240)):
        assert expected == pytest.approx(changes[place]["change"], abs=25)
        assert changes[place]["change"] == changes[place]["paired_change"]
        assert changes[place]["paired_share"] >= 254 / 256


def test_the_functions_of_a_difference_sum_to_it(usercopy: dict[str, Any]) -> None:
    """The check leads its own, and the message header and the iovec recvmsg's."""
    off, message, _ = usercopy["explanations"]
    assert "__check_object_size" == off["functions"][0]["function"]
    for explained, row in ((off, 1), (message, 2)):
        change = usercopy["rows"][row]["change"]["change"]
        for kind in ("functions", "mechanisms"):
            total = explained[kind][-1]["difference in all"]
            assert change == int(total.replace("−", "-").replace("+", "").replace(",", ""))
    assert {"__import_iovec", "copy_msghdr_from_user"} <= {
        line["function"] for line in message["functions"]
    }
    assert any(sentence.startswith("Closes: ") for sentence in usercopy["sentences"])


def test_every_verb_takes_the_file(command: Command, usercopy: dict[str, Any]) -> None:
    """show, compare and export, in all formats; a gate fails on one instruction more."""
    del usercopy
    for format in ("text", "csv", "markdown", "commit"):
        assert "recvmsg" in command.run("show", "first.jsonl", "-f", format)
    assert "identical" in command.run("compare", "first.jsonl", "--against", "second.jsonl")
    assert "exact: " in command.run("compare", "first.jsonl", "--arms", "2,4")
    assert "recvfrom" in command.run("export", "first.jsonl", "--to", "csv")
    gate = command.start("compare", "first.jsonl", "--arms", "2,1", "--fail-on", "slower")
    gate.communicate(timeout=60)
    assert 10 == gate.returncode
    command.run("show", "first.jsonl", "--flame", "usercopy.svg")
    assert (command.directory / "usercopy.svg").read_text().startswith("<svg")


def test_one_instruction_of_a_kernel_is_found(command: Command) -> None:
    """VERW before SYSRET, which mds=full adds: one instruction in each call, and its function."""
    out = command.run(
        *("count", "recv", "--call", "recvfrom", "--calls", "64", "--kernel", "debian:6.1"),
        *("--boot", "mds=off,full", "--boot", "tsx_async_abort=off"),
        *("--boot", "mmio_stale_data=off", "-o", "mds.jsonl", "-f", "json", "--functions"),
    )
    result = json.loads(out)
    change = result["rows"][1]["change"]
    assert (1, 1, 1.0) == (change["change"], change["paired_change"], change["paired_share"])
    (moved,) = [
        line
        for line in result["explanations"][0]["functions"]
        if line["difference in all"] not in ("0", "+0") and "=" not in line["function"]
    ]
    assert ("entry_SYSRETQ_unsafe_stack", "+1") == (moved["function"], moved["difference in all"])


def test_threads_timers_and_paced_traffic_are_exact_on_two_cpus(command: Command) -> None:
    """Two boots at once give every cost in order the same, busy threads and all."""
    one, other = command.count_at_once(*CHANNELS, names=("left.jsonl", "right.jsonl"))
    assert one == other
    (boot,) = command.read("left.jsonl").boots
    assert 2 == boot.smp


def test_a_kernel_that_starts_one_cpu_runs_with_one(command: Command) -> None:
    """And the result says so: Debian's 6.1 hangs with two under this emulator."""
    out = command.run(
        *("count", "rr", "--call", "recv", "--calls", "8", "--kernel", "debian:6.1", "--smp", "2"),
        *("--peer-cpu", "same", "-o", "smp.jsonl", "-f", "json"),
    )
    assert "it ran with one" in json.loads(out)["sentences"][0]
    assert 1 == command.read("smp.jsonl").boots[0].smp


def test_every_cpu_model_counts(command: Command) -> None:
    """qemu64 and Nehalem-v1 have no RDTSCP; QEMU's own names are taken too."""
    words = ("recv", "--call", "recv", "--kernel", "debian:6.1", "--calls", "64", "-f", "json")
    models = [*CPU_MODELS, "qemu64"]
    view = json.loads(command.run("count", *words, "--cpu-model", ",".join(models)))
    assert models == [row["factors"]["cpu-model"] for row in view["rows"]]
    assert [None] * 4 == [row["void"] for row in view["rows"]]


def test_a_kernel_that_panics_is_named_with_its_last_words(command: Command) -> None:
    """And there is no run file."""
    process = command.start(
        *("count", "recv", "--call", "recv", "--kernel", "debian:6.1", "-o", "panic.jsonl"),
        *("--boot", "rdinit=/nothing"),
    )
    _, err = process.communicate(timeout=120)
    assert 8 == process.returncode
    assert "rdinit=/nothing: the guest's kernel panicked: VFS: Unable to mount root fs" in err
    assert "console: " in err
    assert not (command.directory / "panic.jsonl").exists()


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_count_that_is_ended_leaves_no_emulator(command: Command, ending: signal.Signals) -> None:
    """Killed, asked to end, or by Ctrl-C, in the middle of a boot."""
    name = f"ended-{ending.name}.jsonl"
    process = command.start(
        *("count", "recv", "--call", "recv", "--kernel", "debian:6.1", "-o", name),
        *("--calls", "20000", "--force"),
    )
    emulator = wait_for(lambda: next(emulators_below(process.pid), None))
    process.send_signal(ending)
    process.communicate(timeout=60)
    assert (-signal.SIGKILL if ending == signal.SIGKILL else 130) == process.returncode
    if ending != signal.SIGKILL:
        assert not (command.directory / name).exists()
    assert wait_for(lambda: not Path(f"/proc/{emulator}").exists())


def emulators_below(pid: int) -> Iterator[int]:
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in thread.read_text().split():
            if b"-icount" in Path(f"/proc/{child}/cmdline").read_bytes():
                yield int(child)


def wait_for(condition: Callable[[], Found]) -> Found:
    """Return the first true answer within half a minute."""
    deadline = time.monotonic() + 30
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found
