# SPDX-License-Identifier: MIT
"""A guest's network devices, as statements of /setup; probe/device.c obeys them."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Device:
    """One device, made by its module or always there, and how it is set up."""

    name: str
    addresses: tuple[str, ...] = ()  # with the length of the network's prefix: 198.18.1.1/24
    mtu_bytes: int | None = None  # None: its own
    features: Mapping[str, bool] = field(default_factory=dict)  # offloads, by ethtool's names

    def statements(self) -> list[str]:
        """Return them in order: an MTU too small for IPv6 takes its addresses away again."""
        lines = [f"up {self.name}"]
        lines += [f"address {self.name} {address}" for address in self.addresses]
        if self.mtu_bytes is not None:
            lines.append(f"mtu {self.name} {self.mtu_bytes}")
        for feature, is_on in self.features.items():
            lines.append(f"offload {self.name} {feature} {'on' if is_on else 'off'}")
        return lines
