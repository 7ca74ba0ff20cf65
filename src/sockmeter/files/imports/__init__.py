# SPDX-License-Identifier: MIT
"""Readers of what other tools and people publish, one module a form; `reading` is the way in."""
