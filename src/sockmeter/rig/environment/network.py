# SPDX-License-Identifier: MIT
"""Facts about the network: the sysctls that change these paths, the device, the filters."""

from collections.abc import Callable

from sockmeter.model.environment import FactValue
from sockmeter.rig.environment.row import Row, from_file
from sockmeter.rig.environment.site import Site, UnreadableError

DEVICE = "/sys/class/net/{device}"
FILTER_MODULES = ("nf_tables", "ip_tables", "ip6_tables", "nf_conntrack", "nf_nat", "br_netfilter")


def _parse_setting(text: str) -> FactValue:
    """Return a sysctl as an integer, a list of words, or a word."""
    words = text.split()
    if len(words) == 1:
        return int(text) if text.removeprefix("-").isdecimal() else text
    return words


def _sysctl(name: str, why: str, unit: str | None = None) -> Row:
    path = "/proc/sys/" + name.replace(".", "/")
    return from_file(f"sysctl.{name}", path, why, _parse_setting, unit=unit)


_DEPTH = "how many messages a burst can queue before the receive is timed"
_STREAM = "window and memory of a stream: how much one call can move"
_PRESSURE = "above the middle value sockets are under memory pressure"
_EARLY = "the socket is looked up before routing"

SYSCTLS = (
    _sysctl("net.core.rmem_default", _DEPTH, "bytes"),
    _sysctl("net.core.rmem_max", _DEPTH, "bytes"),
    _sysctl("net.core.wmem_default", "how much can be sent before the sender waits", "bytes"),
    _sysctl("net.core.wmem_max", "how much can be sent before the sender waits", "bytes"),
    _sysctl("net.core.optmem_max", "outstanding zerocopy notifications; control data", "bytes"),
    _sysctl("net.core.busy_poll", "poll spins on the device", "µs"),
    _sysctl("net.core.busy_read", "a receive spins on the device", "µs"),
    _sysctl("net.core.netdev_budget", "packets per soft interrupt", "packets"),
    _sysctl("net.core.netdev_budget_usecs", "time per soft interrupt", "µs"),
    _sysctl("net.core.netdev_max_backlog", "loopback's queue before it drops", "packets"),
    _sysctl("net.core.dev_weight", "packets per poll of the backlog", "packets"),
    _sysctl("net.core.default_qdisc", "the queue that a send passes"),
    _sysctl("net.core.high_order_alloc_disable", "page fragments of a large send: 2 or 16"),
    _sysctl("net.core.max_skb_frags", "fragments that one skb can hold", "fragments"),
    _sysctl("net.core.skb_defer_max", "skbs that are freed by the CPU that made them", "skbs"),
    _sysctl("net.core.gro_normal_batch", "packets handed up at once after GRO", "packets"),
    _sysctl("net.core.rps_sock_flow_entries", "packets may be moved to another CPU", "entries"),
    _sysctl("net.core.netdev_tstamp_prequeue", "where packets get their time stamp"),
    _sysctl("net.core.bpf_jit_enable", "attached programs are compiled"),
    _sysctl("net.core.bpf_jit_harden", "compiled programs are blinded: longer"),
    _sysctl("net.ipv4.udp_mem", _PRESSURE, "pages"),
    _sysctl("net.ipv4.udp_rmem_min", _DEPTH, "bytes"),
    _sysctl("net.ipv4.udp_wmem_min", "how much can be sent under pressure", "bytes"),
    _sysctl("net.ipv4.udp_early_demux", _EARLY),
    _sysctl("net.ipv4.tcp_early_demux", _EARLY),
    _sysctl("net.ipv4.ip_early_demux", _EARLY),
    _sysctl("net.ipv4.udp_l3mdev_accept", "the lookup of a socket compares devices"),
    _sysctl("net.ipv4.udp_hash_entries", "length of the chains that a lookup walks", "entries"),
    _sysctl("net.ipv4.tcp_rmem", _STREAM, "bytes"),
    _sysctl("net.ipv4.tcp_wmem", _STREAM, "bytes"),
    _sysctl("net.ipv4.tcp_mem", _PRESSURE, "pages"),
    _sysctl("net.ipv4.tcp_congestion_control", "what runs at each acknowledgement"),
    _sysctl("net.ipv4.tcp_autocorking", "small sends wait for others"),
    _sysctl("net.ipv4.tcp_moderate_rcvbuf", "the receive buffer follows the reader"),
    _sysctl("net.ipv4.tcp_notsent_lowat", "when a stream may be written to", "bytes"),
    _sysctl("net.ipv4.tcp_limit_output_bytes", "bytes of a stream below TCP", "bytes"),
    _sysctl("net.ipv4.tcp_min_tso_segs", "least segments in one large send", "segments"),
    _sysctl("net.ipv4.tcp_timestamps", "12 bytes and a clock read in each segment"),
    _sysctl("net.ipv4.tcp_sack", "what an acknowledgement carries"),
    _sysctl("net.ipv4.tcp_backlog_ack_defer", "acknowledgements leave after the backlog"),
    _sysctl("net.ipv4.ip_no_pmtu_disc", "how large a packet may be"),
    _sysctl("net.ipv4.ip_forward", "switches large receive offload off on devices"),
    _sysctl("net.ipv4.conf.all.rp_filter", "a route lookup more for each datagram"),
    _sysctl("net.unix.max_dgram_qlen", "messages that a unix datagram socket queues", "messages"),
    _sysctl("kernel.sched_rt_runtime_us", "after this a spinning FIFO thread is stopped", "µs"),
    _sysctl("kernel.sched_rt_period_us", "until this has passed", "µs"),
    _sysctl("kernel.timer_migration", "whether timers leave an isolated CPU"),
    _sysctl("kernel.numa_balancing", "page faults on purpose"),
    _sysctl("kernel.nmi_watchdog", "holds one hardware counter and interrupts now and then"),
    _sysctl("kernel.perf_event_paranoid", "who may count cycles: 1 or less for everybody"),
    _sysctl("kernel.bpf_stats_enabled", "every BPF program reads the clock twice"),
    _sysctl("kernel.io_uring_disabled", "whether io_uring calls can be measured"),
    _sysctl("kernel.randomize_va_space", "the layout of a process differs between launches"),
    _sysctl("kernel.unprivileged_bpf_disabled", "whether an ordinary user may attach programs"),
)

# Features of a device that a socket call can meet; the kernel's names, net/ethtool/common.c.
OFFLOADS = {
    "tx-scatter-gather": "pages are sent as they lie; without it they are copied together",
    "tx-scatter-gather-fraglist": "chained skbs are sent as they lie",
    "tx-checksum-ipv4": "no checksum over an IPv4 payload in the call",
    "tx-checksum-ipv6": "no checksum over an IPv6 payload in the call",
    "tx-checksum-ip-generic": "no checksum over the payload in the call",
    "tx-generic-segmentation": "large sends are cut below the stack",
    "tx-tcp-segmentation": "large TCP sends are cut by the device, or never on loopback",
    "tx-tcp6-segmentation": "the same over IPv6",
    "tx-udp-segmentation": "UDP GSO is cut by the device, or never on loopback",
    "tx-gso-list": "chained skbs pass uncut",
    "tx-gso-partial": "the device cuts what it half understands",
    "tx-nocache-copy": "user copies bypass the cache",
    "rx-checksum": "no checksum over the payload in the receive",
    "rx-gro": "received packets are merged",
    "rx-gro-list": "received packets are chained",
    "rx-gro-hw": "the device merges them",
    "rx-lro": "the device merges them, losing their borders",
    "rx-udp-gro-forwarding": "UDP packets are merged without a socket that asked",
    "highdma": "no bounce buffers for high memory",
    "hw-tc-offload": "filters run in the device",
}


def _feature(name: str) -> Callable[[Site], bool]:
    def read(site: Site) -> bool:
        if name not in site.features:
            raise UnreadableError("this kernel has no such feature")
        return site.features[name]

    return read


DEVICE_FACTS = (
    Row("device.name", "the plan", "the device that datagrams pass", lambda site: site.device),
    from_file("device.mtu", f"{DEVICE}/mtu", "where datagrams are cut", int, unit="bytes"),
    from_file("device.state", f"{DEVICE}/operstate", "a device that is down drops everything"),
    from_file(
        "device.queue_length", f"{DEVICE}/tx_queue_len", "packets before a qdisc drops", int,
        unit="packets",
    ),
    from_file(
        "device.threaded_napi", f"{DEVICE}/threaded", "receive work is done by a thread", int
    ),
    from_file(
        "device.deferred_interrupts",
        f"{DEVICE}/napi_defer_hard_irqs",
        "polls that may come up empty before interrupts are on again",
        int,
        unit="polls",
    ),
    from_file(
        "device.gro_flush", f"{DEVICE}/gro_flush_timeout", "how long merging waits", int, unit="ns"
    ),
    *(
        Row(f"offload.{name}", "ioctl(SIOCETHTOOL)", why, _feature(name))
        for name, why in OFFLOADS.items()
    ),
)  # fmt: skip


def _filter_modules(site: Site) -> FactValue:
    return [name for name in FILTER_MODULES if _is_present(site, name)]


def _is_present(site: Site, module: str) -> bool:
    """Say whether a module is loaded or built in; built-in ones may show only in the config."""
    if module in site.modules:
        return True
    try:
        return site.config.options.get(BUILT_IN_AS[module]) == "y"
    except UnreadableError:
        return False


BUILT_IN_AS = {
    "nf_tables": "NF_TABLES",
    "ip_tables": "IP_NF_IPTABLES_LEGACY",
    "ip6_tables": "IP6_NF_IPTABLES_LEGACY",
    "nf_conntrack": "NF_CONNTRACK",
    "nf_nat": "NF_NAT",
    "br_netfilter": "BRIDGE_NETFILTER",
}


def _nftables_hooks(site: Site) -> FactValue:
    """Return nftables' hooks; not asked where nf_tables is not there, as asking loads it."""
    return site.machine.nftables_hooks() if _is_present(site, "nf_tables") else []


FILTERS = (
    Row(
        "netfilter.modules",
        "/sys/module, the kernel's configuration",
        "what could hang on the path; readable by everybody",
        _filter_modules,
    ),
    Row(
        "netfilter.nftables_hooks",
        "netlink, NFT_MSG_GETCHAIN",
        "base chains: each is passed by every datagram of its family (root only)",
        _nftables_hooks,
    ),
    from_file(
        "netfilter.iptables",
        "/proc/net/ip_tables_names",
        "legacy tables with rules, IPv4 (root only)",
        str.split,
    ),
    from_file(
        "netfilter.ip6tables",
        "/proc/net/ip6_tables_names",
        "legacy tables with rules, IPv6 (root only)",
        str.split,
    ),
    from_file(
        "netfilter.connections",
        "/proc/sys/net/netfilter/nf_conntrack_count",
        "connections tracked: there is a lookup for each datagram where this is not 0",
        int,
        unit="connections",
    ),
)
