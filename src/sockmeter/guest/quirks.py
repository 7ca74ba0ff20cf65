# SPDX-License-Identifier: MIT
"""Kernels that are known not to do under instruction counting what they do elsewhere."""

import re

# Its first CPU waits for ever at "Booting SMP configuration", seen with Debian's 6.1.192 under
# QEMU 7.2; neither cpu_init_udelay, tsc=reliable nor mitigations=off changes that. 6.12 starts two.
_ONE_CPU_SERIES = frozenset({"6.1"})


def starts_one_cpu_only(release: str) -> bool:
    """Whether a kernel of that release is known to hang when it has several CPUs."""
    series = re.match(r"\d+\.\d+", release)
    return series is not None and series[0] in _ONE_CPU_SERIES
