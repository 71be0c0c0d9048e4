"""Many runs as a page: what they say together, then one row a run, which opens to its steps."""

import base64
import json
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from markupsafe import Markup

from otap._numbers import count_text
from otap._patterns import regex
from otap.evaluation.explaining import Explainer, Line, Unexplained
from otap.report.model.headline import list_clauses
from otap.report.model.marks import CallMarks
from otap.report.pages.document import render_document
from otap.report.pages.overview import (
    Before,
    RunRow,
    blame_result,
    judge_result,
    make_words,
    number_findings,
    rank_result,
    survey_rows,
)
from otap.report.pages.run import run_body
from otap.report.pages.task import task_body
from otap.report.redaction import Redactor
from otap.report.rendering import render_template
from otap.scoring import Explanation

ROWS = 5_000  # of a page; of more runs it has the worst
OPENED = 2_000  # rows that open, the worst
TOGETHER = 50  # runs of a task beside each other
PREFIX = "open-"  # of ids: one piece is open at a time, and equal texts are packed once
PACK = 5_000_000  # characters of markup in one pack, which is unpacked as a whole
MOST = 24_000_000  # characters of all packs of a page
_BEFORE_A_TAG = regex(r"(?=<)")
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
    lines: Sequence[Line],
    explainer: Explainer,
    before: Before | None = None,
    redactor: Redactor | None = None,
    tell: Tell = lambda *_: None,
) -> Many:
    """Returns the page of a result file.

    Args:
        lines: the results of a file.
        explainer: explains its runs anew.
        before: what they are compared with.
        redactor: hides what runs say; None: it is shown.
        tell: is told how far it has come.
    """
    lines = sorted(lines, key=lambda line: rank_result(line.result))
    page = _Page(explainer, before, redactor)
    tasks: dict[str | None, list[Line]] = {}
    for line in islice(lines, OPENED):
        tasks.setdefault(line.result.task, []).append(line)
    done, of = 0, min(OPENED, len(lines))
    for some in tasks.values():
        page.add_task(sorted(some, key=lambda line: line.number))
        done += len(some)
        tell("run", done, of)
    rows = [page.describe_line(line) for line in lines]
    return Many(page.render(rows), dict(page.lacking), len(rows[ROWS:]))


class _Page:
    """A page that is being made.

    Attributes:
        lacking: why runs are without steps, and how many.
    """

    def __init__(
        self, explainer: Explainer, before: Before | None, redactor: Redactor | None
    ) -> None:
        self._explainer, self._before = explainer, before
        self._redactor = redactor
        self._packs, self._words = Packs(), make_words()
        self._headlines: dict[int, str] = {}
        self.lacking: Counter[str] = Counter()

    def _show(self, value: Any) -> Any:
        return self._redactor.redact(value) if self._redactor else value

    def _show_task(self, name: str) -> str:
        return self._redactor.hide_name("task", name) if self._redactor else name

    def add_task(self, lines: Sequence[Line]) -> None:
        """Has the runs of a task opened, as far as there is room: each alone, and side by side."""
        known = {line.number: one for line in lines if (one := self._add_run(line)) is not None}
        found, links = list(known.values()), [f"#run-{number}" for number in known]
        task = lines[0].result.task
        if task is not None and len(found) > 1 and not self._packs.is_full:
            number = self._words["tasks"][self._show_task(task)]
            body = task_body(found[:TOGETHER], PREFIX, links=links[:TOGETHER])
            self._packs.add(f"task-{number}", body)

    def _add_run(self, line: Line) -> Explanation | None:
        """Has a run opened; returns its explanation, if it has one."""
        if line.result.error is not None:
            return None
        if self._packs.is_full:
            self.lacking["the page has no room for more"] += 1
            return None
        told = line.full_result()
        found, name = self._explainer.explain(told), f"run-{line.number}"
        if isinstance(found, Unexplained):
            self.lacking[found.kind] += 1
            told = self._show(told)
            why = "the reason is hidden" if self._redactor else found.why
            given = {"told": told, "title": told.name, "why": why}
            self._packs.add(name, render_template("many/told.html", **given))
            return None
        shown: Explanation = self._show(found)
        self._packs.add(name, run_body(shown, PREFIX))
        self._headlines[line.number] = "; ".join(list_clauses(CallMarks(shown.best))) + "."
        return shown

    def describe_line(self, line: Line) -> RunRow:
        """Returns the row of a result."""
        result = self._show(line.result)
        return RunRow(
            number=line.number,
            result=result,
            name=result.name,
            severity=judge_result(result),
            why=self._headlines.get(line.number) or blame_result(result),
            found=number_findings(result.findings, self._words),
            task=self._words["tasks"][result.task or ""],
            was=self._before.find_score(line.result) if self._before else None,
            pack=self._packs.places.get(f"run-{line.number}"),
        )

    def render(self, rows: Sequence[RunRow]) -> str:
        """Returns the page."""
        packs, overview = self._packs.close(), survey_rows(rows, self._words)
        moved = self._show(self._before.comparison) if self._before else None
        was = self._before.tasks if self._before else {}
        body = render_template(
            "many/page.html",
            rows=rows[:ROWS],
            left_out=len(rows[ROWS:]),
            overview=overview,
            tasks=[one for one in overview["summary"].by_task() if one[0] is not None],
            tasks_before={self._show_task(name): score for name, score in was.items()},
            places=self._packs.places,
            packs=packs,
            lacking=self.lacking,
            moved=moved,
            changed=[one for one in moved.findings if one.came or one.went] if moved else [],
        )
        title = f"OTAP: {count_text(len(rows), 'run')}"
        return render_document(title, body, ["run", "task", "many"])


class Packs:
    """Pieces of a page by name, compressed: a page of many runs stays small and opens at once.

    Markup of runs repeats itself, also farther apart than zlib looks: each pack has its tags and
    texts once, and of each piece their numbers.

    Attributes:
        places: the pack that each piece is in.
    """

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self._done: list[str] = []
        self._texts: dict[str, int] = {}
        self._pieces: dict[str, list[int]] = {}
        self._size = 0

    def add(self, name: str, piece: Markup) -> None:
        """Takes a piece in."""
        self.places[name] = len(self._done)
        parts = _BEFORE_A_TAG.split(str(piece))
        self._pieces[name] = [self._texts.setdefault(one, len(self._texts)) for one in parts]
        self._size += len(piece)
        if self._size >= PACK:
            self._compress()

    def close(self) -> Sequence[str]:
        """Returns the packs: base64 of what zlib made of JSON, a list of texts and the pieces."""
        if self._pieces:
            self._compress()
        return self._done

    @property
    def is_full(self) -> bool:
        """Whether a page should have no more of them."""
        return sum(map(len, self._done)) >= MOST

    def _compress(self) -> None:
        data = [list(self._texts), self._pieces]
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        packed = zlib.compress(text.encode("utf-8", "replace"), 9)
        self._done.append(base64.b64encode(packed).decode())
        self._texts, self._pieces, self._size = {}, {}, 0
