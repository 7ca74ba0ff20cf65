# SPDX-License-Identifier: MIT
"""Exit codes that are no errors' (those stand with the errors in model/errors.py)."""

REGRESSION = 10  # a gate saw a resolved regression
OPEN = 11  # a gate saw neither a regression nor its absence
INTERRUPTED = 130  # 128 + SIGINT, as a shell says it
