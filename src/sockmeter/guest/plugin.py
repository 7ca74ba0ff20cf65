# SPDX-License-Identifier: MIT
"""Where the counting plugin for an emulator is."""

import os
from importlib import resources
from pathlib import Path

from sockmeter.guest.errors import TallyMissingError

ENVIRONMENT_VARIABLE = "SOCKMETER_TALLY"


def find_plugin(interface: int) -> Path:
    """Return the plugin for that version of QEMU's plugin interface.

    It is the one of this installation, or in the directory that SOCKMETER_TALLY names. Raises
    TallyMissingError where there is none.
    """
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    directory = Path(named) if named else Path(str(resources.files("sockmeter"))) / "lib"
    path = directory / f"tally-{interface}.so"
    if not path.is_file():
        raise TallyMissingError(
            f"the counting plugin is not there: {path}",
            mend=f"install sockmeter with pip, or name its directory in {ENVIRONMENT_VARIABLE}",
        )
    return path
