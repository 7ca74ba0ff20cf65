# SPDX-License-Identifier: MIT
"""Runs a program in a kernel that lacks something: `python denying.py WHAT… -- PROGRAM…`.

A seccomp filter, inherited by whatever the program starts, answers as such a kernel would:

`namespaces`  unshare(2) fails with EPERM, as where kernel.unprivileged_userns_clone is 0
`nftables`    there is no netlink family of netfilter: EPROTONOSUPPORT
`io_uring`    io_uring_setup(2) fails with EPERM, as where kernel.io_uring_disabled is 2
`any_uring`   it fails with ENOSYS, as where a sandbox hides that there is one
`registering` io_uring_register(2) alone fails with EPERM, as where a sandbox forgot it
"""

import ctypes
import errno
import os
import platform
import struct
import sys

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 22, 38  # <linux/prctl.h>
SECCOMP_MODE_FILTER = 2
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06  # BPF_LD | BPF_W | BPF_ABS, BPF_JMP | BPF_JEQ, BPF_RET
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
NUMBER, ARGUMENTS = 0, 16  # offsets in struct seccomp_data
AF_NETLINK, NETLINK_NETFILTER = 16, 12
UNSHARE, SOCKET = {"x86_64": (272, 41), "aarch64": (97, 198)}.get(platform.machine(), (0, 0))
IO_URING_SETUP, IO_URING_REGISTER = 425, 427  # on every architecture
Step = tuple[int, int, int, int]  # operation, jump if true, jump if false, operand


def _refused(number: int, error: int) -> list[Step]:
    return [(LOAD, 0, 0, NUMBER), (EQUAL, 0, 1, number), (RETURN, 0, 0, ERRNO | error)]


DENIALS: dict[str, list[Step]] = {
    "namespaces": _refused(UNSHARE, errno.EPERM),
    "nftables": [
        (LOAD, 0, 0, NUMBER),
        (EQUAL, 0, 5, SOCKET),
        (LOAD, 0, 0, ARGUMENTS),
        (EQUAL, 0, 3, AF_NETLINK),
        (LOAD, 0, 0, ARGUMENTS + 16),
        (EQUAL, 0, 1, NETLINK_NETFILTER),
        (RETURN, 0, 0, ERRNO | errno.EPROTONOSUPPORT),
    ],
    "io_uring": _refused(IO_URING_SETUP, errno.EPERM),
    "any_uring": _refused(IO_URING_SETUP, errno.ENOSYS),
    "registering": _refused(IO_URING_REGISTER, errno.EPERM),
}


class Program(ctypes.Structure):
    """struct sock_fprog of <linux/filter.h>."""

    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def deny(*what: str) -> None:
    """Install the filter on this process and all that it becomes; OSError."""
    steps = [step for each in what for step in DENIALS[each]] + [(RETURN, 0, 0, ALLOW)]
    program = Program(len(steps), b"".join(struct.pack("=HBBI", *step) for step in steps))
    libc = ctypes.CDLL(None, use_errno=True)
    for words in (
        (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0),
    ):
        if libc.prctl(*words):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def main(words: list[str]) -> None:
    """Deny what stands before `--` and become the program behind it."""
    end = words.index("--")
    deny(*words[:end])
    os.execvp(words[end + 1], words[end + 1 :])


if __name__ == "__main__":
    main(sys.argv[1:])
