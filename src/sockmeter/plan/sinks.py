# SPDX-License-Identifier: MIT
"""Where bulk traffic goes: devices that drop a packet after its whole way through the sender.

Addresses are those set aside for benchmarks (RFC 2544, RFC 5180), in a network of our own.
"""

import msgspec


class Sink(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table: a way to be rid of what is sent."""

    name: str
    device: str  # in the private network namespace
    address4: str  # to which is sent
    address6: str
    guest_device: str | None  # that a guest has of its module's making; None: not in a guest
    is_received: bool  # by a thread of the probe, which copies zerocopy; else nothing arrives
    is_shared: bool = False  # its device is another sink's too: it drops only while it is used
    summary: str


# In the order of preference: the less that is not the sender's own work, the better.
SINKS = (
    Sink(
        name="dummy",
        device="sink-dummy",
        address4="198.18.1.2",
        address6="2001:2:0:1::2",
        guest_device="dummy0",
        is_received=False,
        summary="dummy device: frees each packet at once",
    ),
    Sink(
        name="ifb",
        device="sink-ifb",
        address4="198.18.2.2",
        address6="2001:2:0:2::2",
        guest_device="ifb0",
        is_received=False,
        summary="ifb device: frees each packet that was not redirected to it",
    ),
    Sink(
        name="loopback-drop",
        device="lo",
        address4="127.0.0.1",
        address6="::1",
        guest_device=None,
        is_received=False,
        is_shared=True,
        summary="loopback: nftables drops at its ingress, while such an arm runs",
    ),
    Sink(
        name="veth",
        device="sink-veth",
        address4="198.18.3.2",
        address6="2001:2:0:3::2",
        guest_device=None,
        is_received=False,
        summary="veth pair: nftables drops at the peer's ingress",
    ),
    Sink(
        name="loopback",
        device="lo",
        address4="127.0.0.1",
        address6="::1",
        guest_device="lo",
        is_received=True,
        summary="loopback: a second thread reads; zerocopy is copied",
    ),
)

AUTO = "auto"
PREFIX4, PREFIX6 = 24, 64  # bits of a sink's network
LEAST_MTU6 = 1280  # bytes: RFC 8200, section 5; IPV6_MIN_MTU


def own_address(address: str) -> str:
    """Return the address beside that of a sink: …2 is the sink's, …1 ours."""
    return address.removesuffix("2") + "1"


def own_networks(sink: Sink) -> tuple[str, str]:
    """Return our addresses beside the sink's, with the length of their networks' prefixes."""
    own4, own6 = own_address(sink.address4), own_address(sink.address6)
    return f"{own4}/{PREFIX4}", f"{own6}/{PREFIX6}"


def find_sink(name: str) -> Sink:
    """Return one row of the table; KeyError if there is none."""
    for sink in SINKS:
        if sink.name == name:
            return sink
    raise KeyError(name)
