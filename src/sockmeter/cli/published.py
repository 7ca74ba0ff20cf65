# SPDX-License-Identifier: MIT
"""Prints an imported measurement; `import` and `show` both do."""

import shlex
import sys
from pathlib import Path

import msgspec

from sockmeter.cli.console import make_stdout
from sockmeter.cli.options import OutputFormat
from sockmeter.cli.outlet import result_outlet
from sockmeter.judge.published import assess_published
from sockmeter.model.errors import JudgementError
from sockmeter.model.imported import ImportedRun
from sockmeter.report.published import make_published_view
from sockmeter.report.published_tables import (
    draw_published,
    draw_published_markdown,
    published_csv,
)


@result_outlet()
def print_published(imported: ImportedRun, format: OutputFormat, *, kept: Path | None) -> None:
    """Print what an imported measurement shows and what it cannot."""
    view = make_published_view(imported, assess_published(imported))
    match format:
        case OutputFormat.TEXT:
            make_stdout().print(draw_published(view))
        case OutputFormat.MARKDOWN:
            print(draw_published_markdown(view), end="")
        case OutputFormat.CSV:
            sys.stdout.write(published_csv(view))
        case OutputFormat.COMMIT:
            raise JudgementError(
                "an imported measurement has no rounds: there is no table for a commit message",
                mend="take --format text or markdown",
            )
        case OutputFormat.JSON:
            print(msgspec.json.encode(view).decode())
    if kept is not None:
        print(f"kept in {kept}; again: sockmeter show {shlex.quote(str(kept))}", file=sys.stderr)
