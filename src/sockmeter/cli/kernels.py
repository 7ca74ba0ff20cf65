# SPDX-License-Identifier: MIT
"""The kernel store as the verbs use it: found, fetched when it must be, described."""

import os
import sys
from pathlib import Path

from sockmeter.cli.options import OutputFormat
from sockmeter.cli.printing import print_tables
from sockmeter.guest.debian import Wish
from sockmeter.guest.errors import UnknownKernelError
from sockmeter.guest.kernels import Kernel, Store, default_root
from sockmeter.model.errors import PlanError
from sockmeter.report.tables import Cell, Table

DEBIAN = "debian:"
_FLAVOUR = "cloud"


def open_store() -> Store:
    """Return the store of this user."""
    return Store(default_root(os.environ, Path.home()))


def find_or_fetch(store: Store, words: str) -> Kernel:
    """Return the kernel of that name; one of Debian's that is not here yet is fetched."""
    try:
        return store.find(words)
    except UnknownKernelError:
        if not words.startswith(DEBIAN):
            raise
    return _fetch(store, Wish(words.removeprefix(DEBIAN)), name=None)


def only_kernel(store: Store) -> str:
    """Return the name of the only kernel in the store; PlanError for none and for several."""
    kernels = store.list()
    if len(kernels) == 1:
        return kernels[0].record.name
    if not kernels:
        raise PlanError("no kernel to count in", mend="--kernel debian:6.1 fetches one")
    names = ", ".join(kernel.record.name for kernel in kernels)
    raise PlanError(f"{len(kernels)} kernels to count in", mend=f"name one with --kernel: {names}")


def add_kernel(
    words: str, *, flavour: str | None, suite: str | None, modules: Path | None, name: str | None
) -> None:
    """Add one of Debian's kernels, or the bzImage at a path, and say what it is called."""
    store = open_store()
    if words.startswith(DEBIAN):
        if modules is not None:
            raise PlanError("--modules: one of Debian's kernels brings its own")
        _fetch(store, Wish(words.removeprefix(DEBIAN), flavour or _FLAVOUR, suite), name=name)
        return
    for option, value in (("--flavour", flavour), ("--suite", suite)):
        if value is not None:
            raise PlanError(
                f"{option} {value}: {words} is a file", mend="Debian's are named debian:6.1"
            )
    _say_kept(store.add_file(Path(words), modules=modules, name=name))


def print_kernels(format: OutputFormat) -> None:
    """Print the kernels that are here."""
    kernels = open_store().list()
    if not kernels and format is OutputFormat.TEXT:
        print("No kernel yet; sockmeter kernel add debian:6.1 fetches one.")
        return
    rows = [
        [
            kernel.record.name,
            kernel.record.release,
            kernel.id,
            kernel.record.source,
            kernel.record.version,
        ]
        for kernel in kernels
    ]
    table = Table(
        title="Kernels to count in",
        columns=["name", "release", "id", "from", "version"],
        rows=[[Cell(text) for text in row] for row in rows],
        wordy=frozenset(range(5)),
    )
    print_tables({"kernels": table}, format)


def remove_kernel(words: str) -> None:
    """Remove a kernel, and say which."""
    store = open_store()
    kernel = store.find(words)
    store.remove(kernel)
    print(f"removed {kernel.record.name} ({kernel.id})", file=sys.stderr)


def _fetch(store: Store, wish: Wish, *, name: str | None) -> Kernel:
    print(f"fetching Debian's {wish.flavour} kernel {wish.words} …", file=sys.stderr)
    kernel = store.add_debian(wish, name=name)
    _say_kept(kernel)
    return kernel


def _say_kept(kernel: Kernel) -> None:
    record = kernel.record
    print(f"kept as {record.name}: Linux {record.version} ({kernel.id})", file=sys.stderr)
