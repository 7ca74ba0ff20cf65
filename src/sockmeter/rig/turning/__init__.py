# SPDX-License-Identifier: MIT
"""Settings of the machine that arms differ by: turned for a segment, then put back."""

from sockmeter.rig.turning.journal import Journal, restore_leftovers
from sockmeter.rig.turning.stage import Stage, open_stage

__all__ = ["Journal", "Stage", "open_stage", "restore_leftovers"]
