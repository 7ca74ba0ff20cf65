# SPDX-License-Identifier: MIT
"""A line on the terminal that says how far a run is and how long it may still take."""

from typing import Self

from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress

from sockmeter.cli.printing import stderr
from sockmeter.model.runs import Design, Look


class Progress:
    """Watches a run; draws only on a terminal. Satisfies `rig.conduct.Watcher`."""

    def __init__(self, design: Design) -> None:
        self._drawn = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:.0f}/{task.total:.0f} rounds"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=stderr,
            transient=True,
            disable=not stderr.is_terminal,
            # Drawing costs time that the other CPU may have to give: twice a second is enough.
            refresh_per_second=2,
        )
        self._task = self._drawn.add_task(design.scenario, total=design.looks[0].rounds)

    def __enter__(self) -> Self:
        self._drawn.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._drawn.stop()

    def round_finished(self, kept: int, look: Look, elapsed_s: float) -> None:
        """Move the bar; its end is the next look, where the run may be settled."""
        del elapsed_s  # Rich keeps its own time
        self._drawn.update(self._task, completed=kept, total=look.rounds)


class TimedProgress:
    """Watches something that ends by the clock; draws only on a terminal."""

    def __init__(self, words: str, length_s: float) -> None:
        self._drawn = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:.0f} of {task.total:.0f} s"),
            console=stderr,
            transient=True,
            disable=not stderr.is_terminal,
            refresh_per_second=2,
        )
        self._task = self._drawn.add_task(words, total=length_s)

    def __enter__(self) -> Self:
        self._drawn.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._drawn.stop()

    def advance_to(self, elapsed_s: float) -> None:
        """Move the bar."""
        self._drawn.update(self._task, completed=elapsed_s)
