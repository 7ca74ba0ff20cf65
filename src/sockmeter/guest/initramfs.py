# SPDX-License-Identifier: MIT
"""The guest's only file system: the probe as /init, its plan, its modules and its set-up.

Equal contents give equal bytes. What /setup means is in probe/init.c, the one place that reads it.
"""

from collections.abc import Mapping, Sequence

from sockmeter.guest import cpio
from sockmeter.guest.devices import Device
from sockmeter.guest.modules import Module


def build(
    probe: bytes,
    plan: str,
    *,
    modules: Sequence[Module] = (),
    devices: Sequence[Device] = (),
    sysctls: Mapping[str, str] | None = None,
    symbols: str | None = None,
) -> bytes:
    """Return the archive.

    `modules` stand in loading order; `sysctls` are set after the devices, in their own order;
    `symbols` is `all` or `modules` where the guest shall send that part of /proc/kallsyms.
    Raises ValueError for a sysctl that does not fit on a line.
    """
    statements = [f"module /modules/{module.name}.ko" for module in modules]
    statements += [line for device in devices for line in device.statements()]
    for name, value in (sysctls or {}).items():
        if not name or set(name) & set(" \n\0") or set(value) & set("\n\0"):
            raise ValueError(f"a sysctl of one line has no name or value like {name!r}, {value!r}")
        statements.append(f"sysctl {name} {value}")
    if symbols is not None:
        statements.append(f"symbols {symbols}")
    return cpio.pack(
        [
            cpio.directory("dev"),
            cpio.character_device("dev/console", 5, 1),
            cpio.regular("init", probe, is_executable=True),
            cpio.regular("plan", plan.encode()),
            cpio.regular("setup", "".join(f"{line}\n" for line in statements).encode()),
            cpio.directory("modules"),
            *(cpio.regular(f"modules/{module.name}.ko", module.content) for module in modules),
        ]
    )
