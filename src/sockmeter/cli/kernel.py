# SPDX-License-Identifier: MIT
"""`sockmeter kernel`: the kernels that `count` can boot."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sockmeter.cli import options

app = typer.Typer(
    name="kernel",
    help="Add, list and remove the kernels that count can boot.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


class Flavour(StrEnum):
    """Debian's builds of a kernel; as guest.debian.FLAVOURS, which `--help` need not wait for."""

    CLOUD = "cloud"
    GENERIC = "generic"
    RT = "rt"


@app.command()
def add(
    kernel: Annotated[
        str,
        typer.Argument(
            metavar="debian:VERSION|PATH",
            help="debian:6.1, debian:6.12.57-1, debian:linux-image-… or a bzImage.",
            show_default=False,
        ),
    ],
    flavour: Annotated[
        Flavour | None, typer.Option(help="Debian's build.  [default: cloud]", show_default=False)
    ] = None,
    suite: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Debian's suite.  [default: this machine's, and the one of the series]",
            show_default=False,
        ),
    ] = None,
    modules: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Modules of a bzImage: what make modules_install INSTALL_MOD_PATH=DIR filled.",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What to call it.  [default: its version]"),
    ] = None,
) -> None:
    """Add a kernel: one of Debian's, fetched with apt and not installed, or one of your own."""
    from sockmeter.cli.kernels import add_kernel

    add_kernel(
        kernel,
        flavour=None if flavour is None else flavour.value,
        suite=suite,
        modules=modules,
        name=name,
    )


@app.command("list")
def list_kernels(format: options.Format = options.OutputFormat.TEXT) -> None:
    """List the kernels that are here."""
    from sockmeter.cli.kernels import print_kernels

    print_kernels(format)


@app.command()
def remove(
    kernel: Annotated[
        str, typer.Argument(help="Name, release or beginning of the id.", show_default=False)
    ],
) -> None:
    """Remove a kernel."""
    from sockmeter.cli.kernels import remove_kernel

    remove_kernel(kernel)
