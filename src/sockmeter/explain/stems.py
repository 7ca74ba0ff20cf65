# SPDX-License-Identifier: MIT
"""A function's name without what the compiler appended to it.

GCC and Clang put `.constprop.0`, `.isra.0`, `.part.0`, `.cold` and their like behind the name of
what they cloned or split, and do it differently in every build: the stem is what stays. So it is
without `_noprof`, which Linux 6.10 put behind the names of its allocators (include/linux/
alloc_tag.h): they are the same functions.
"""

import re
from functools import cache

_CLONES = re.compile(r"\.(?:constprop|isra|part|cold|lto_priv|llvm)(?=[.\s]|$)[^\s]*")
_UNPROFILED = re.compile(r"_noprof(?=\s|$)")
_PARTS = re.compile(r"\.(?:part|cold)(?=[.\s]|$)")


@cache
def stem(name: str) -> str:
    """Return `name` without such suffixes; a module's ` [name]` stays."""
    return _UNPROFILED.sub("", _CLONES.sub("", name, count=1))


@cache
def is_part(name: str) -> bool:
    """Whether `name` is a piece split off a function, so that entering it is no call of its own."""
    return _PARTS.search(name) is not None
