# SPDX-License-Identifier: MIT
"""What a Linux socket call costs, and whether a change altered it."""

__version__ = "0.1.0"
