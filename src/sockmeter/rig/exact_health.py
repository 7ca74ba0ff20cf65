# SPDX-License-Identifier: MIT
"""Whether exact counts can be made here: an emulator, and the plugin that counts in it."""

from collections.abc import Callable
from pathlib import Path

from sockmeter.guest.plugin import find_plugin
from sockmeter.guest.qemu import Qemu, find_qemu
from sockmeter.model.errors import MachineError
from sockmeter.rig.health import Finding, Status

SUBJECT = "exact counts"


def examine_emulator(
    find_emulator: Callable[[], Qemu] = find_qemu,
    find_its_plugin: Callable[[int], Path] = find_plugin,
) -> Finding:
    """Return the emulator's version, or what is missing of it."""
    try:
        emulator = find_emulator()
        find_its_plugin(emulator.plugin_interface)
    except MachineError as error:
        return Finding(
            subject=SUBJECT,
            status=Status.CANNOT,
            detail=f"{error.what}; sockmeter count needs it, timing does not",
            mend=error.mend,
        )
    return Finding(
        subject=SUBJECT,
        status=Status.OK,
        detail=f"{emulator.description}, plugin interface {emulator.plugin_interface}",
    )
