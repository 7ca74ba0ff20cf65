# SPDX-License-Identifier: MIT
"""The acceptance table as a program: exits 1 when a bound is broken.

python -m tests.simulation.bench [--seed N] [--row NAME] [--jobs N]
"""

import argparse
import sys
from multiprocessing import Pool
from time import perf_counter

from tests.simulation.rows import ROWS, Reached


def main(arguments: list[str]) -> int:
    """Run the rows asked for, print what each reached, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.bench", description=__doc__)
    parser.add_argument("--seed", type=int, default=20260101, help="default: %(default)s")
    parser.add_argument("--row", choices=ROWS, action="append", help="default: all rows")
    parser.add_argument("--jobs", type=int, default=1, help="processes; default: %(default)s")
    asked = parser.parse_args(arguments)
    names = asked.row or list(ROWS)
    started = perf_counter()
    broken = 0
    with Pool(asked.jobs) as pool:
        for outcomes in pool.imap(run_row, [(name, asked.seed) for name in names]):
            for reached in outcomes:
                broken += not reached.holds
                print(line_of(reached), flush=True)
    print(f"seed {asked.seed}: {broken} bounds broken, {perf_counter() - started:.0f} s")
    return 1 if broken else 0


def run_row(row: tuple[str, int]) -> list[Reached]:
    """Run one row with a seed of its own, so that rows do not depend on their company."""
    name, seed = row
    return ROWS[name](1000 * seed + 10 * list(ROWS).index(name))


def line_of(reached: Reached) -> str:
    """Return one line of the table."""
    word = "pass" if reached.holds else "BROKEN"
    return f"{reached.check:52} {reached.bound:>10} {reached.value:12.6g}  {word}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
