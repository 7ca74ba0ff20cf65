# SPDX-License-Identifier: MIT
"""The hooks that nftables has taken, asked with one netlink dump of its chains.

Only what slows a path is kept: family, hook and priority of each base chain. The names of tables
and chains are their owner's business. Numbers are those of <linux/netfilter/nf_tables.h>.
"""

import errno
import os
import socket
import struct
from collections.abc import Iterator

NETLINK_NETFILTER = 12
NFT_MSG_GETCHAIN = (10 << 8) | 4  # subsystem NFNL_SUBSYS_NFTABLES, message
NLM_F_REQUEST_DUMP = 0x1 | 0x300
NLMSG_ERROR = 2
NLMSG_DONE = 3
NFTA_CHAIN_HOOK = 4
NFTA_HOOK_HOOKNUM = 1
NFTA_HOOK_PRIORITY = 2
ATTRIBUTE_TYPE = 0x3FFF  # without NLA_F_NESTED and NLA_F_NET_BYTEORDER
FAMILIES = {1: "inet", 2: "ip", 3: "arp", 5: "netdev", 7: "bridge", 10: "ip6"}
HOOKS = ("prerouting", "input", "forward", "output", "postrouting", "ingress")
NETDEV_HOOKS = ("ingress", "egress")


def read_hooks() -> list[str]:
    """Return `family hook priority` of every base chain, sorted; PermissionError if not root.

    The kernel loads nf_tables when it is asked and does not have it: ask only where it is loaded.
    """
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_NETFILTER) as netlink:
        netlink.settimeout(1.0)
        netlink.sendall(
            struct.pack("=IHHIIBBH", 20, NFT_MSG_GETCHAIN, NLM_F_REQUEST_DUMP, 1, 0, 0, 0, 0)
        )
        hooks: list[str] = []
        is_done = False
        while not is_done:
            more, is_done = hooks_of(netlink.recv(1 << 16))
            hooks += more
    return sorted(hooks)


def hooks_of(answer: bytes) -> tuple[list[str], bool]:
    """Return the hooks in one answer, and whether it is the last; the kernel's OSError."""
    hooks: list[str] = []
    for kind, body in messages(answer):
        if kind == NLMSG_DONE:
            return hooks, True
        if kind == NLMSG_ERROR:
            raise _error(body)
        hooks += base_chain(body)
    return hooks, False


def messages(answer: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield type and body of each netlink message in one answer of the kernel."""
    start = 0
    while start + 16 <= len(answer):
        length, kind = struct.unpack_from("=IH", answer, start)
        yield kind, answer[start + 16 : start + length]
        start += (max(length, 16) + 3) & ~3


def base_chain(body: bytes) -> Iterator[str]:
    """Yield the hook of one chain message; nothing for a chain that hangs on no hook."""
    hook = _attributes(body[4:]).get(NFTA_CHAIN_HOOK)
    if hook is None:
        return
    family = FAMILIES.get(body[0], f"family {body[0]}")
    parts = _attributes(hook)
    (number,) = struct.unpack("!I", parts[NFTA_HOOK_HOOKNUM])
    (priority,) = struct.unpack("!i", parts[NFTA_HOOK_PRIORITY])
    names = NETDEV_HOOKS if family == "netdev" else HOOKS
    name = names[number] if number < len(names) else f"hook {number}"
    yield f"{family} {name} {priority}"


def _attributes(packed: bytes) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    start = 0
    while start + 4 <= len(packed):
        length, kind = struct.unpack_from("=HH", packed, start)
        found[kind & ATTRIBUTE_TYPE] = packed[start + 4 : start + length]
        start += (max(length, 4) + 3) & ~3
    return found


def _error(body: bytes) -> OSError:
    (code,) = struct.unpack_from("=i", body)
    number = -code or errno.EPROTO
    return OSError(number, os.strerror(number))
