# SPDX-License-Identifier: MIT
"""Files that a user wrote, plans and rules: their text, or one line that says why there is none."""

from pathlib import Path

from sockmeter.model.errors import PlanError


def read_words(path: Path) -> str:
    """Return the text of a file; PlanError where it cannot be read or is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise PlanError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise PlanError(
            f"{path} cannot be read: no UTF-8 text at offset {error.start}",
            mend="TOML is written in UTF-8",
        ) from error
