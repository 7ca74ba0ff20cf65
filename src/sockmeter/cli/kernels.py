# SPDX-License-Identifier: MIT
"""The kernel store as the verbs use it: found, fetched when it must be, described."""

import os
import sys
from pathlib import Path

from sockmeter.guest.debian import Wish
from sockmeter.guest.errors import UnknownKernelError
from sockmeter.guest.kernels import Kernel, Store, default_root
from sockmeter.model.errors import PlanError

DEBIAN = "debian:"


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
    return fetch(store, Wish(words.removeprefix(DEBIAN)), name=None)


def fetch(store: Store, wish: Wish, *, name: str | None) -> Kernel:
    """Fetch one of Debian's kernels, and say so."""
    print(f"fetching Debian's {wish.flavour} kernel {wish.words} …", file=sys.stderr)
    kernel = store.add_debian(wish, name=name)
    print(f"kept as {kernel.record.name} ({kernel.record.release})", file=sys.stderr)
    return kernel


def only_kernel(store: Store) -> str:
    """Return the name of the only kernel in the store; PlanError for none and for several."""
    kernels = store.list()
    if len(kernels) == 1:
        return kernels[0].record.name
    if not kernels:
        raise PlanError("no kernel to count in", mend="--kernel debian:6.1 fetches one")
    names = ", ".join(kernel.record.name for kernel in kernels)
    raise PlanError(f"{len(kernels)} kernels to count in", mend=f"name one with --kernel: {names}")
