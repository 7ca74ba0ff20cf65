# SPDX-License-Identifier: MIT
"""What is shown of a counted run: integers, what they are set against, and what closes."""

from collections.abc import Iterator, Sequence

import msgspec

from sockmeter.judge.counted import CountedChange, change_between, costs_of, void_reason
from sockmeter.judge.counted_sending import CountedSends, counted_sends
from sockmeter.judge.counts import LEAST_SHARE
from sockmeter.judge.messages import incomparable_reason, messages_compared
from sockmeter.model.counted import CountedArm, CountedRun
from sockmeter.model.units import Unit
from sockmeter.plan.places import reference_of
from sockmeter.report.counted_notices import notice_sentences
from sockmeter.report.counted_rest import Rest, rest_of
from sockmeter.report.labels import arm_labels, shared_factors
from sockmeter.report.refusals import refusal_words
from sockmeter.report.wording import plural, signed_percent

_SINKS = {"recv": "loopback", "send": "loopback", "rr": "loopback"}


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """An arm against the arm that differs from it in one factor."""

    against: int  # index of that arm
    before: int  # commonest cost there, instructions
    after: int
    change: int
    fraction: float  # of the baseline's cost, each of a message
    mean_change: float
    paired_change: int | None  # commonest difference, call by call
    paired_share: float | None  # of the calls
    is_identical: bool  # every call in order costs the same


class CountedRow(msgspec.Struct, frozen=True, kw_only=True):
    """One arm; costs are per call, in instructions as the guest's clock counts them."""

    label: str
    call: str
    factors: dict[str, int | str | bool]
    calls: int
    cost: int | None  # the commonest; None where nothing was counted
    share: float | None  # of the calls that cost that
    messages: int  # that a call stands for
    per_message: float | None  # of the commonest cost; None where a call is a message
    mean: float | None
    least: int | None
    most: int | None
    rep_iterations: float | None  # of the commonest cost: elements that REP instructions moved
    rep_bytes: float | None  # that those moved
    idle_ns: int  # that the clock jumped while the guest slept, all calls together
    calls_of: dict[int, int]  # by cost, ascending
    rest: list[Rest]
    all_in: CountedSends | None  # of bulk and zerocopy: with the reading of notifications
    change: Change | None  # None for the baseline, and where there is nothing to compare
    words: str  # the verdict as a person reads it
    refused: str | None
    void: str | None


class CountedView(msgspec.Struct, frozen=True, kw_only=True):
    """A counted run as it is shown."""

    scenario: str
    rig: str
    unit: Unit
    shared: str  # what all arms have in common
    basis: str
    rows: list[CountedRow]
    sentences: list[str]
    setting: str  # kernels and emulator in one line
    command: str


def references(arms: Sequence[CountedArm]) -> list[int | None]:
    """Return what each arm is set against: the one that differs from it in a single factor."""
    plain = [each.arm for each in arms]
    return [reference_of(plain, at) for at in range(len(plain))]


def make_counted_view(
    run: CountedRun, against: Sequence[int | None], labels: Sequence[str] | None = None
) -> CountedView:
    """Return what is shown of a run whose arms are set against those of the indices `against`."""
    arms = [each.arm for each in run.arms]
    labels = labels or arm_labels(arms)
    return CountedView(
        scenario=run.scenario,
        rig="exact",
        unit=Unit.INSTRUCTIONS,
        shared=shared_factors(arms),
        basis=_basis(run.arms),
        rows=[
            _row(run.arms, at, label, reference)
            for at, (label, reference) in enumerate(zip(labels, against, strict=True))
        ],
        sentences=list(_sentences(run, labels)),
        setting=setting_line(run),
        command=run.command,
    )


def setting_line(run: CountedRun) -> str:
    """Return kernels, emulated CPU, emulator and sink."""
    kernels = [f"Linux {kernel.release} (sha256 {kernel.sha256[:12]})" for kernel in run.kernels]
    models = dict.fromkeys(boot.cpu_model for boot in run.boots)
    sink = _SINKS.get(run.scenario)
    parts = [*dict.fromkeys(kernels), f"x86-64 {'/'.join(models)}", run.emulator]
    return ", ".join([*parts, sink] if sink else parts)


def change_words(change: CountedChange, share: float) -> str:
    """Return the verdict: `exact: 1768 → 1566, −202 (−11 %)`, or `identical`.

    `share` of the calls, the smaller of both arms, have the commonest cost: where that is less than
    half, the mean's change is said too.
    """
    if change.is_identical:
        return "identical"
    before, after = change.mode.baseline, change.mode.arm
    if change.is_per_message:
        return (
            f"exact: {_of_a_message(change)} a message, {signed_percent(float(change.ratio - 1))}"
        )
    if before == after:
        return f"exact: {after} in both; mean {signed(float(change.mean), digits=2)}"
    fraction = signed_percent(change.mode.change / before)
    mean = f"; mean {signed(float(change.mean), digits=1)}" if share < LEAST_SHARE else ""
    return f"exact: {before} → {after}, {signed(change.mode.change)} ({fraction}){mean}"


def _of_a_message(change: CountedChange) -> str:
    costs = (change.mode.baseline, change.mode.arm)
    before, after = (
        f"{cost / messages:,.1f}" if cost % messages else f"{cost // messages:,}"
        for cost, messages in zip(costs, change.messages, strict=True)
    )
    return f"{before} → {after}"


def signed(number: float, *, digits: int = 0) -> str:
    """Return a number with its sign; zero has none."""
    text = f"{abs(number):,.{digits}f}"
    return text if not number else f"{'+' if number > 0 else '−'}{text}"


def _basis(arms: Sequence[CountedArm]) -> str:
    numbers = {sum(calls for _, calls in arm.values) for arm in arms} - {0}
    return f"{numbers.pop():,} calls an arm" if len(numbers) == 1 else "every call counted"


def _row(arms: Sequence[CountedArm], at: int, label: str, reference: int | None) -> CountedRow:
    arm = arms[at]
    costs = costs_of(arm)
    change = None if reference is None else change_between(arms[reference], arm)
    iterations, moved = _rep(arm)
    messages = messages_compared(arm.arm)
    return CountedRow(
        label=label,
        call=arm.arm.call,
        factors=arm.arm.factors,
        calls=sum(calls for _, calls in arm.values),
        cost=costs.mode.cost if costs else None,
        share=costs.mode.share if costs else None,
        messages=messages,
        per_message=costs.mode.cost / messages if costs and messages > 1 else None,
        mean=float(costs.mean) if costs else None,
        least=costs.least if costs else None,
        most=costs.most if costs else None,
        rep_iterations=iterations,
        rep_bytes=moved,
        idle_ns=arm.idle_ns,
        calls_of=dict(costs.calls_of) if costs else {},
        rest=rest_of(arm),
        all_in=counted_sends(arms, at),
        change=None if change is None or reference is None else _change(change, reference),
        words=_words(arms, at, change, reference),
        refused=refusal_words(arm.arm, arm.refusal) if arm.refusal else None,
        void=void_reason(arm),
    )


def _rep(arm: CountedArm) -> tuple[float | None, float | None]:
    """Return what REP instructions did in a call of the commonest cost."""
    if not arm.shapes:
        return None, None
    common = arm.shapes[0]
    costs = common.profile.functions.values()
    iterations = sum(cost.iterations for cost in costs)
    return iterations / common.calls, sum(cost.iteration_bytes for cost in costs) / common.calls


def _change(change: CountedChange, reference: int) -> Change:
    return Change(
        against=reference,
        before=change.mode.baseline,
        after=change.mode.arm,
        change=change.mode.change,
        fraction=float(change.ratio - 1),
        mean_change=float(change.mean),
        paired_change=change.paired.cost if change.paired else None,
        paired_share=change.paired.share if change.paired else None,
        is_identical=change.is_identical,
    )


def _words(
    arms: Sequence[CountedArm], at: int, change: CountedChange | None, reference: int | None
) -> str:
    arm = arms[at]
    if arm.refusal is not None:
        return f"refused: {refusal_words(arm.arm, arm.refusal)}"
    void = void_reason(arm)
    if void is not None:
        return f"void: {void}"
    if reference is None:
        return "baseline"
    if change is None:
        return f"undecided: {_why_unmatched(arm, arms[reference])}"
    costs = [costs_of(each) for each in (arms[reference], arm)]
    return change_words(change, min(each.mode.share for each in costs if each))


def _why_unmatched(arm: CountedArm, reference: CountedArm) -> str:
    for each in (arm, reference):
        reason = incomparable_reason(each.arm)
        if reason is not None:
            return reason
    return f"the arm that it is set against is {'refused' if reference.refusal else 'void'}"


def _sentences(run: CountedRun, labels: Sequence[str]) -> Iterator[str]:
    for boot in run.boots:
        yield from (f"{remark}." for remark in boot.remarks)
    for label, arm in zip(labels, run.arms, strict=True):
        if arm.idle_ns:
            yield (
                f"{label}: the guest slept in its calls, {arm.idle_ns:,} ns together; "
                "no instruction ran, and none is counted."
            )
    yield from notice_sentences(run.arms)
    yield (
        f"Closes: the functions' instructions sum to the guest's clock in each of "
        f"{plural(run.proved_calls, 'call')}, none left over."
    )
    yield (
        "Costs are all instructions of a call, in user space, kernel and interrupts, the empty "
        "bracket's too (--call null counts it); an iteration of a REP instruction counts one. They "
        "are not time: a load that misses, a retpoline's jump and a NOP count one each."
    )
