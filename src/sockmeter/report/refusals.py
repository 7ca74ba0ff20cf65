# SPDX-License-Identifier: MIT
"""Why an arm was refused, in words, with the limit that it met and what moves it."""

from sockmeter.model.arms import Arm
from sockmeter.model.segments import Refusal
from sockmeter.plan.outbound import COMPLETION
from sockmeter.plan.sinks import LEAST_MTU6

SPARE_DESCRIPTORS = 16  # that a probe may have open besides those of the channels
NO_RIGHTS = ("EPERM", "EACCES", "EROFS")
NO_ADDRESS = ("ENETUNREACH", "EADDRNOTAVAIL")  # on connecting and on binding
# Without nfnetlink; without nf_tables; without its netdev family or its filter chains.
NO_NFTABLES = ("EPROTONOSUPPORT", "EOPNOTSUPP", "EAFNOSUPPORT", "ENOENT")
HINTS: dict[tuple[str, str], str] = {
    ("call", "EIO"): "the device has no checksum offload: --offload tx-checksum-ip-generic=on",
    ("io_uring", "EPERM"): "try: sudo sysctl kernel.io_uring_disabled=0",
    ("optmem", "ENOBUFS"): "more: sudo sysctl net.core.optmem_max=1048576",
    **dict.fromkeys(
        (
            ("memlock", "ENOBUFS"),
            ("memlock", "ENOMEM"),
            ("register_buffers", "ENOMEM"),
            ("io_uring", "ENOMEM"),
        ),
        "more: sudo prlimit --pid $$ --memlock=unlimited",
    ),
    ("connect", "ENETUNREACH"): "no route here; in a new network namespace: sudo ip link set lo up",
    **{
        (step, "EAGAIN"): (
            "no more threads for this user or group; more: sudo prlimit --pid $$ --nproc=unlimited"
        )
        for step in ("busy", "receiver", "thread", "fork")
    },
    ("sysctl", "ENOENT"): "this kernel has no such sysctl",
    ("sysctl", "EINVAL"): "the sysctl does not take this value",
    ("namespace", "ENOSPC"): (
        "more of them: sudo sysctl user.max_net_namespaces=1000 user.max_user_namespaces=1000"
    ),
    **{
        ("nftables", errno): "this kernel cannot drop at a device; try: sudo modprobe nf_tables"
        for errno in NO_NFTABLES
    },
    **{
        (step, errno): "run it as root"
        for step in ("sysctl", "mtu", "feature")
        for errno in NO_RIGHTS
    },
    **{
        ("namespace", errno): (
            "run it as root, or allow it: sudo sysctl kernel.unprivileged_userns_clone=1"
        )
        for errno in NO_RIGHTS
    },
}


def refusal_words(arm: Arm, refusal: Refusal) -> str:
    """Return step, errno and the kernel's words, and what is known of the limit behind them."""
    said = f"{refusal.step}: {refusal.errno}, {refusal.text}"
    hint = _mtu6_hint(arm, refusal) or _hint(arm, refusal)
    return said if hint is None else f"{said}; {hint}"


def _hint(arm: Arm, refusal: Refusal) -> str | None:
    match refusal.step, refusal.errno:
        case "call", errno:
            return _call_hint(arm, errno)
        case "priority", "EPERM" if arm.factors["priority"] != "auto":
            return _raised("rtprio", int(arm.factors["priority"]))
        case "descriptors", "EMFILE":
            return _raised("nofile", int(arm.factors["channels"]) + SPARE_DESCRIPTORS)
        case "sink", "EOPNOTSUPP":
            return f"this kernel has no such device; try: sudo modprobe {arm.factors.get('sink')}"
    return HINTS.get((refusal.step, refusal.errno))


def _call_hint(arm: Arm, errno: str) -> str | None:
    segments = int(arm.factors.get("segments", 1))
    match errno:
        case "EINVAL" if segments > 64:
            # UDP_MAX_SEGMENTS; 1382e3b6a350 ("net: change maximum number of UDP segments to 128")
            return "a send has at most 64 segments, 128 from Linux 6.9 and 6.1.109"
        case "EMSGSIZE" if segments > 1:
            return _segments_hint(arm, segments)
        case "ENOMEM" if arm.factors.get("zerocopy") == COMPLETION:
            # Other rings of this user count against the limit too, even while they are taken down.
            return HINTS["memlock", errno]
    return HINTS.get(("call", errno))


def _mtu6_hint(arm: Arm, refusal: Refusal) -> str | None:
    """Return why the device has no IPv6 address, or None: it is not for its MTU."""
    is_ipv6 = str(arm.factors.get("family")).endswith("6")
    is_below = int(arm.factors.get("mtu", LEAST_MTU6)) < LEAST_MTU6
    if is_ipv6 and is_below and refusal.errno in NO_ADDRESS:
        return f"IPv6 needs an MTU of at least {LEAST_MTU6:,} bytes: --mtu"
    return None


def _raised(limit: str, wanted: int) -> str:
    """Return what raises a resource limit of the shell, the hard one too: that takes root."""
    return f"sudo prlimit --pid $$ --{limit}={wanted}:{wanted}"


def _segments_hint(arm: Arm, segments: int) -> str:
    size_bytes = int(arm.factors["size"])
    largest = 65_527 if str(arm.factors.get("family")).endswith("6") else 65_507
    if size_bytes * segments > largest:
        return f"{size_bytes * segments:,} bytes; a message has at most {largest:,}"
    return f"a segment of {size_bytes:,} bytes and its headers exceed the MTU: --mtu or --size"
