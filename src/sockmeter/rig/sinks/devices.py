# SPDX-License-Identifier: MIT
"""Makes the device of each sink in this process's network namespace."""

import errno

from pyroute2 import IPRoute  # type: ignore[import-untyped]  # it has no types

from sockmeter.plan.sinks import LEAST_MTU6, PREFIX4, PREFIX6, SINKS, Sink, own_address
from sockmeter.rig.sinks.dropping import start_dropping, stop_dropping
from sockmeter.rig.sinks.netlink import as_os_error

IFA_F_NODAD = 0x02  # an address of ours is usable at once
LOOPBACK, PREFIX6_LOOPBACK = "lo", 128


def make_device(route: IPRoute, sink: Sink) -> None:
    """Make the device of `sink`, up, with the address beside that of the sink.

    Raises OSError for what the kernel has not or does not allow, NftablesError among them.
    """
    match sink.name:
        case "loopback":
            _set_up(route, sink.device)
        case "loopback-drop":
            _set_up(route, sink.device)
            _try_dropping(sink.device)
        case "veth":
            _make_veth(route, sink)
            _give_addresses(route, sink)
        case _:
            with as_os_error():
                route.link("add", ifname=sink.device, kind=sink.name)
            _give_addresses(route, sink)


def set_mtu(route: IPRoute, device: str, mtu_bytes: int) -> int:
    """Set the MTU of `device` and return the old one, bytes; OSError.

    Below the least MTU of IPv6 a device has none, and the kernel forgets its addresses
    (addrconf_notify on NETDEV_CHANGEMTU): they come back with an MTU that is large enough.
    """
    with as_os_error():
        index = _index_of(route, device)
        old_bytes = int(route.get_links(index)[0].get_attr("IFLA_MTU"))
        route.link("set", index=index, mtu=mtu_bytes)
        if old_bytes < LEAST_MTU6 <= mtu_bytes:
            _give_address6(route, next(sink for sink in SINKS if sink.device == device))
    return old_bytes


def _set_up(route: IPRoute, device: str) -> None:
    with as_os_error():
        route.link("set", index=_index_of(route, device), state="up")


def _try_dropping(device: str) -> None:
    """Find out whether it can be had: it is turned on only while an arm that asks for it runs."""
    start_dropping(device)
    stop_dropping(device)


def _make_veth(route: IPRoute, sink: Sink) -> None:
    """Make a pair whose peer drops in nftables.

    XDP_DROP at the peer would switch the sender's tx-udp-segmentation off, and a peer that is
    down takes the carrier away.
    """
    peer = f"{sink.device}-p"
    with as_os_error():
        route.link("add", ifname=sink.device, kind="veth", peer=peer)
        route.link("set", index=_index_of(route, peer), state="up", arp=False)
    start_dropping(peer)


def _give_addresses(route: IPRoute, sink: Sink) -> None:
    """Set the device up. Without ARP nobody is asked where the sink is: there is none to answer."""
    with as_os_error():
        index = _index_of(route, sink.device)
        route.link("set", index=index, state="up", arp=False)
        own4 = own_address(sink.address4)
        route.addr("add", index=index, address=own4, prefixlen=PREFIX4)
        _give_address6(route, sink)


def _give_address6(route: IPRoute, sink: Sink) -> None:
    """Give the device its IPv6 address where the kernel has IPv6; it may have it already."""
    if not _has_ipv6():
        return
    own6, length = own_address(sink.address6), PREFIX6
    if sink.device == LOOPBACK:
        own6, length = sink.address6, PREFIX6_LOOPBACK
    index = _index_of(route, sink.device)
    route.addr("replace", index=index, address=own6, prefixlen=length, flags=IFA_F_NODAD)


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
