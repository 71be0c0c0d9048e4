"""How far many runs have come: a bar on a terminal, a line at the end elsewhere."""

import sys
import time
from typing import TYPE_CHECKING, Self

from otap._numbers import count_text, number_text, tenths_text
from otap.cli.output import say

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from otap.evaluation import Progress

PAUSE = 0.1  # seconds between two drawings


class Watch:
    """Tells how far it has come, on standard error.

    It draws when it is told something, without a thread: processes are forked beside it.
    """

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._drawn = 0.0
        self._last: Progress | None = None
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        return self

    def tell(self, progress: "Progress") -> None:
        """Draws how far it has come, if there is a terminal."""
        self._last, now = progress, time.monotonic()
        if not sys.stderr.isatty() or now - self._drawn < PAUSE:
            return
        self._drawn = now
        if self._bar is None:
            self._bar = _drawn(progress.all_bytes)
        rate = f"{number_text(progress.runs / max(now - self._begun, 1e-9))} runs a second"
        done = f"{number_text(progress.before + progress.runs)} runs"
        self._bar.update(self._bar.task_ids[0], completed=progress.bytes, done=done, rate=rate)
        self._bar.refresh()

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        """Clears the bar, and says how long it took if it came to its end."""
        if self._bar is not None:
            self._bar.stop()
        if error is None:
            self._say()

    def _say(self) -> None:
        runs, before = (self._last.runs, self._last.before) if self._last else (0, 0)
        seconds = max(time.monotonic() - self._begun, 1e-9)
        took = f"{count_text(runs, 'run')} in {tenths_text(seconds)} s"
        rate = f"{took}, {number_text(runs / seconds)} a second"
        say(rate + (f"; {number_text(before)} were done before" if before else ""))


class Parts:
    """Tells how far some work in parts has come, on standard error if it is a terminal.

    Args:
        first: what is done before there are parts.
        what: what becomes of each part; all else that it is told of is done within one.
    """

    def __init__(self, first: str, what: str) -> None:
        self._text, self._what = first, what
        self._within = ""
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        return self

    def tell(self, what: str, done: int, of: int) -> None:
        """Draws how far it has come, if there is a terminal.

        Args:
            what: what is done with parts, or with runs within one.
            done: with how many.
            of: of how many.
        """
        if not sys.stderr.isatty():
            return
        if self._bar is None:
            self._bar = _drawn(None)  # it moves to and fro, until there are parts
        if what == self._what:
            self._text, self._within = f"{what} {number_text(done)} of {number_text(of)}", ""
            self._bar.update(self._bar.task_ids[0], completed=done, total=of)
        else:
            self._within = f"{what} {number_text(done)} of {number_text(of)}"
        said = "; ".join(filter(None, (self._text, self._within)))
        self._bar.update(self._bar.task_ids[0], done=said)
        self._bar.refresh()

    def __exit__(self, *_: object) -> None:
        """Clears the bar."""
        if self._bar is not None:
            self._bar.stop()


def _drawn(total: int | None) -> "Bar":
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = TextColumn("{task.fields[done]}"), TextColumn("{task.fields[rate]}")
    bar = Bar(
        BarColumn(20), *columns, TimeRemainingColumn(),
        console=Console(stderr=True), auto_refresh=False, transient=True,
    )  # fmt: skip
    bar.add_task("", total=total, done="", rate="")
    bar.start()
    return bar
