# SPDX-License-Identifier: MIT
"""`make bench`: print every bound with the figure reached, and exit 1 where one is broken.

PEERS names a directory with other people's programs; what is there is compared with ours.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.bench.bounds import Bound
from tests.bench.commands import time_commands
from tests.bench.observing import measure_observing
from tests.bench.peers_rr import compare_rr
from tests.bench.peers_sending import compare_sending


def measure_bounds() -> Iterator[Bound]:
    """Yield every bound as it is measured."""
    yield from measure_observing()
    yield from time_commands()
    if peers := os.environ.get("PEERS"):
        yield from compare_rr(Path(peers))
        yield from compare_sending(Path(peers))


def main() -> None:
    bounds = []
    for bound in measure_bounds():
        print(bound.line(), flush=True)
        bounds.append(bound)
    kept = sum(bound.is_kept for bound in bounds)
    print(f"{kept} passed, {len(bounds) - kept} failed")
    sys.exit(0 if kept == len(bounds) else 1)


main()
