# SPDX-License-Identifier: MIT
"""Benchmarks: what sockmeter itself costs, as differences and ratios measured in one run."""
