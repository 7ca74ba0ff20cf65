# SPDX-License-Identifier: MIT
"""Why one call costs more than another of the same arm, in words: what it ran besides."""

from collections.abc import Sequence

from sockmeter.explain.functions import FunctionDifference
from sockmeter.explain.patterns import compile_patterns

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


def cause(rows: Sequence[FunctionDifference]) -> str:
    """Return why the calls after cost other than the calls before; "" where nothing differs.

    `rows` is their difference, the largest first. A known cause is a function that only the calls
    after ran. Otherwise the function that differs most is named.
    """
    moved = [row for row in rows if row.change.clock]
    ran = [row.name for row in moved if not row.change.before.clock]
    for pattern, words in _CAUSES:
        if any(pattern.fullmatch(name) for name in ran):
            return words
    if not moved:
        return ""
    first = moved[0]
    if not first.change.after.clock:
        return f"spares {first.name}"
    return f"does {'more' if first.change.clock > 0 else 'less'} in {first.name}"
