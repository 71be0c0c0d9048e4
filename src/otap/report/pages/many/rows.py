"""The rows of many runs: what each says at a glance, and what it is filtered by."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from otap.alignment import SEVERITIES, Finding
from otap.evaluation import Result
from otap.report.pages.many.words import Words

NONE, FAILED = "none", "no score"  # in the place of a severity
RANKS: Sequence[str] = (FAILED, *SEVERITIES, NONE)  # the worst first


@dataclass(frozen=True)
class Row:
    """One run.

    Attributes:
        number: of its line in the result file, from 1; the page knows it by that.
        result: what is known of it.
        finding: what to look at first: what its page says at the top; of a run that is not
            explained the sentence of its worst finding, or why it has no score.
        found: the kinds and tools of its findings, as numbers of both lists of words.
        task: its task, as a number of the list of tasks.
        was: the score before, where there is another file to compare with.
        pack: where it opens from; None: it does not.
    """

    number: int
    result: Result
    finding: str
    found: str
    task: int
    was: float | None
    pack: int | None

    @property
    def severity(self) -> str:
        """How bad it is, in one word; also of a run without a score."""
        return severity_of(self.result)

    @property
    def rank(self) -> int:
        """The same as a number; 0 is the worst."""
        return RANKS.index(self.severity)

    @property
    def name(self) -> str:
        """What the run is called."""
        return name_of(self.result, self.number)

    @property
    def difference(self) -> float | None:
        """How much its score moved."""
        score = self.result.score
        return None if self.was is None or score is None else score - self.was


def severity_of(result: Result) -> str:
    """Returns the severity of a run, none, or that it has no score that says anything."""
    if result.error is not None or not result.understood:
        return FAILED
    return result.severity or NONE


def urgency(result: Result) -> tuple[int, float]:
    """Returns by what runs are sorted: the worst severity first, then the least score."""
    return RANKS.index(severity_of(result)), result.score if result.score is not None else -1.0


def name_of(result: Result, number: int) -> str:
    """Returns a run's id, else its task and trial, else its place."""
    if result.id is not None:
        return result.id
    if result.task is not None and result.trial is not None:
        return f"{result.task}/{result.trial}"
    return result.task or f"run {number}"


def row_of(
    number: int,
    result: Result,
    words: Words,
    was: float | None,
    pack: int | None,
    said: str | None = None,
) -> Row:
    """Returns the row of a result.

    Args:
        number: of its line.
        result: the result.
        words: the kinds, tools and tasks of the page, which learn its own.
        was: its score before.
        pack: where it opens from.
        said: what its page says at the top, if it has one.
    """
    return Row(
        number=number,
        result=result,
        finding=_first(result) if said is None or not result.findings else said,
        found=" ".join(sorted(_found(result.findings, words))),
        task=words.tasks.number(result.task or ""),
        was=was,
        pack=pack,
    )


def _first(result: Result) -> str:
    if result.error is not None:
        return result.error.message
    if not result.understood:
        return "nothing was understood of it"
    return result.findings[0].sentence if result.findings else ""


def _found(findings: Iterable[Finding], words: Words) -> set[str]:
    """Each kind with each of its tools, as K.T; with no tool as K."""
    found = set()
    for one in findings:
        kind = words.kinds.number(one.kind)
        found |= {f"{kind}.{words.tools.number(tool)}" for tool in one.tools} or {f"{kind}."}
    return found
