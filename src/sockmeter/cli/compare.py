# SPDX-License-Identifier: MIT
"""`sockmeter compare`: two arms of one run file, or run files against run files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sockmeter.cli import counted_options, exit_codes, options
from sockmeter.model.errors import PlanError


def compare(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="Run files.", show_default=False)
    ],
    against: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE…", help="Run files of the other side; all words up to the next option."
        ),
    ] = None,
    arms: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Two arms of one file, by label or number from 1."),
    ] = None,
    functions: counted_options.Functions = False,
    tree: counted_options.Tree = False,
    mechanisms: counted_options.Mechanisms = False,
    rules: counted_options.Rules = None,
    flame: counted_options.Flame = None,
    effect: options.Effect = None,
    rate: options.Rate = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            metavar="slower[:X%]",
            help=f"Exit {exit_codes.REGRESSION} on a resolved regression, {exit_codes.OPEN} where "
            "neither it nor its absence is resolved.",
        ),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write JUnit XML of the gate.")
    ] = None,
    github: Annotated[
        bool, typer.Option("--github", help="Print GitHub annotations of the gate on stderr.")
    ] = False,
    format: options.Format = options.OutputFormat.TEXT,
) -> None:
    """Compare two arms of one run, or runs before a change against runs after it.

    sockmeter compare run.jsonl --arms recvfrom,recvmsg

    sockmeter compare before*.jsonl --against after*.jsonl --fail-on slower:1%
    """
    from sockmeter.cli.comparing import compare_arms, compare_files
    from sockmeter.cli.counted import print_counted
    from sockmeter.cli.counted_comparing import compare_counted, read_counted
    from sockmeter.cli.counted_explaining import Wish
    from sockmeter.cli.gating import open_gate, pass_gate
    from sockmeter.cli.printing import print_views
    from sockmeter.report.amdahl import with_rate

    gate = open_gate(fail_on, junit, github=github)
    counted = read_counted([*files, *(against or [])])
    if counted is not None:
        exact = compare_counted(files, against or [], counted, arms)
        wish = Wish(functions=functions, tree=tree, mechanisms=mechanisms, rules=rules, flame=flame)
        print_counted(exact.run, format, wish, against=exact.against, labels=exact.labels)
        pass_gate(gate, exact.verdicts, [])
        return
    if against:
        if arms is not None:
            raise PlanError("--arms picks from one run file", mend="leave out --against")
        comparison = compare_files(files, against, effect)
    else:
        comparison = compare_arms(files, arms, effect)
    view = with_rate(comparison.view, rate)
    print_views([view], format)
    pass_gate(gate, comparison.verdicts, view.doubts)


def spread_option(words: Sequence[str], option: str) -> list[str]:
    """Return the command line with `option a b c` written as `option a option b option c`.

    A shell turns `--against after*.jsonl` into many words; Click gives an option only one.
    """
    spread: list[str] = []
    taken: int | None = None  # words that the option has had so far
    for word in words:
        if taken is not None and not word.startswith("-"):
            spread += [option, word] if taken else [word]
            taken += 1
            continue
        if taken == 0:
            break
        spread.append(word)
        taken = 0 if word == option else None
    if taken == 0:
        raise PlanError(f"{option} names no file", mend="name one or more behind it")
    return spread
