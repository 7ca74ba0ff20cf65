# SPDX-License-Identifier: MIT
"""The command `sockmeter`: its verbs, and the one place where errors become exit codes.

The verbs' modules import what measures and judges only when they are called, so that `--help`
answers at once.
"""

import sys

import typer

from sockmeter import __version__
from sockmeter.cli.compare import compare, spread_option
from sockmeter.cli.count import count
from sockmeter.cli.doctor import doctor
from sockmeter.cli.exporting import export
from sockmeter.cli.importing import import_file
from sockmeter.cli.kernel import app as kernel_app
from sockmeter.cli.listing import list_words
from sockmeter.cli.outlet import speak_utf8
from sockmeter.cli.run import run
from sockmeter.cli.selftest import selftest
from sockmeter.cli.show import show
from sockmeter.cli.survey import survey
from sockmeter.model.errors import SockmeterError

EPILOG = (
    "Exit codes: 0 done · 2 the request makes no sense · 3 this machine cannot · 4 a run file is "
    "not readable · 5 a result could not be written · 6 the probe failed · 7 not decidable · "
    "8 a kernel failed · 10 a regression is resolved · 11 it is not resolved · "
    "130 interrupted, finished rounds kept."
)

app = typer.Typer(
    name="sockmeter",
    help="What a Linux socket call costs here, and whether a change altered it.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # rich's own markup takes a help's [default: 64] for a style
)
app.command()(survey)
app.command()(run)
app.command()(count)
app.add_typer(kernel_app)
app.command()(show)
app.command()(compare)
app.command()(selftest)
app.command()(doctor)
app.command("list")(list_words)
app.command("import")(import_file)
app.command()(export)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        print(f"sockmeter {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """What a Linux socket call costs here, and whether a change altered it."""


def main() -> None:
    """Run the command line; every expected failure is one line on stderr and an exit code."""
    speak_utf8()
    try:
        app(args=spread_option(sys.argv[1:], "--against"))
    except BrokenPipeError:  # the reader of stdout went away: no fault, and nobody to tell
        sys.stderr.close()
    except SockmeterError as error:
        print(f"sockmeter: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
