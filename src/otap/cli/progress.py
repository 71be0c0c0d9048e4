"""The progress of many runs: a bar on a terminal, or a line at the end."""

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, Any, Self

from otap._numbers import count_text, decimal_text, number_text
from otap.cli.output import say

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from otap.evaluation import Progress

FIRST = 1.0  # seconds after which the elapsed time is shown
SLOW = 9.5  # runs in a second; rates below are shown with a digit after the point
INTERVAL = 0.1  # seconds between two updates of the bar


class _Bar:
    """A bar on standard error, if this is a terminal.

    It has no thread, because processes are forked while it is shown. Updates draw it.
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
        """Draws the bar; without a total it pulses."""
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


class EvaluationProgress(_Bar):
    """Shows the progress of an evaluation, and its duration when it has finished."""

    def __init__(self) -> None:
        super().__init__()
        self._started = time.monotonic()
        self._updated = 0.0
        self._last: Progress | None = None

    def update(self, progress: "Progress") -> None:
        """Draws the progress, if there is a terminal."""
        self._last, now = progress, time.monotonic()
        if not sys.stderr.isatty() or now - self._updated < INTERVAL:
            return
        self._updated = now
        seconds = max(now - self._started, 1e-9)
        rate = _rate_text(progress.runs / seconds)
        done = f"{number_text(progress.before + progress.runs)} runs"
        self._draw(progress.bytes, progress.all_bytes, done=done, rate=rate)

    @property
    def is_resumed(self) -> bool:
        """Whether some runs were finished before."""
        return self._last is not None and self._last.before > 0

    def __exit__(self, error: object = None, *_: object) -> None:
        super().__exit__()
        if error is not None:
            return
        runs, before = (self._last.runs, self._last.before) if self._last else (0, 0)
        seconds = max(time.monotonic() - self._started, 1e-9)
        duration = f"{count_text(runs, 'run')} in {decimal_text(seconds)} s"
        rate = _rate_text(runs / seconds)
        say(
            ", ".join(filter(None, (duration, rate)))
            + (f"; {number_text(before)} were finished before" if before else "")
        )


class Elapsed:
    """Shows the seconds of work that has no parts, from the second second on, on a terminal.

    It has a timer of the system and no thread, because processes are forked while it is shown.

    Args:
        activity: the work, as in "scoring 300 runs".
    """

    def __init__(self, activity: str) -> None:
        self._activity = activity
        self._handler: Any = None
        self._started = 0.0
        self._width = 0

    def __enter__(self) -> Self:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and hasattr(signal, "setitimer") and sys.stderr.isatty():
            self._started = time.monotonic()
            self._handler = signal.signal(signal.SIGALRM, self._draw)
            signal.setitimer(signal.ITIMER_REAL, FIRST, 1)
        return self

    def _draw(self, _number: int, _frame: FrameType | None) -> None:
        seconds = round(time.monotonic() - self._started)
        self._write(f"otap: {self._activity}, {count_text(seconds, 'second')}")

    def _write(self, text: str) -> None:
        """Replaces the line; a signal must not use the stream that it may have interrupted."""
        padded, self._width = text.ljust(self._width), len(text)
        with suppress(OSError, ValueError):
            os.write(sys.stderr.fileno(), f"\r{padded}\r".encode(errors="replace"))

    def __exit__(self, *_: object) -> None:
        """Stops, and clears the line."""
        if self._handler is None:
            return
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._handler)
        if self._width:
            self._write("")


def _rate_text(rate: float) -> str:
    """Returns a number of runs in a second; below 1, the seconds of a run; empty without a run."""
    if rate == 0:
        return ""
    if 0 < rate < 1:
        return f"{decimal_text(1 / rate)} s/run"
    if rate < SLOW:
        return f"{decimal_text(rate)} runs/s"
    return f"{count_text(round(rate), 'run')}/s"


class Parts(_Bar):
    """Shows the progress of work that has several parts.

    Args:
        activity: the activity before the first part.
        unit: the noun or verb of a part; updates about anything else are within a part.
    """

    def __init__(self, activity: str, unit: str) -> None:
        super().__init__()
        self._text, self._unit = activity, unit

    def update(self, unit: str, done: int, total: int) -> None:
        """Draws the progress, if there is a terminal.

        Args:
            unit: the unit that is counted: parts, or runs within a part.
            done: the finished number of units.
            total: the number of all units.
        """
        if not sys.stderr.isatty():
            return
        text = f"{unit} {number_text(done)} of {number_text(total)}"
        if unit == self._unit:
            self._text = text
            self._draw(done, total, done=text)
        else:
            self._draw(None, None, done=f"{self._text}; {text}")
