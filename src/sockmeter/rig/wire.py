# SPDX-License-Identifier: MIT
"""The probe's wire format (docs/wire.md): a plan out, records in. No other module knows it."""

from collections.abc import Iterator, Sequence

import msgspec

from sockmeter.model.arms import Arm
from sockmeter.model.errors import MachineError, ProbeError, SockmeterError
from sockmeter.model.runs import Clock, Design, Impediment, Instrument
from sockmeter.model.segments import Refusal, Segment, find_flaw
from sockmeter.model.units import Unit
from sockmeter.plan import outbound
from sockmeter.plan.factors import is_machine_factor, span_us
from sockmeter.plan.sinks import find_sink

WIRE_VERSION = 1

# What the probe's plan says of a factor that means nothing to the call.
NEUTRAL: dict[str, int | str | bool] = {
    "family": "udp4",
    "size": 64,
    "batch": 1,
    "name": False,
    "control": "none",
    "connected": True,
    "cpu": "auto",
    "priority": "auto",
    "work": 0,
}

# And of the keys that only some scenarios have.
NEUTRAL_OF: dict[str, dict[str, int | str | bool]] = {
    "rr": {"wait": "block", "peer": "thread", "peer_cpu": "other"},
}

# And of those that follow from the call.
NEUTRAL_OF_CALL: dict[tuple[str, str], dict[str, int | str | bool]] = {
    ("channels", "uring-recv-multishot"): {"find": "multishot"},
}

# Spans of time: the key that holds one, and its unit in µs.
SPANS = {"interval": ("interval_us", 1), "tick": ("tick_us", 1), "duration": ("duration_ms", 1000)}


# The same of the keys that bulk and zerocopy have besides. A burst of sends whose notifications
# are never looked at is as long as any other.
NEUTRAL_OUTBOUND: dict[str, int | str | bool] = {
    "gro": False,
    "segments": 1,
    "buffers": 1,
    "zerocopy": "no",
    "limit": 64,
    "cork": 1,
}
# Factors of the machine's, which the probe does not know.
AROUND_THE_PROBE = ("sink", "mtu")


class VersionRecord(msgspec.Struct, tag_field="record", tag="version"):
    """First record of every output."""

    wire: int
    probe: str
    arch: str


class MachineRecord(msgspec.Struct, tag_field="record", tag="machine"):
    """What the probe found of its clock and its rights."""

    clock: str
    unit: Unit
    bracket: str
    bracket_cost: float
    quantum: int
    clock_hz: float | None
    memory_locked: bool
    resident_bytes: int | None
    could_not: list[Impediment]


class SegmentRecord(Segment, tag_field="record", tag="segment", frozen=True, kw_only=True):
    """One measured segment: the value of the same fields, whose arm the probe calls id."""

    arm: int = msgspec.field(name="id")


class RefusedRecord(Refusal, tag_field="record", tag="refused", frozen=True, kw_only=True):
    """One segment that could not be set up."""

    arm: int = msgspec.field(name="id")


class ErrorRecord(msgspec.Struct, tag_field="record", tag="error"):
    """The plan was not understood, or the probe failed."""

    line: int
    text: str


class EndRecord(msgspec.Struct, tag_field="record", tag="end"):
    """Last record of a whole output."""

    segments: int
    refused: int


Record = VersionRecord | MachineRecord | SegmentRecord | RefusedRecord | ErrorRecord | EndRecord

_decoder = msgspec.json.Decoder(Record)


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A whole output of the probe, its ids turned back into arms."""

    instrument: Instrument
    segments: list[Segment]
    refusals: list[Refusal]


def encode_plan(
    design: Design,
    order: Sequence[int],
    *,
    cap: int,
    cpu: int,
    observe: bool = True,
    raw: bool = False,
) -> str:
    """Return the plan of one round: a segment of each arm in `order`.

    `cpu` stands in for every arm that leaves the CPU to us. The segment's id is its arm's index.
    With `raw` every call's cost comes back, in order.
    """
    lines = [f"sockmeter-plan {WIRE_VERSION}", f"clock {design.clock}", f"cap {cap}"]
    more: dict[str, bool] = {"observe": observe} | ({"raw": True} if raw else {})
    lines += [_encode_segment(design, index, cpu=cpu, more=more) for index in order]
    return "\n".join([*lines, "end", ""])


def arm_of(design: Design, index: int) -> Arm:
    """Return the arm of a segment; the index after the last arm is the A2 copy of the baseline."""
    return design.arms[index] if index < len(design.arms) else design.arms[0]


def decode_output(output: bytes) -> Report:
    """Return what a probe's whole standard output says.

    Raises ProbeError where it is not whole or cannot be, MachineError where the clock asked for
    cannot be had here.
    """
    version: VersionRecord | None = None
    machine: MachineRecord | None = None
    segments: list[Segment] = []
    refusals: list[Refusal] = []
    end: EndRecord | None = None
    for record in _decode_lines(output):
        match record:
            case ErrorRecord():
                raise _failure(record)
            case VersionRecord():
                version = _check_version(record)
            case MachineRecord():
                machine = record
            case SegmentRecord():
                segments.append(_check_segment(Segment(**msgspec.structs.asdict(record))))
            case RefusedRecord():
                refusals.append(Refusal(**msgspec.structs.asdict(record)))
            case EndRecord():
                end = record
    if version is None or machine is None:
        raise ProbeError("the probe said nothing of itself", mend="rebuild it: make measure")
    if end is None or (end.segments, end.refused) != (len(segments), len(refusals)):
        raise ProbeError("the probe's output ends before its end record")
    return Report(instrument=_instrument(version, machine), segments=segments, refusals=refusals)


def check_answers(report: Report, asked: Sequence[int]) -> Report:
    """Return the report if it answers for every arm that was asked for; ProbeError if not."""
    answered = [segment.arm for segment in report.segments]
    answered += [refusal.arm for refusal in report.refusals]
    if sorted(answered) != sorted(asked):
        raise ProbeError("the probe answered for other arms than it was asked for")
    return report


def _failure(record: ErrorRecord) -> SockmeterError:
    if record.text.startswith("clock "):
        return MachineError(record.text, mend="take --clock auto")
    return ProbeError(f"the probe did not take its plan: line {record.line}: {record.text}")


def _check_segment(segment: Segment) -> Segment:
    flaw = find_flaw(segment)
    if flaw is not None:
        raise ProbeError(f"the probe's segment {segment.arm} cannot be: {flaw}")
    return segment


def _encode_segment(design: Design, index: int, *, cpu: int, more: dict[str, bool]) -> str:
    arm = arm_of(design, index)
    words: dict[str, int | str | bool] = {
        "id": index,
        "scenario": arm.scenario,
        "call": arm.call,
        **NEUTRAL,
        **NEUTRAL_OF.get(arm.scenario, {}),
        **NEUTRAL_OF_CALL.get((arm.scenario, arm.call), {}),
        **(_outbound_words(arm) if arm.scenario in outbound.SCENARIOS else {}),
        **dict(
            _encode_factor(name, value)
            for name, value in arm.factors.items()
            if _is_the_probes(name)
        ),
    }
    if words["cpu"] == "auto":
        words["cpu"] = cpu
    words |= {
        "calls": design.calls,
        "warmup": design.warmup,
        "queue": design.queue,
        **more,
    }
    return " ".join(["segment", *(f"{key}={_encode_value(word)}" for key, word in words.items())])


def _encode_factor(name: str, value: int | str | bool) -> tuple[str, int | str | bool]:
    """Return the key and the value that say in a plan what the factor says."""
    if name in SPANS:
        key, unit_us = SPANS[name]
        return key, span_us(str(value)) // unit_us
    return name.replace("-", "_"), value


def _outbound_words(arm: Arm) -> dict[str, int | str | bool]:
    sink = find_sink(outbound.sink_of(arm, best="loopback"))
    is_v6 = str(arm.factors.get("family", "")).endswith("6")
    destination = sink.address6 if is_v6 else sink.address4
    return {**NEUTRAL_OUTBOUND, "to": destination, "receiver": sink.is_received}


def _is_the_probes(factor: str) -> bool:
    return factor not in AROUND_THE_PROBE and not is_machine_factor(factor)


def _encode_value(value: int | str | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _decode_lines(output: bytes) -> Iterator[Record]:
    for number, line in enumerate(output.splitlines(), start=1):
        try:
            yield _decoder.decode(line)
        except msgspec.DecodeError as error:
            raise ProbeError(f"line {number} of the probe's output: {error}") from error


def _check_version(record: VersionRecord) -> VersionRecord:
    if record.wire != WIRE_VERSION:
        raise ProbeError(
            f"the probe speaks wire version {record.wire}, this sockmeter {WIRE_VERSION}",
            mend="install both from one build",
        )
    return record


def _instrument(version: VersionRecord, machine: MachineRecord) -> Instrument:
    return Instrument(
        probe_version=version.probe,
        arch=version.arch,
        clock=Clock(
            name=machine.clock,
            unit=machine.unit,
            bracket=machine.bracket,
            bracket_cost=machine.bracket_cost,
            quantum=machine.quantum,
            clock_hz=machine.clock_hz,
        ),
        memory_locked=machine.memory_locked,
        resident_bytes=machine.resident_bytes,
        could_not=machine.could_not,
    )
