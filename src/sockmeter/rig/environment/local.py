# SPDX-License-Identifier: MIT
"""This machine, behind the `Machine` seam: the only module here that asks the system."""

import os
import socket

from sockmeter.rig.environment import ethtool, nftables, perf
from sockmeter.rig.environment.machine import Uname

SOCKETS: dict[str, tuple[int, int, tuple[str, int] | str]] = {
    "udp4": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
    "udp6": (socket.AF_INET6, socket.SOCK_DGRAM, ("::1", 0)),
    "tcp4": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
    "tcp6": (socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0)),
    "unix-stream": (socket.AF_UNIX, socket.SOCK_STREAM, ""),
    "unix-dgram": (socket.AF_UNIX, socket.SOCK_DGRAM, ""),
}


class LocalMachine:
    """The machine that this process runs on."""

    def read_bytes(self, path: str) -> bytes:
        """Return the whole file."""
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            blocks = []
            while block := os.read(descriptor, 1 << 16):
                blocks.append(block)
            return b"".join(blocks)
        finally:
            os.close(descriptor)

    def list_directory(self, path: str) -> list[str]:
        """Return the names in a directory, sorted."""
        return sorted(os.listdir(path))

    def read_link(self, path: str) -> str:
        """Return what a symbolic link says."""
        return os.readlink(path)

    def uname(self) -> Uname:
        """Return what uname(2) says."""
        system = os.uname()
        return Uname(system.nodename, system.release, system.version, system.machine)

    def device_features(self, device: str) -> dict[str, bool]:
        """Return the offload features of a network device, on or off."""
        return ethtool.read_features(device)

    def nftables_hooks(self) -> list[str]:
        """Return family, hook and priority of every nftables base chain."""
        return nftables.read_hooks()

    def count_cycles(self) -> bool:
        """Open a cycle counter on this thread; True where user space may read it."""
        return perf.open_cycle_counter()

    def open_family(self, family: str) -> None:
        """Open and bind a socket of a family of the probe; close it."""
        domain, kind, address = SOCKETS[family]
        with socket.socket(domain, kind) as opened:
            opened.bind(address)
