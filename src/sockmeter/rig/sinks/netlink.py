# SPDX-License-Identifier: MIT
"""What pyroute2 raises, as what Python raises for the same errno."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from pyroute2.netlink.exceptions import NetlinkError  # type: ignore[import-untyped]  # it has no types


@contextmanager
def as_os_error(kind: type[OSError] = OSError) -> Iterator[None]:
    """Raise `kind` in place of every error of netlink or its socket."""
    try:
        yield
    except NetlinkError as error:
        raise kind(error.code, os.strerror(error.code)) from error
    except OSError as error:
        raise kind(error.errno, error.strerror) from error
