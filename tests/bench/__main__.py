# SPDX-License-Identifier: MIT
"""`make bench`: print every bound with the figure reached, and exit 1 where one is broken."""

import sys

from tests.bench.bounds import Bound
from tests.bench.commands import time_commands
from tests.bench.observing import measure_observing


def main() -> None:
    bounds: list[Bound] = [*measure_observing(), *time_commands()]
    for bound in bounds:
        print(bound.line(), flush=True)
    kept = sum(bound.is_kept for bound in bounds)
    print(f"{kept} passed, {len(bounds) - kept} failed")
    sys.exit(0 if kept == len(bounds) else 1)


main()
