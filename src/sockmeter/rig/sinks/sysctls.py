# SPDX-License-Identifier: MIT
"""Sysctls as files: of whichever network namespace the process that opens them is in."""


def sysctl_path(name: str) -> str:
    """Return the file of a sysctl; a slash in a name stands for a dot in a device's name."""
    return "/proc/sys/" + name.replace(".", "\0").replace("/", ".").replace("\0", "/")


def exchange_file(path: str, value: str) -> str:
    """Write `value` to a file of one line and return what it held before; OSError."""
    with open(path, encoding="ascii") as stream:
        old = " ".join(stream.read().split())
    with open(path, "w", encoding="ascii") as stream:
        stream.write(value)
    return old
