# SPDX-License-Identifier: MIT
"""The whole of a run file as one JSON object: what its lines hold, the rounds inside the run."""

import msgspec

from sockmeter.files.runfile import FORMAT, VERSION
from sockmeter.model.counted import CountedRun
from sockmeter.model.imported import ImportedRun
from sockmeter.model.runs import Run


def write_json(measurement: Run | ImportedRun | CountedRun) -> str:
    """Return the object; its fields are those of docs/run-file.md."""
    key = {ImportedRun: "imported", CountedRun: "counted", Run: "run"}[type(measurement)]
    whole = {"format": FORMAT, "version": VERSION, key: measurement}
    return msgspec.json.encode(whole).decode() + "\n"
