"""The rows of many runs, and their totals by severity, score, kind of finding, tool and task."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from statistics import fmean, median
from typing import Any, NamedTuple

from otap.evaluation import Result, Summary
from otap.evaluation.comparison import Comparison
from otap.findings import SEVERITIES, Finding
from otap.report.model.vocabulary import word_kind

BINS = 20
NONE, FAILED = "none", "no score"  # in place of a severity
RANKS: Sequence[str] = (FAILED, *SEVERITIES, NONE)  # worst first
Numbering = Mapping[str, dict[str, int]]  # numbers of tasks, kinds and tools


class RunRow(NamedTuple):
    """The row of one run.

    Attributes:
        number: its line in the result file, from 1, which identifies it in the page.
        result: of the run.
        name: of the run.
        severity: of its worst finding; NONE without findings, FAILED without a score.
        reason: why the run is bad, in one sentence.
        filters: the kinds and tools of its findings, by number.
        task: the number of its task.
        base_score: its score in the base file, if there is one.
        pack: the pack with its details, or None if it has none.
    """

    number: int
    result: Result
    name: str
    severity: str
    reason: str
    filters: str
    task: int
    base_score: float | None
    pack: int | None


def make_numbering() -> Numbering:
    """Returns an empty numbering of filter values, so that rows need no foreign text."""
    return {name: defaultdict(count().__next__) for name in ("tasks", "kinds", "tools")}


def judge_result(result: Result) -> str:
    """Returns the severity of a run, NONE, or FAILED if it has no meaningful score."""
    if result.error is not None or not result.understood:
        return FAILED
    return result.severity or NONE


def rank_result(result: Result) -> tuple[int, float]:
    """Returns the sort key of runs: worst severity first, then lowest score."""
    return RANKS.index(judge_result(result)), -1.0 if result.score is None else result.score


def explain_result(result: Result) -> str:
    """Returns the error or the worst finding of a result, as a sentence."""
    if result.error is not None:
        return result.error.message
    if not result.understood:
        return "nothing in it was understood"
    return result.findings[0].sentence if result.findings else ""


def number_findings(findings: Iterable[Finding], numbering: Numbering) -> str:
    """Returns each kind with each of its tools as K.T, or K. without a tool."""
    numbers = set()
    for finding in findings:
        kind = numbering["kinds"][finding.kind]
        tools = {f"{kind}.{numbering['tools'][tool]}" for tool in finding.tools}
        numbers |= tools or {f"{kind}."}
    return " ".join(sorted(numbers))


class Base:
    """The results of the base file, and their comparison with the results of the page.

    Args:
        comparison: of both files.
        results: of the base file.

    Attributes:
        comparison: of both files.
        tasks: the mean score of each task in the base file.
    """

    def __init__(self, comparison: Comparison, results: Iterable[Result]) -> None:
        self.comparison = comparison
        self._trials: defaultdict[tuple[str | None, str], list[float]] = defaultdict(list)
        tasks: defaultdict[str | None, list[float]] = defaultdict(list)
        for result in results:
            if result.score is not None and result.understood:
                self._trials[result.task, str(result.trial)].append(result.score)
                tasks[result.task].append(result.score)
        self.tasks = {task: fmean(scores) for task, scores in tasks.items() if task is not None}

    def find_score(self, result: Result) -> float | None:
        """Returns the base score of the same trial, or else the mean of its task."""
        same_trial = self._trials.get((result.task, str(result.trial)), ())
        if len(same_trial) == 1 and result.trial is not None:
            return same_trial[0]
        return None if result.task is None else self.tasks.get(result.task)


def survey_rows(rows: Sequence[RunRow], numbering: Numbering) -> Mapping[str, Any]:
    """Returns the totals of all rows.

    These are the summary; the number of runs by severity, in total and by score in BINS equal bins;
    the median score; and the number of runs with each kind of finding, and with findings about
    each tool, most often critical first.
    """
    summary, counts = Summary(), Counter(row.severity for row in rows)
    for row in rows:
        summary.add(row.result)
    scored = [row for row in rows if row.severity != FAILED]
    histogram: list[dict[str, int]] = [dict.fromkeys(RANKS[1:], 0) for _ in range(BINS)]
    for row in scored:
        histogram[min(BINS - 1, int((row.result.score or 0.0) * BINS))][row.severity] += 1
    scores = [row.result.score for row in scored if row.result.score is not None]
    return {
        "summary": summary,
        "numbering": numbering,
        "counts": {name: counts[name] for name in RANKS},
        "median": median(scores) if scores else None,
        "histogram": histogram,
        "kinds": _count_runs(
            scored, numbering["kinds"], lambda finding: (finding.kind,), word_kind
        ),
        "tools": _count_runs(scored, numbering["tools"], lambda finding: finding.tools, str),
    }


def _count_runs(
    rows: Iterable[RunRow],
    numbers: Mapping[str, int],
    list_keys: Callable[[Finding], Iterable[str]],
    word: Callable[[str], str],
) -> list[Mapping[str, Any]]:
    """Returns the number of runs with each key, by the worst severity of its findings."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        worst: dict[str, str] = {}
        for finding in row.result.findings:  # worst first
            for key in list_keys(finding):
                worst.setdefault(key, finding.severity)
        for key, severity in worst.items():
            counts[key][severity] += 1
    ranked = sorted(counts, key=lambda key: ([-counts[key][name] for name in SEVERITIES], key))
    return [
        {
            "number": numbers[key],
            "word": word(key),
            "name": key,
            "counts": {name: counts[key][name] for name in SEVERITIES},
            "total": counts[key].total(),
        }
        for key in ranked
    ]
