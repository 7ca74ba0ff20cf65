# SPDX-License-Identifier: MIT
"""The offload features of a network device, asked and set through SIOCETHTOOL.

The three requests that read are open to every user, the one that sets needs CAP_NET_ADMIN
(net/ethtool/ioctl.c, `dev_ethtool`). Structures and numbers are those of <linux/ethtool.h> and
<linux/sockios.h>.
"""

import ctypes
import fcntl
import socket
import struct

SIOCETHTOOL = 0x8946
ETHTOOL_GSTRINGS = 0x1B
ETHTOOL_GSSET_INFO = 0x37
ETHTOOL_GFEATURES = 0x3A
ETHTOOL_SFEATURES = 0x3B
ETH_SS_FEATURES = 4
ETH_GSTRING_LEN = 32
FEATURE_BLOCK_BYTES = 16  # available, requested, active, never_changed: a u32 each


def read_features(device: str) -> dict[str, bool]:
    """Return every named feature of `device`, on or off; OSError where there is no such device."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        names = _read_names(control, device)
        active = _read_active(control, device, len(names))
    return {name: bool(active >> bit & 1) for bit, name in enumerate(names) if name}


def write_feature(device: str, feature: str, *, is_on: bool) -> None:
    """Ask for one feature on or off; the kernel may leave it as it is: read it back.

    Raises OSError, and ValueError where the device has no such feature.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        names = _read_names(control, device)
        if feature not in names:
            raise ValueError(f"{device} has no feature {feature}")
        block, bit = divmod(names.index(feature), 32)
        blocks = [(0, 0)] * ((len(names) + 31) // 32)  # valid, requested
        blocks[block] = (1 << bit, int(is_on) << bit)
        request = struct.pack("=II", ETHTOOL_SFEATURES, len(blocks))
        _ask(control, device, request + b"".join(struct.pack("=II", *each) for each in blocks))


def _read_names(control: socket.socket, device: str) -> list[str]:
    """Return the kernel's feature names by bit; a bit without a name is an empty string."""
    sets = struct.pack("=IIQI", ETHTOOL_GSSET_INFO, 0, 1 << ETH_SS_FEATURES, 0)
    (count,) = struct.unpack_from("=I", _ask(control, device, sets), 16)
    request = struct.pack("=III", ETHTOOL_GSTRINGS, ETH_SS_FEATURES, count)
    answer = _ask(control, device, request + bytes(count * ETH_GSTRING_LEN))[len(request) :]
    return [
        answer[start : start + ETH_GSTRING_LEN].split(b"\0", 1)[0].decode("ascii")
        for start in range(0, count * ETH_GSTRING_LEN, ETH_GSTRING_LEN)
    ]


def _read_active(control: socket.socket, device: str, count: int) -> int:
    """Return the active features as one integer, bit by bit."""
    blocks = (count + 31) // 32
    request = struct.pack("=II", ETHTOOL_GFEATURES, blocks) + bytes(blocks * FEATURE_BLOCK_BYTES)
    answer = _ask(control, device, request)
    words = [struct.unpack_from("=I", answer, 8 + i * 16 + 8)[0] for i in range(blocks)]
    return sum(int(word) << (32 * i) for i, word in enumerate(words))


def _ask(control: socket.socket, device: str, request: bytes) -> bytes:
    """Send one ethtool request in a struct ifreq and return the buffer as the kernel left it."""
    buffer = ctypes.create_string_buffer(request, len(request))
    ifreq = struct.pack("16sP16x", device.encode(), ctypes.addressof(buffer))
    fcntl.ioctl(control, SIOCETHTOOL, ifreq)
    return buffer.raw
