# SPDX-License-Identifier: MIT
"""Has nftables drop everything that comes in at a device of this process's network namespace.

A base chain whose policy is drop and that has no rules, at the ingress hook: it runs before any
protocol sees the packet, and asks nothing of it.
"""

from pyroute2.nftables.main import NFTables  # type: ignore[import-untyped]  # it has no types

from sockmeter.rig.sinks.netlink import as_os_error

# <linux/netfilter.h>
NFPROTO_NETDEV = 5
NF_NETDEV_INGRESS = 0
NF_DROP = 0


class NftablesError(OSError):
    """The kernel has no nftables at the ingress of devices, or does not let us use it."""


def start_dropping(device: str) -> None:
    """Drop what comes in at `device` from now on; NftablesError."""
    with as_os_error(NftablesError), NFTables(nfgen_family=NFPROTO_NETDEV) as nft:
        nft.table("add", name=_table(device))
        nft.chain(
            "add",
            table=_table(device),
            name="drop",
            type="filter",
            policy=NF_DROP,
            NFTA_CHAIN_HOOK={
                "attrs": [
                    ["NFTA_HOOK_HOOKNUM", NF_NETDEV_INGRESS],
                    ["NFTA_HOOK_PRIORITY", 0],
                    ["NFTA_HOOK_DEV", device],
                ]
            },
        )


def stop_dropping(device: str) -> None:
    """Let in again what comes to `device`; NftablesError."""
    with as_os_error(NftablesError), NFTables(nfgen_family=NFPROTO_NETDEV) as nft:
        nft.table("del", name=_table(device))


def _table(device: str) -> str:
    return f"sockmeter-{device}"
