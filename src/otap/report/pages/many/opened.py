"""What rows open to: a run beside its references, the runs of a task beside each other."""

from collections import Counter
from collections.abc import Sequence

from markupsafe import Markup

from otap.evaluation.explaining import Explainer, Line, Told, Unexplained
from otap.report.pages.many.packs import Packs
from otap.report.pages.many.rows import name_of
from otap.report.pages.many.words import Words
from otap.report.pages.run import run_body
from otap.report.pages.task import task_body
from otap.report.pages.templating import TEMPLATES
from otap.report.redaction import Shown
from otap.report.story.headline import headline
from otap.scoring import Explanation

TOGETHER = 50  # runs of a task beside each other
PREFIX = "open-"  # of ids: one piece is open at a time, and equal texts are packed once


class Opened:
    """The pieces of a page that are seen when they are asked for.

    Args:
        explainer: explains runs.
        shown: how foreign texts are shown.
        words: the tasks of the page.

    Attributes:
        packs: the pieces: ``run-NUMBER`` by line, ``task-NUMBER`` by the number of the task.
        lacking: why runs are without steps, and how many.
        headlines: what went wrong in each run that has steps, by line.
    """

    def __init__(self, explainer: Explainer, shown: Shown, words: Words) -> None:
        self._explainer, self._shown, self._words = explainer, shown, words
        self.packs = Packs()
        self.lacking: Counter[str] = Counter()
        self.headlines: dict[int, str] = {}

    def add_task(self, lines: Sequence[Line]) -> None:
        """Takes in the runs of a task, as far as there is room."""
        known = {line.number: one for line in lines if (one := self._run(line)) is not None}
        found, links = list(known.values()), [f"#run-{number}" for number in known]
        task = lines[0].result.task
        if task is not None and len(found) > 1 and not self.packs.is_full:
            number = self._words.tasks.number(self._shown.task(task))
            together = task_body(found[:TOGETHER], PREFIX, links=links[:TOGETHER])
            self.packs.add(f"task-{number}", together)

    def _run(self, line: Line) -> Explanation | None:
        """Takes in a run; returns its explanation, if it has one."""
        if line.result.error is not None:
            return None
        if self.packs.is_full:
            self.lacking["the page has no room for more"] += 1
            return None
        return self._add(line)

    def _add(self, line: Line) -> Explanation | None:
        told = line.told()
        found = self._explainer.explain(told)
        name = f"run-{line.number}"
        if isinstance(found, Unexplained):
            self.lacking[found.kind] += 1
            self.packs.add(name, _told(line.number, self._shown.told(told), self._why(found)))
            return None
        shown = self._shown.explanation(found)
        self.packs.add(name, run_body(shown, PREFIX))
        self.headlines[line.number] = headline(shown.best)
        return shown

    def _why(self, found: Unexplained) -> str:
        return self._shown.why(found.why)


def _told(number: int, told: Told, why: str) -> Markup:
    """What the result alone says of a run."""
    name = name_of(told, number)
    return TEMPLATES.render("many/told.html", told=told, title=name, why=why)
