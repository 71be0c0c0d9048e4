"""The page of many runs: rows, what stands above them, and what they open to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from markupsafe import Markup

from otap._numbers import count_text
from otap.evaluation import Summary
from otap.evaluation.explaining import Explainer, Line, Night
from otap.report.pages.document import document
from otap.report.pages.many.moved import Before
from otap.report.pages.many.opened import Opened
from otap.report.pages.many.overview import Overview
from otap.report.pages.many.rows import Row, row_of, said_by, urgency
from otap.report.pages.many.tasks import Task, tasks_of
from otap.report.pages.many.words import Words
from otap.report.pages.templating import TEMPLATES
from otap.report.redaction import Shown
from otap.report.story.kinds import kind_word

ROWS = 5_000  # of a page; of more runs it has the worst
OPENED = 2_000  # rows that open, the worst
Tell = Callable[[str, int, int], object]


@dataclass(frozen=True)
class Many:
    """A page of many runs, and what it lacks.

    Attributes:
        html: the page.
        lacking: why rows open without steps, and how many.
        left_out: runs that have no row.
    """

    html: str = field(repr=False)
    lacking: dict[str, int]
    left_out: int


def many_page(
    night: Night,
    explainer: Explainer,
    before: Before | None = None,
    shown: Shown | None = None,
    tell: Tell = lambda *_: None,
) -> Many:
    """Returns the page of a result file.

    Args:
        night: the result file.
        explainer: explains its runs anew.
        before: what they are compared with.
        shown: how foreign texts are shown; None: as they are.
        tell: is told how far it has come.
    """
    return _Page(night.lines, explainer, before, shown or Shown()).made(tell)


class _Page:
    """A page that is being made.

    Args:
        lines: the results.
        explainer: explains them.
        before: what they are compared with.
        shown: how foreign texts are shown.
    """

    def __init__(
        self, lines: Sequence[Line], explainer: Explainer, before: Before | None, shown: Shown
    ) -> None:
        self._lines = sorted(lines, key=lambda line: urgency(line.result))
        self._before, self._shown = before, shown
        self._words = Words()
        self._opened = Opened(explainer, shown, self._words)

    def made(self, tell: Tell) -> Many:
        """Makes it."""
        self._open(tell)
        rows = [self._row(line) for line in self._lines]
        body = self._body(rows)
        html = document(f"OTAP: {count_text(len(rows), 'run')}", body, ["run", "task", "many"])
        return Many(html, dict(self._opened.lacking), len(rows[ROWS:]))

    def _body(self, rows: Sequence[Row]) -> Markup:
        summary = Summary()
        for row in rows:
            summary.add(row.result)
        packs = self._opened.packs.close()
        return TEMPLATES.render(
            "many/page.html",
            rows=rows[:ROWS],
            left_out=len(rows[ROWS:]),
            words=self._words,
            overview=Overview(rows, self._words),
            summary=summary,
            tasks=self._tasks(summary),
            packs=packs,
            lacking=self._opened.lacking,
            kind_word=kind_word,
            **self._moved(),
        )

    def _tasks(self, summary: Summary) -> Sequence[Task]:
        """The tasks, where there are several or there is something to open."""
        tasks = tasks_of(summary, self._words, self._tasks_before(), self._opened.packs)
        return tasks if len(tasks) > 1 or any(task.pack is not None for task in tasks) else []

    def _moved(self) -> dict[str, object]:
        """The comparison with the results from before, and the findings that came or went."""
        if self._before is None:
            return {"moved": None, "changed": []}
        moved = self._shown.comparison(self._before.comparison)
        return {"moved": moved, "changed": [one for one in moved.findings if one.came or one.went]}

    def _open(self, tell: Tell) -> None:
        """Has the worst runs opened, those of a task one after the other."""
        tasks: dict[str | None, list[Line]] = {}
        for line in islice(self._lines, OPENED):
            tasks.setdefault(line.result.task, []).append(line)
        done, of = 0, min(OPENED, len(self._lines))
        for lines in tasks.values():
            self._opened.add_task(sorted(lines, key=lambda line: line.number))
            done += len(lines)
            tell("run", done, of)

    def _row(self, line: Line) -> Row:
        was = self._before.score(line.result) if self._before else None
        pack = self._opened.packs.place(f"run-{line.number}")
        result = self._shown.result(line.result)
        why = self._opened.headlines.get(line.number) or said_by(result)
        return row_of(line.number, result, why, self._words, was, pack)

    def _tasks_before(self) -> dict[str, float]:
        """The mean scores from before, by the names that the page has for tasks."""
        found = self._before.tasks if self._before else {}
        return {self._shown.task(name): score for name, score in found.items()}
