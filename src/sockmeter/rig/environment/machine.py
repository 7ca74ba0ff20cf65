# SPDX-License-Identifier: MIT
"""The one seam between the readers of an environment and the machine they read."""

from typing import NamedTuple, Protocol


class Uname(NamedTuple):
    """What uname(2) says of the kernel, and the host's name so that it can be left out."""

    nodename: str
    release: str
    version: str
    machine: str


class Machine(Protocol):
    """A machine that can be looked at and is never changed; every method may raise OSError."""

    def read_bytes(self, path: str) -> bytes:
        """Return the whole file."""
        ...

    def list_directory(self, path: str) -> list[str]:
        """Return the names in a directory, sorted."""
        ...

    def read_link(self, path: str) -> str:
        """Return what a symbolic link says, without following it."""
        ...

    def uname(self) -> Uname:
        """Return what uname(2) says."""
        ...

    def device_features(self, device: str) -> dict[str, bool]:
        """Return the offload features of a network device by the kernel's name, on or off."""
        ...

    def nftables_hooks(self) -> list[str]:
        """Return family, hook and priority of every nftables base chain, as `inet output 0`."""
        ...

    def count_cycles(self) -> bool:
        """Open a cycle counter on the calling thread; True where user space may read it."""
        ...

    def open_family(self, family: str) -> None:
        """Open and bind a socket of a family of the probe (udp4 … unix-dgram); close it."""
        ...
