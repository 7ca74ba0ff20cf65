# SPDX-License-Identifier: MIT
"""What the functions are that a socket's own code does not name: thunks, entries, interrupts."""

from functools import cache

from sockmeter.explain.patterns import compile_patterns

RETPOLINE = "retpoline"
RETURN = "return thunk"

# Names of arch/x86: lib/retpoline.S, entry/entry_64.S, include/asm/idtentry.h; kernel/softirq.c.
# The first that fits counts.
_PATTERNS = (
    ("__x86_indirect_*", RETPOLINE),
    ("__x86_return_thunk", RETURN),
    ("*_return_thunk", RETURN),
    ("__x86_return_skl", RETURN),
    ("entry_*", "system call entry"),
    ("syscall_return_via_sysret", "system call exit"),
    ("swapgs_restore_regs_and_return_to_usermode", "system call exit"),
    ("common_interrupt_return", "interrupt exit"),
    ("asm_sysvec_*", "interrupt"),
    ("asm_common_interrupt", "interrupt"),
    ("irq_entries_start", "interrupt"),
    ("asm_exc_*", "exception"),
    ("__do_softirq", "soft interrupt"),
    ("handle_softirqs", "soft interrupt"),
    ("* [probe]", "probe"),
)
_ROLES = [(compile_patterns([pattern]), words) for pattern, words in _PATTERNS]


@cache
def role(name: str) -> str:
    """Return what the function is for, in two words at most; "" where its name says it."""
    for pattern, words in _ROLES:
        if pattern.fullmatch(name):
            return words
    return ""
