# SPDX-License-Identifier: MIT
"""Names of functions with `*` for any text; brackets, as of modules, stand for themselves."""

import re
from collections.abc import Iterable


def compile_patterns(patterns: Iterable[str]) -> re.Pattern[str]:
    """Return what fully matches a name that fits any of the patterns."""
    alternatives = (re.escape(pattern).replace(r"\*", ".*") for pattern in patterns)
    return re.compile("|".join(f"(?:{each})" for each in alternatives))
