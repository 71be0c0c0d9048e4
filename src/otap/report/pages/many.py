"""The page of many runs: totals first, then a row for each run, which opens to its steps."""

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
from otap.evaluation.explaining import Explainer, ResultLine, Unexplained
from otap.report.model.headline import list_clauses
from otap.report.model.marks import CallMarks
from otap.report.pages.document import render_document
from otap.report.pages.overview import (
    Base,
    RunRow,
    explain_result,
    judge_result,
    make_numbering,
    number_findings,
    rank_result,
    survey_rows,
)
from otap.report.pages.run_page import run_body
from otap.report.pages.task import task_body
from otap.report.redaction import Redactor
from otap.report.rendering import render_template
from otap.scoring import Explanation
from otap.scoring.explanation import EXPLAINED

ROWS = 5_000  # of a page; of more runs, the worst are shown
MAX_OPENED = 2_000  # rows with details, the worst
MAX_REFERENCES = 200  # that all runs are explained against; each run has at least its nearest
MAX_LANES = 50  # runs of a task in one grid
PREFIX = "open-"  # of element ids; only one piece is open at a time, so equal texts are packed once
PACK = 5_000_000  # characters of markup in one pack, which is unpacked as a whole
MAX_PACKED = 24_000_000  # characters of all packs of a page
_BEFORE_A_TAG = regex(r"(?=<)")
Progress = Callable[[str, int, int], object]  # of a noun, the number done and the total


@dataclass(frozen=True)
class ManyRunsPage:
    """A page of many runs.

    Attributes:
        html: the page.
        without_steps: the number of rows without details, by reason.
        left_out: the number of runs without a row.
    """

    html: str = field(repr=False)
    without_steps: dict[str, int]
    left_out: int


def many_page(
    lines: Sequence[ResultLine],
    explainer: Explainer,
    base: Base | None = None,
    redactor: Redactor | None = None,
    report_progress: Progress = lambda *_: None,
) -> ManyRunsPage:
    """Returns the page of a result file.

    Args:
        lines: the results of the file.
        explainer: explains its runs again.
        base: earlier results to compare with (default: none).
        redactor: hides texts and values (default: nothing is hidden).
        report_progress: is called after each task.
    """
    lines = sorted(lines, key=lambda line: rank_result(line.result))
    opened = min(MAX_OPENED, len(lines))
    most = min(EXPLAINED, max(1, MAX_REFERENCES // max(opened, 1)))
    page = _PageBuilder(explainer, base, redactor, most)
    tasks: dict[str | None, list[ResultLine]] = {}
    for line in islice(lines, opened):
        tasks.setdefault(line.result.task, []).append(line)
    done = 0
    for task_lines in tasks.values():
        page.add_task(sorted(task_lines, key=lambda line: line.number))
        done += len(task_lines)
        report_progress("run", done, opened)
    rows = [page.describe_line(line) for line in lines]
    return ManyRunsPage(page.render(rows), dict(page.without_steps), len(rows[ROWS:]))


class _PageBuilder:
    """Builds the page of many runs.

    Args:
        explainer: explains the runs again.
        base: earlier results; None: none.
        redactor: hides texts and values; None: nothing is hidden.
        most: the maximum number of references of a run with details, the nearest first.

    Attributes:
        without_steps: the number of runs without details, by reason.
    """

    def __init__(
        self, explainer: Explainer, base: Base | None, redactor: Redactor | None, most: int
    ) -> None:
        self._explainer, self._base = explainer, base
        self._redactor, self._most = redactor, most
        self._packs, self._numbering = Packs(), make_numbering()
        self._headlines: dict[int, str] = {}
        self.without_steps: Counter[str] = Counter()

    def _redact(self, record: Any) -> Any:
        return self._redactor.redact(record) if self._redactor else record

    def _redact_task(self, name: str) -> str:
        return self._redactor.hide_name("task", name) if self._redactor else name

    def add_task(self, lines: Sequence[ResultLine]) -> None:
        """Adds the details of the runs of a task, and their grid, as far as there is room."""
        explanations, links = [], []
        for line in lines:
            explanation = self._add_run(line)
            if explanation is not None:
                explanations.append(explanation)
                links.append(f"#run-{line.number}")
        task = lines[0].result.task
        if task is not None and len(explanations) > 1 and not self._packs.is_full:
            number = self._numbering["tasks"][self._redact_task(task)]
            body = task_body(explanations[:MAX_LANES], PREFIX, links=links[:MAX_LANES])
            self._packs.add(f"task-{number}", body)

    def _add_run(self, line: ResultLine) -> Explanation | None:
        """Adds the details of a run, and returns its explanation if it has one."""
        if line.result.error is not None:
            return None
        if self._packs.is_full:
            self.without_steps["the page is full"] += 1
            return None
        result = line.full_result()
        explanation, name = self._explainer.explain(result, self._most), f"run-{line.number}"
        if isinstance(explanation, Unexplained):
            self.without_steps[explanation.kind] += 1
            result = self._redact(result)
            reason = "the reason is hidden" if self._redactor else explanation.why
            body = render_template("many/unexplained.html", result=result, reason=reason)
            self._packs.add(name, body)
            return None
        redacted: Explanation = self._redact(explanation)
        self._packs.add(name, run_body(redacted, PREFIX))
        self._headlines[line.number] = "; ".join(list_clauses(CallMarks(redacted.best))) + "."
        return redacted

    def describe_line(self, line: ResultLine) -> RunRow:
        """Returns the row of a result."""
        result = self._redact(line.result)
        return RunRow(
            number=line.number,
            result=result,
            name=result.readable_name,
            severity=judge_result(result),
            reason=self._headlines.get(line.number) or explain_result(result),
            filters=number_findings(result.findings, self._numbering),
            task=self._numbering["tasks"][result.task or ""],
            base_score=self._base.find_score(line.result) if self._base else None,
            pack=self._packs.pack_numbers.get(f"run-{line.number}"),
        )

    def render(self, rows: Sequence[RunRow]) -> str:
        """Returns the page."""
        packs, overview = self._packs.close(), survey_rows(rows, self._numbering)
        comparison = self._redact(self._base.comparison) if self._base else None
        base_tasks = self._base.tasks if self._base else {}
        findings = comparison.findings if comparison else []
        body = render_template(
            "many/page.html",
            rows=rows[:ROWS],
            left_out=len(rows[ROWS:]),
            overview=overview,
            tasks=[task for task in overview["summary"].by_task() if task[0] is not None],
            base_tasks={self._redact_task(name): score for name, score in base_tasks.items()},
            pack_numbers=self._packs.pack_numbers,
            packs=packs,
            without_steps=self.without_steps,
            comparison=comparison,
            changed_findings=[finding for finding in findings if finding.came or finding.went],
        )
        title = f"OTAP: {count_text(len(rows), 'run')}"
        return render_document(title, body, ["run", "task", "many"])


class Packs:
    """Compressed pieces of a page by name, so that a page of many runs is small and opens at once.

    The markup of runs repeats at longer distances than zlib looks back. So each pack stores every
    distinct tag with its text once, and each piece as a list of their numbers.

    Attributes:
        pack_numbers: the number of the pack that contains each piece.
    """

    def __init__(self) -> None:
        self.pack_numbers: dict[str, int] = {}
        self._packs: list[str] = []
        self._texts: dict[str, int] = {}
        self._pieces: dict[str, list[int]] = {}
        self._size = 0

    def add(self, name: str, piece: Markup) -> None:
        """Adds a piece."""
        self.pack_numbers[name] = len(self._packs)
        parts = _BEFORE_A_TAG.split(str(piece))
        self._pieces[name] = [self._texts.setdefault(part, len(self._texts)) for part in parts]
        self._size += len(piece)
        if self._size >= PACK:
            self._compress()

    def close(self) -> Sequence[str]:
        """Returns the packs: base64 of zlib-compressed JSON, a list of texts and the pieces."""
        if self._pieces:
            self._compress()
        return self._packs

    @property
    def is_full(self) -> bool:
        """Whether the page has no room for more pieces."""
        return sum(len(pack) for pack in self._packs) >= MAX_PACKED

    def _compress(self) -> None:
        content = [list(self._texts), self._pieces]
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        packed = zlib.compress(text.encode("utf-8", "replace"), 9)
        self._packs.append(base64.b64encode(packed).decode())
        self._texts, self._pieces, self._size = {}, {}, 0
