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


class _Bar:
    """A bar on standard error, if that is a terminal.

    It draws when it is told something, without a thread: processes are forked beside it.
    """

    def __init__(self) -> None:
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Clears the bar."""
        if self._bar is not None:
            self._bar.stop()

    def _draw(self, completed: int | None, total: int | None, done: str, rate: str = "") -> None:
        """Draws it; without a total it moves to and fro."""
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            texts = TextColumn("{task.fields[done]}"), TextColumn("{task.fields[rate]}")
            self._bar = Progress(
                BarColumn(20), *texts, TimeRemainingColumn(),
                console=Console(stderr=True), auto_refresh=False, transient=True,
            )  # fmt: skip
            self._bar.add_task("", total=total, done="", rate="")
            self._bar.start()
        task = self._bar.task_ids[0]
        self._bar.update(task, completed=completed, total=total, done=done, rate=rate)
        self._bar.refresh()


class Watch(_Bar):
    """Tells how far an evaluation has come, and how long it took if it came to its end."""

    def __init__(self) -> None:
        super().__init__()
        self._begun = time.monotonic()
        self._drawn = 0.0
        self._last: Progress | None = None

    def tell(self, progress: "Progress") -> None:
        """Draws how far it has come, if there is a terminal."""
        self._last, now = progress, time.monotonic()
        if not sys.stderr.isatty() or now - self._drawn < PAUSE:
            return
        self._drawn = now
        rate = f"{number_text(progress.runs / max(now - self._begun, 1e-9))} runs a second"
        done = f"{number_text(progress.before + progress.runs)} runs"
        self._draw(progress.bytes, progress.all_bytes, done=done, rate=rate)

    def __exit__(self, error: object = None, *_: object) -> None:
        super().__exit__()
        if error is not None:
            return
        runs, before = (self._last.runs, self._last.before) if self._last else (0, 0)
        seconds = max(time.monotonic() - self._begun, 1e-9)
        took = f"{count_text(runs, 'run')} in {tenths_text(seconds)} s"
        rate = f"{took}, {number_text(runs / seconds)} a second"
        say(rate + (f"; {number_text(before)} were done before" if before else ""))


class Parts(_Bar):
    """Tells how far some work in parts has come.

    Args:
        first: what is done before there are parts.
        what: what becomes of each part; all else that it is told of is done within one.
    """

    def __init__(self, first: str, what: str) -> None:
        super().__init__()
        self._text, self._what = first, what

    def tell(self, what: str, done: int, of: int) -> None:
        """Draws how far it has come, if there is a terminal.

        Args:
            what: what is done with parts, or with runs within one.
            done: with how many.
            of: of how many.
        """
        if not sys.stderr.isatty():
            return
        text = f"{what} {number_text(done)} of {number_text(of)}"
        if what == self._what:
            self._text = text
            self._draw(done, of, done=text)
        else:
            self._draw(None, None, done=f"{self._text}; {text}")
