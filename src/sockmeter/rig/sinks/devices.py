# SPDX-License-Identifier: MIT
"""Makes the device of each sink in this process's network namespace. Only this knows pyroute2."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from pyroute2 import IPRoute  # type: ignore[import-untyped]  # it has no types
from pyroute2.netlink.exceptions import NetlinkError  # type: ignore[import-untyped]  # it has no types
from pyroute2.nftables.main import NFTables  # type: ignore[import-untyped]  # it has no types

from sockmeter.plan.sinks import Sink, own_address

IFA_F_NODAD = 0x02  # an address of ours is usable at once
NFPROTO_NETDEV = 5
NF_NETDEV_INGRESS = 0
NF_DROP = 0
PREFIX4, PREFIX6 = 24, 64


def make_device(route: IPRoute, sink: Sink) -> None:
    """Make the device of `sink`, up, with the address beside that of the sink.

    Raises OSError for what the kernel has not or does not allow.
    """
    with _as_os_error():
        _make_device(route, sink)


def set_mtu(route: IPRoute, device: str, mtu_bytes: int) -> int:
    """Set the MTU of `device` and return the old one, bytes; OSError."""
    with _as_os_error():
        index = _index_of(route, device)
        old_bytes = int(route.get_links(index)[0].get_attr("IFLA_MTU"))
        route.link("set", index=index, mtu=mtu_bytes)
    return old_bytes


def _make_device(route: IPRoute, sink: Sink) -> None:
    match sink.name:
        case "loopback":
            route.link("set", index=_index_of(route, "lo"), state="up")
            return
        case "veth":
            _make_veth(route, sink)
        case _:
            route.link("add", ifname=sink.device, kind=sink.name)
    index = _index_of(route, sink.device)
    # Without ARP nobody is asked where the sink is: there is none to answer.
    route.link("set", index=index, state="up", arp=False)
    route.addr("add", index=index, address=own_address(sink.address4), prefixlen=PREFIX4)
    if _has_ipv6():
        route.addr(
            "add",
            index=index,
            address=own_address(sink.address6),
            prefixlen=PREFIX6,
            flags=IFA_F_NODAD,
        )


def _make_veth(route: IPRoute, sink: Sink) -> None:
    """Make a pair whose peer drops in nftables.

    XDP_DROP at the peer would switch the sender's tx-udp-segmentation off, and a peer that is
    down takes the carrier away.
    """
    peer = f"{sink.device}-p"
    route.link("add", ifname=sink.device, kind="veth", peer=peer)
    route.link("set", index=_index_of(route, peer), state="up", arp=False)
    _drop_at_ingress(peer)


def _drop_at_ingress(device: str) -> None:
    """Let nftables drop everything that comes in at `device`: a base chain whose policy is drop."""
    with NFTables(nfgen_family=NFPROTO_NETDEV) as nft:
        nft.table("add", name="sockmeter")
        nft.chain(
            "add",
            table="sockmeter",
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


@contextmanager
def _as_os_error() -> Iterator[None]:
    """Turn what pyroute2 raises into what Python raises for the same errno."""
    try:
        yield
    except NetlinkError as error:
        raise OSError(error.code, os.strerror(error.code)) from error


def _index_of(route: IPRoute, device: str) -> int:
    indices = route.link_lookup(ifname=device)
    if not indices:
        raise OSError(errno.ENODEV, f"no device {device}")
    return int(indices[0])


def _has_ipv6() -> bool:
    try:
        with open("/proc/net/if_inet6", encoding="ascii"):
            return True
    except OSError:
        return False
