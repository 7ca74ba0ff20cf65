# SPDX-License-Identifier: MIT
"""What a guest sent becomes counted arms only where every call is proved."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from sockmeter.guest.boot import BootResult
from sockmeter.guest.errors import BadTallyError, QemuMissingError, TallyMissingError
from sockmeter.guest.qemu import Qemu
from sockmeter.guest.symbols import Symbol, SymbolTable
from sockmeter.model.errors import ProbeError
from sockmeter.rig.exact_arms import read_arms
from sockmeter.rig.exact_health import examine_emulator
from sockmeter.rig.health import Status
from tests.builders import make_arm, make_segment
from tests.rig.fake_probe import MACHINE, VERSION

SYMBOLS = SymbolTable([Symbol(0x10, "sys_recvfrom"), Symbol(0x100, "refill")])
TALLY = """\
sockmeter-tally 1
node 0 -1 0
block 0 10 115 ...
block 1 100 11 ..
segment 0
value 3 2
value 5 1
shape 3 2
cell 0 0 3 0 2
shape 5 1
cell 0 0 3 0 1
cell 0 1 2 0 1
end 0
"""
REFUSED = {
    "record": "refused",
    "id": 1,
    "step": "socket",
    "errno": "EAFNOSUPPORT",
    "text": "not supported",
}


def make_output(values: list[tuple[int, int]], *more: dict[str, object], **machine: object) -> str:
    """Return the probe's output of one segment with those values, and further records."""
    costs = [cost for cost, calls in values for _ in range(calls)]
    segment = msgspec.structs.asdict(make_segment(0, costs)) | {"values": values}
    del segment["arm"]
    records = [
        VERSION,
        MACHINE | machine,
        {"record": "segment", "id": 0, **segment},
        *more,
        {"record": "end", "segments": 1, "refused": len(more)},
    ]
    return "".join(msgspec.json.encode(record).decode() + "\n" for record in records)


def make_result(**fields: Any) -> BootResult:
    defaults: dict[str, Any] = {
        "result": make_output([(3, 2), (5, 1)]),
        "symbols": "",
        "tally": TALLY,
        "events": (),
        "console": (),
        "command_line": "",
        "elapsed_s": 4.0,
        "probe_status": 0,
    }
    return BootResult(**(defaults | fields))


def test_calls_keep_their_order_and_their_functions() -> None:
    """The commonest cost first; the dearer call ran one function more."""
    (arm,) = read_arms(make_result(), [make_arm()], 0, SYMBOLS)
    assert [(3, 2), (5, 1)] == arm.values
    assert [(3, 2), (5, 1)] == [(shape.cost, shape.calls) for shape in arm.shapes]
    assert {"sys_recvfrom", "refill"} == set(arm.shapes[1].profile.functions)
    assert (0, None) == (arm.idle_ns, arm.refusal)


def test_a_refused_arm_stands_among_the_counted_ones() -> None:
    """The plugin saw no window of it."""
    result = make_result(result=make_output([(3, 2), (5, 1)], REFUSED))
    counted, refused = read_arms(result, [make_arm(), make_arm(family="udp6")], 0, SYMBOLS)
    assert [(3, 2), (5, 1)] == counted.values
    assert refused.refusal is not None
    assert ("EAFNOSUPPORT", None, []) == (refused.refusal.errno, refused.segment, refused.shapes)


@pytest.mark.parametrize("values", [[(3, 1), (4, 1), (5, 1)], [(3, 2), (4, 1)], [(3, 2)]])
def test_a_single_call_that_does_not_close_refuses_the_boot(values: list[tuple[int, int]]) -> None:
    """By one instruction, or by a call too few."""
    with pytest.raises(BadTallyError):
        read_arms(make_result(result=make_output(values)), [make_arm()], 0, SYMBOLS)


def test_functions_that_do_not_sum_refuse_the_boot() -> None:
    """The plugin's own total is not believed either."""
    broken = TALLY.replace("cell 0 1 2 0 1", "cell 0 1 1 0 1")
    with pytest.raises(BadTallyError, match="sum to 4 instructions, not to 1 × 5"):
        read_arms(make_result(tally=broken), [make_arm()], 0, SYMBOLS)


def test_another_clock_than_the_instruction_count_is_refused() -> None:
    """Its differences would prove nothing; the reason is the probe's, the way out is ours."""
    flaw = {"what": "tsc", "errno": "ENOTSUP", "text": "the TSC is not invariant"}
    output = make_output([(3, 2), (5, 1)], clock="clock_gettime", could_not=[flaw])
    with pytest.raises(ProbeError) as raised:
        read_arms(make_result(result=output), [make_arm()], 0, SYMBOLS)
    assert (
        "the probe chose the clock clock_gettime in the guest, not its instruction count: "
        "the TSC is not invariant; take --cpu-model nehalem, haswell, epyc"
    ) == str(raised.value)


def test_the_doctor_says_whether_an_emulator_is_here() -> None:
    """Its version, or what installs it; timing needs neither."""
    emulator = Qemu(Path("/q"), (7, 2), "QEMU emulator version 7.2.22")

    def no_emulator() -> Qemu:
        raise QemuMissingError("qemu is not installed", mend="apt-get install qemu")

    def no_plugin(interface: int) -> Path:
        raise TallyMissingError(f"no plugin {interface}", mend="install sockmeter with pip")

    found = examine_emulator(lambda: emulator, lambda _: Path("/p"))
    missing = examine_emulator(no_emulator, lambda _: Path("/p"))
    unbuilt = examine_emulator(lambda: emulator, no_plugin)
    assert [Status.OK, Status.CANNOT, Status.CANNOT] == [
        finding.status for finding in (found, missing, unbuilt)
    ]
    assert "QEMU emulator version 7.2.22, plugin interface 1" == found.detail
    assert ("apt-get install qemu", "install sockmeter with pip") == (missing.mend, unbuilt.mend)
    assert "timing does not" in missing.detail
