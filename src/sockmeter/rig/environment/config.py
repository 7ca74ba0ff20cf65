# SPDX-License-Identifier: MIT
"""Facts about the kernel's configuration: the options that change what a socket call costs.

An option is `y`, `m`, `n` or its value. One that was renamed is kept under its newest name, so that
kernels on both sides of the renaming compare.
"""

from sockmeter.model.environment import FactValue
from sockmeter.rig.environment.row import OpenRow, Row
from sockmeter.rig.environment.site import Site, UnreadableError


def _option(name: str, why: str, was: str | None = None) -> Row:
    """Return the row of one option; `was` is its name in older kernels."""
    source = f"CONFIG_{name}" + (f", once CONFIG_{was}" if was else "")

    def read(site: Site) -> FactValue:
        for known in (name, was):
            if known is not None and known in site.config.options:
                value = site.config.options[known]
                return int(value) if value.isdecimal() else value
        raise UnreadableError("not an option of this kernel, or its dependencies are off")

    return Row(f"config.{name}", source, why, read, "Hz" if name == "HZ" else None)


def _mitigation_rows(site: Site) -> list[Row]:
    try:
        names = sorted(site.config.options)
    except UnreadableError:
        return []  # the fact kernel.config_source says why
    listed = {row.name for row in CONFIG_OPTIONS}
    rows = [_option(name, "") for name in names if name.startswith("MITIGATION_")]
    return [row for row in rows if row.name not in listed]


_INDIRECT = "indirect calls through a retpoline: each protocol and security hook of a call"
_DEBUG = "a debugging aid whose cost voids a comparison with production"
_SECURITY = "a security module whose socket hooks a call may pass"

CONFIG_OPTIONS = (
    _option("HARDENED_USERCOPY", "user copies of unknown size are checked against the heap"),
    _option("HARDENED_USERCOPY_DEFAULT_ON", "whether that check is on without a boot parameter"),
    _option("CPU_MITIGATIONS", "all mitigations as one switch", "SPECULATION_MITIGATIONS"),
    _option("MITIGATION_RETPOLINE", _INDIRECT, "RETPOLINE"),
    _option("MITIGATION_RETHUNK", "every return goes through a thunk", "RETHUNK"),
    _option(
        "MITIGATION_PAGE_TABLE_ISOLATION",
        "a page table switch at each entry and exit",
        "PAGE_TABLE_ISOLATION",
    ),
    _option("MITIGATION_UNRET_ENTRY", "untrained returns at each entry", "CPU_UNRET_ENTRY"),
    _option("MITIGATION_IBPB_ENTRY", "a predictor barrier at each entry", "CPU_IBPB_ENTRY"),
    _option("MITIGATION_IBRS_ENTRY", "an MSR written at each entry and exit", "CPU_IBRS_ENTRY"),
    _option("MITIGATION_SRSO", "safe returns on AMD", "CPU_SRSO"),
    _option("MITIGATION_CALL_DEPTH_TRACKING", "every call is counted", "CALL_DEPTH_TRACKING"),
    _option("MITIGATION_SLS", "a trap after every return and indirect jump", "SLS"),
    _option("RANDOMIZE_KSTACK_OFFSET", "a random stack offset may be taken at each entry"),
    _option("RANDOMIZE_KSTACK_OFFSET_DEFAULT", "whether it is, without a boot parameter"),
    _option("PREEMPT_NONE", "no preemption inside the kernel"),
    _option("PREEMPT_VOLUNTARY", "preemption at might_sleep"),
    _option("PREEMPT", "preemption anywhere; locks carry a count"),
    _option("PREEMPT_LAZY", "preemption anywhere, at the tick"),
    _option("PREEMPT_RT", "locks sleep and soft interrupts are threads"),
    _option("PREEMPT_DYNAMIC", "the model is chosen at boot"),
    _option("HZ", "rate of the timer tick that falls into calls"),
    _option("NO_HZ_FULL", "whether a CPU can be without the tick"),
    _option("LSM", "the default order of security modules"),
    _option("SECURITY", "whether there are security hooks"),
    _option("SECURITY_NETWORK", "whether there are hooks on sockets"),
    _option("SECURITY_SELINUX", _SECURITY),
    _option("SECURITY_APPARMOR", _SECURITY),
    _option("SECURITY_SMACK", _SECURITY),
    _option("SECURITY_TOMOYO", _SECURITY),
    _option("SECURITY_LANDLOCK", _SECURITY),
    _option("BPF_LSM", _SECURITY),
    _option("AUDITSYSCALL", "audit rules send every call over the slow entry"),
    _option("INIT_ON_ALLOC_DEFAULT_ON", "every allocation is cleared: each skb, each page"),
    _option("INIT_ON_FREE_DEFAULT_ON", "every freed object is cleared"),
    _option("SLAB_FREELIST_HARDENED", "free list pointers are encoded"),
    _option("SLAB_FREELIST_RANDOM", "the order of objects in a slab differs between boots"),
    _option("SLUB_CPU_PARTIAL", "how often a slab refill meets a lock"),
    _option("SLUB_DEBUG_ON", _DEBUG),
    _option("SLUB_STATS", _DEBUG),
    _option("BPF_JIT", "whether attached programs are compiled"),
    _option("BPF_JIT_ALWAYS_ON", "whether they always are"),
    _option("CGROUP_BPF", "programs of a cgroup may hang on every send and receive"),
    _option("NETFILTER", "whether datagrams pass netfilter's hooks"),
    _option("XFRM", "whether datagrams pass the IPsec policy check"),
    _option("PARAVIRT", "guest operations are patched calls"),
    _option("RT_GROUP_SCHED", "a cgroup without real-time runtime refuses SCHED_FIFO"),
    _option("FTRACE_SYSCALLS", "whether tracepoints can slow every system call"),
    _option("DYNAMIC_FTRACE", "every function begins with a patchable no-op"),
    _option("CC_OPTIMIZE_FOR_SIZE", "inlining gives way to size"),
    _option("LTO_NONE", "whether functions are inlined across files"),
    _option("CFI", "indirect calls check their target's type", "CFI_CLANG"),
    _option("KASAN", _DEBUG),
    _option("KCSAN", _DEBUG),
    _option("KMSAN", _DEBUG),
    _option("UBSAN", "undefined behaviour traps: a few instructions on each bounded access"),
    _option("KFENCE", "a sample of allocations is guarded: an outlier now and then"),
    _option("KCOV", _DEBUG),
    _option("GCOV_KERNEL", _DEBUG),
    _option("PROVE_LOCKING", _DEBUG),
    _option("LOCKDEP", _DEBUG),
    _option("LOCK_STAT", _DEBUG),
    _option("DEBUG_LOCK_ALLOC", _DEBUG),
    _option("DEBUG_SPINLOCK", _DEBUG),
    _option("DEBUG_MUTEXES", _DEBUG),
    _option("DEBUG_PREEMPT", _DEBUG),
    _option("DEBUG_ATOMIC_SLEEP", _DEBUG),
    _option("DEBUG_PAGEALLOC", _DEBUG),
    _option("DEBUG_OBJECTS", _DEBUG),
    _option("DEBUG_KMEMLEAK", _DEBUG),
    _option("DEBUG_VM", _DEBUG),
    _option("DEBUG_NET", _DEBUG),
    _option("DEBUG_LIST", "list operations are checked, skb queues among them"),
    _option("NET_DEV_REFCNT_TRACKER", _DEBUG),
    _option("NET_NS_REFCNT_TRACKER", _DEBUG),
)

CONFIG = (
    *CONFIG_OPTIONS,
    OpenRow(
        "config.MITIGATION_*",
        "CONFIG_MITIGATION_*",
        "every other mitigation that this kernel was built with",
        _mitigation_rows,
    ),
)
