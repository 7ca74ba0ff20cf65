# SPDX-License-Identifier: MIT
"""Whether a core cycle counter can be had here: one perf_event_open(2), closed at once.

Written to perf_event_open(2) and <linux/perf_event.h>; not tried on hardware that has a PMU.
"""

import ctypes
import mmap
import os
import struct

SYSCALL_NUMBERS = {"x86_64": 298, "aarch64": 241}
PERF_TYPE_HARDWARE = 0
PERF_COUNT_HW_CPU_CYCLES = 0
PERF_FLAG_FD_CLOEXEC = 8
ATTRIBUTE_BYTES = 64  # PERF_ATTR_SIZE_VER0
EXCLUDE_KERNEL = 1 << 5  # bit-field of struct perf_event_attr
EXCLUDE_HYPERVISOR = 1 << 6
CAPABILITIES_OFFSET = 40  # of perf_event_mmap_page
CAP_USER_RDPMC = 1 << 2


def open_cycle_counter() -> bool:
    """Open a counter of this thread's cycles, kernel included; True where rdpmc may read it.

    Raises OSError with the kernel's errno: ENOENT where there is no PMU, EACCES or EPERM where
    perf_event_paranoid or seccomp forbids it, ENOSYS where the kernel has no perf events. Whether
    there is a PMU is asked first without the kernel, which more users may.
    """
    os.close(_perf_event_open(EXCLUDE_HYPERVISOR | EXCLUDE_KERNEL))
    descriptor = _perf_event_open(EXCLUDE_HYPERVISOR)
    try:
        with mmap.mmap(descriptor, mmap.PAGESIZE, mmap.MAP_SHARED, mmap.PROT_READ) as page:
            (capabilities,) = struct.unpack_from("=Q", page, CAPABILITIES_OFFSET)
            return bool(capabilities & CAP_USER_RDPMC)
    finally:
        os.close(descriptor)


def _perf_event_open(excluded: int) -> int:
    """Return a descriptor of a counter of this thread's cycles on any CPU."""
    attribute = struct.pack(
        "=IIQQQQQ", PERF_TYPE_HARDWARE, ATTRIBUTE_BYTES, PERF_COUNT_HW_CPU_CYCLES, 0, 0, 0, excluded
    ).ljust(ATTRIBUTE_BYTES, b"\0")
    number = SYSCALL_NUMBERS.get(os.uname().machine)
    if number is None:
        raise OSError(f"no number of perf_event_open is known for {os.uname().machine}")
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    descriptor = libc.syscall(
        ctypes.c_long(number),
        attribute,
        ctypes.c_int(0),
        ctypes.c_int(-1),
        ctypes.c_int(-1),
        ctypes.c_ulong(PERF_FLAG_FD_CLOEXEC),
    )
    if descriptor < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return int(descriptor)
