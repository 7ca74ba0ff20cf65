# SPDX-License-Identifier: MIT
"""From what a guest sent to counted arms, each call of which was proved against the clock."""

from collections.abc import Sequence

import msgspec

from sockmeter.guest.boot import BootResult
from sockmeter.guest.errors import BadTallyError
from sockmeter.guest.profiles import make_profile, total_of
from sockmeter.guest.qemu import CPU_MODELS
from sockmeter.guest.symbols import SymbolTable, parse_kallsyms
from sockmeter.guest.tally import CountedSegment, TallyReport, idle_instructions, parse_tally
from sockmeter.model.arms import Arm
from sockmeter.model.counted import CountedArm, Shape
from sockmeter.model.errors import ProbeError
from sockmeter.model.runs import Instrument
from sockmeter.model.segments import Segment
from sockmeter.rig.wire import decode_output


def read_arms(
    result: BootResult, arms: Sequence[Arm], boot: int, symbols: SymbolTable
) -> list[CountedArm]:
    """Return the arms that were counted in one boot, in the order of `arms`.

    `symbols` are the kernel's and the probe's. Raises BadTallyError where the count of a single
    call does not equal the difference of the guest's clock, and ProbeError where the probe did not
    use that clock.
    """
    report = decode_output(result.result.encode())
    _refuse_another_clock(report.instrument)
    if result.symbols:
        symbols = symbols.merged(parse_kallsyms(result.symbols))
    tally = parse_tally(result.tally or "")
    measured = {segment.arm: segment for segment in report.segments}
    refused = {refusal.arm: refusal for refusal in report.refusals}
    counted = _by_segment(report.segments, tally)
    return [
        CountedArm(
            arm=arm, boot=boot, segment=None, refusal=refused[at], values=[], idle_ns=0, shapes=[]
        )
        if at in refused
        else _counted_arm(arm, boot, measured[at], counted[at], tally=tally, symbols=symbols)
        for at, arm in enumerate(arms)
    ]


def _refuse_another_clock(instrument: Instrument) -> None:
    if instrument.clock.name == "tsc":
        return
    why = "".join(f": {each.text}" for each in instrument.could_not if each.what == "tsc")
    raise ProbeError(
        f"the probe chose the clock {instrument.clock.name} in the guest, not its instruction "
        f"count{why}",
        mend=f"take --cpu-model {', '.join(CPU_MODELS)}",
    )


def _by_segment(segments: Sequence[Segment], tally: TallyReport) -> dict[int, CountedSegment]:
    """Pair the probe's segments with the plugin's; what was refused has opened no window."""
    if len(segments) != len(tally.segments):
        raise BadTallyError(
            f"the probe measured {len(segments)} segments and the plugin counted "
            f"{len(tally.segments)}"
        )
    return {segment.arm: counted for segment, counted in zip(segments, tally.segments, strict=True)}


def _counted_arm(
    arm: Arm,
    boot: int,
    segment: Segment,
    counted: CountedSegment,
    *,
    tally: TallyReport,
    symbols: SymbolTable,
) -> CountedArm:
    clock = [cost for cost, calls in segment.values or [] for _ in range(calls)]
    idle_ns = idle_instructions(tally, counted, clock)
    shapes = sorted(counted.shapes, key=lambda shape: (-shape.calls, shape.instructions or 0))
    return CountedArm(
        arm=arm,
        boot=boot,
        segment=msgspec.structs.replace(segment, values=None),
        refusal=None,
        values=_streaks(counted.values),
        idle_ns=idle_ns,
        shapes=[
            _closed(
                Shape(
                    cost=shape.instructions,
                    calls=shape.calls,
                    profile=make_profile(tally, [shape], symbols),
                )
            )
            for shape in shapes
        ],
    )


def _closed(shape: Shape) -> Shape:
    """Refuse a shape whose functions do not sum to its calls."""
    if shape.cost is not None and total_of(shape.profile) != shape.cost * shape.calls:
        raise BadTallyError(
            f"the functions of {shape.calls} calls sum to {total_of(shape.profile)} instructions, "
            f"not to {shape.calls} × {shape.cost}"
        )
    return shape


def _streaks(values: Sequence[int]) -> list[tuple[int, int]]:
    streaks: list[tuple[int, int]] = []
    for value in values:
        if streaks and streaks[-1][0] == value:
            streaks[-1] = value, streaks[-1][1] + 1
        else:
            streaks.append((value, 1))
    return streaks
