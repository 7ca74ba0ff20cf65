# SPDX-License-Identifier: MIT
"""Why one call costs more than another of the same arm, in words: what it ran besides."""

from dataclasses import dataclass
from functools import cache

from sockmeter.explain.patterns import compile_patterns
from sockmeter.explain.stems import stem
from sockmeter.model.profiles import Profile

# The first that only the dearer call ran counts: what comes first brings the later ones with it.
_PATTERNS = (
    ("asm_exc_page_fault", "faults on a page"),
    ("asm_sysvec_apic_timer_interrupt", "takes a timer tick"),
    ("timer_interrupt", "takes a timer tick"),
    ("asm_sysvec_*", "takes an interrupt"),
    ("asm_common_interrupt", "takes an interrupt"),
    ("__schedule", "switches to another task"),
    ("try_to_wake_up", "wakes a task"),
    ("do_softirq", "runs soft interrupts"),
    ("*crng_*", "draws random numbers"),
    ("new_slab", "makes a new slab"),
    ("allocate_slab", "makes a new slab"),
    ("___slab_alloc", "refills the slab"),
    ("__alloc_pages*", "allocates pages"),
    ("get_page_from_freelist", "allocates pages"),
    ("free_unref_page", "frees pages"),
    ("__free_slab", "gives a slab back"),
    ("discard_slab", "gives a slab back"),
    ("__unfreeze_partials", "gives partial slabs back"),
    ("tcp_send_ack", "sends an acknowledgement"),
    ("__tcp_send_ack", "sends an acknowledgement"),
    ("tcp_write_xmit", "transmits"),
    ("__sk_mem_raise_allocated", "charges socket memory"),
    ("__sk_mem_reduce_allocated", "gives socket memory back"),
    ("put_cpu_partial", "frees into a full slab"),
)
_CAUSES = [(compile_patterns([pattern]), words) for pattern, words in _PATTERNS]
_UNKNOWN = len(_CAUSES)


@dataclass(frozen=True, slots=True)
class Clocks:
    """What functions did to the guest's clock, in all calls of a profile: whole numbers."""

    calls: int
    by_stem: dict[str, int]


def clocks(profile: Profile) -> Clocks:
    """Return the clocks of a profile."""
    by_stem: dict[str, int] = {}
    for name, cost in profile.functions.items():
        each = stem(name)
        by_stem[each] = by_stem.get(each, 0) + cost.instructions + cost.iterations
    return Clocks(profile.calls, by_stem)


def cause(before: Clocks, after: Clocks) -> str:
    """Return why the calls after cost other than the calls before; "" where nothing differs.

    A known cause is a function that only the calls after ran. Otherwise the function that differs
    most is named.
    """
    # Multiplied by the calls of both sides, so that it stays whole.
    moved = {
        name: after.by_stem.get(name, 0) * before.calls - before.by_stem.get(name, 0) * after.calls
        for name in before.by_stem | after.by_stem
    }
    ran = [name for name, amount in moved.items() if amount and not before.by_stem.get(name)]
    known = min(map(_place, ran), default=_UNKNOWN)
    if known < _UNKNOWN:
        return _CAUSES[known][1]
    first = min(moved, key=lambda name: (-abs(moved[name]), name), default=None)
    if first is None or not moved[first]:
        return ""
    if not after.by_stem.get(first):
        return f"spares {first}"
    return f"does {'more' if moved[first] > 0 else 'less'} in {first}"


@cache
def _place(name: str) -> int:
    """Return which of the known causes the function is."""
    return next(
        (at for at, (pattern, _) in enumerate(_CAUSES) if pattern.fullmatch(name)), _UNKNOWN
    )
