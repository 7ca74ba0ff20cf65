# SPDX-License-Identifier: MIT
"""Finds the probe and runs it once: a plan in, its whole output back."""

import os
import signal
import subprocess
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Protocol

from sockmeter.model.errors import ProbeError

ENVIRONMENT_VARIABLE = "SOCKMETER_PROBE"

# A round is tens of milliseconds, besides what goes by the clock; one that takes this long hangs.
TIME_LIMIT_S = 120.0
SHORTER = "take fewer --calls, or a smaller --size, --batch or --limit"


class Probe(Protocol):
    """The one seam between the schedule and the machine."""

    def run(self, plan: str, *, paced_s: float = 0.0) -> bytes:
        """Run a fresh process on `plan` and return its standard output; ProbeError if it died.

        `paced_s` is how long the plan takes by the clock, whatever the machine.
        """
        ...


class LocalProbe:
    """The static executable, in a fresh process each time."""

    def __init__(self, path: Path, namespaces: Sequence[int] = ()) -> None:
        self.path = path
        self._namespaces = namespaces

    def inside(self, namespaces: Sequence[int]) -> "LocalProbe":
        """Return the same executable in the namespaces of these descriptors, joined in order."""
        return LocalProbe(self.path, namespaces)

    def run(self, plan: str, *, paced_s: float = 0.0) -> bytes:
        """Run the executable on this machine; a probe that is interrupted is killed, not left."""
        try:
            finished = subprocess.run(
                [self.path, *self._words()],
                input=plan.encode(),
                capture_output=True,
                timeout=TIME_LIMIT_S + paced_s,
                check=False,
                # Ctrl-C is ours to handle: a terminal would send it to the probe as well.
                start_new_session=True,
                pass_fds=self._namespaces,
            )
        except OSError as error:
            raise ProbeError(
                f"the probe {self.path} cannot be run: {error.strerror}",
                mend="rebuild it: make measure",
            ) from error
        except subprocess.TimeoutExpired as error:
            raise ProbeError(
                f"the probe did not finish a round within {TIME_LIMIT_S + paced_s:.0f} s",
                mend=SHORTER,
            ) from error
        if finished.returncode < 0:
            name = signal.strsignal(-finished.returncode) or "a real-time signal"
            raise ProbeError(
                f"the probe was killed by signal {-finished.returncode} ({name}) in the middle of "
                "a round"
            )
        return finished.stdout

    def _words(self) -> list[str]:
        return [word for each in self._namespaces for word in ("--namespace", str(each))]


def find_probe() -> LocalProbe:
    """Return the probe of this installation, or the one that SOCKMETER_PROBE names."""
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    path = Path(named) if named else _installed()
    if not path.is_file():
        where = f"{ENVIRONMENT_VARIABLE}={named}" if named else "this installation"
        raise ProbeError(
            f"no probe in {where}: {path} is not a file",
            mend=f"install sockmeter with pip, or name a built probe in {ENVIRONMENT_VARIABLE}",
        )
    return LocalProbe(path)


def _installed() -> Path:
    return Path(str(resources.files("sockmeter"))) / "bin" / "sockmeter-probe"
