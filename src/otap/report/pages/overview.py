"""The rows of many runs, and what they say together: by severity, score, finding, tool and task."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from statistics import fmean, median
from typing import Any, NamedTuple

from otap.alignment import SEVERITIES, Finding
from otap.evaluation import Result, Summary
from otap.evaluation.comparison import Comparison
from otap.report.model.words import word_kind

BINS = 20
NONE, FAILED = "none", "no score"  # in the place of a severity
RANKS: Sequence[str] = (FAILED, *SEVERITIES, NONE)  # the worst first
Words = Mapping[str, dict[str, int]]


class RunRow(NamedTuple):
    """One run.

    Attributes:
        number: of its line in the result file, from 1; the page knows it by that.
        result: what is known of it.
        name: what it is called.
        severity: how bad it is, in one word; also of a run without a score.
        why: what went wrong, in one sentence.
        found: the kinds and tools of its findings, as numbers of both lists of words.
        task: its task, as a number of the list of tasks.
        was: the score before, where there is another file to compare with.
        pack: where it opens from; None: it does not.
    """

    number: int
    result: Result
    name: str
    severity: str
    why: str
    found: str
    task: int
    was: float | None
    pack: int | None


def make_words() -> Words:
    """Returns what rows are filtered by, each numbered when it comes: no row holds foreign text."""
    return {name: defaultdict(count().__next__) for name in ("tasks", "kinds", "tools")}


def judge_result(result: Result) -> str:
    """Returns the severity of a run, none, or that it has no score that says anything."""
    if result.error is not None or not result.understood:
        return FAILED
    return result.severity or NONE


def rank_result(result: Result) -> tuple[int, float]:
    """Returns by what runs are sorted: the worst severity first, then the least score."""
    return RANKS.index(judge_result(result)), -1.0 if result.score is None else result.score


def blame_result(result: Result) -> str:
    """Returns what a result by itself says of what went wrong: its worst finding, or its error."""
    if result.error is not None:
        return result.error.message
    if not result.understood:
        return "nothing was understood of it"
    return result.findings[0].sentence if result.findings else ""


def number_findings(findings: Iterable[Finding], words: Words) -> str:
    """Returns each kind with each of its tools, as K.T; with no tool as K."""
    found = set()
    for one in findings:
        kind = words["kinds"][one.kind]
        found |= {f"{kind}.{words['tools'][tool]}" for tool in one.tools} or {f"{kind}."}
    return " ".join(sorted(found))


class Before:
    """The results from before, and what comparing them says.

    Args:
        comparison: of those with the runs of the page.
        results: those from before.

    Attributes:
        comparison: as given.
        tasks: the mean score of each task.
    """

    def __init__(self, comparison: Comparison, results: Iterable[Result]) -> None:
        self.comparison = comparison
        self._trials: defaultdict[tuple[str | None, str], list[float]] = defaultdict(list)
        scores: defaultdict[str | None, list[float]] = defaultdict(list)
        for one in results:
            if one.score is not None and one.understood:
                self._trials[one.task, str(one.trial)].append(one.score)
                scores[one.task].append(one.score)
        self.tasks = {task: fmean(found) for task, found in scores.items() if task is not None}

    def find_score(self, result: Result) -> float | None:
        """Returns what a run scored before: the same trial, else its task in the mean."""
        same = self._trials.get((result.task, str(result.trial)), ())
        if len(same) == 1 and result.trial is not None:
            return same[0]
        return None if result.task is None else self.tasks.get(result.task)


def survey_rows(rows: Sequence[RunRow], words: Words) -> Mapping[str, Any]:
    """Returns what rows say together.

    That is the summary of all; how many runs are how bad, in all and by score in BINS equal bins,
    the worst first; the score that half of the runs reach; and in how many runs each kind of
    finding is and something was found of each tool, those first that are critical most often.
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
        "words": words,
        "counts": {name: counts[name] for name in RANKS},
        "middle": median(scores) if scores else None,
        "histogram": histogram,
        "kinds": _draw_bars(scored, words["kinds"], lambda one: (one.kind,), word_kind),
        "tools": _draw_bars(scored, words["tools"], lambda one: one.tools, str),
    }


def _draw_bars(
    rows: Iterable[RunRow],
    numbers: Mapping[str, int],
    keys: Callable[[Finding], Iterable[str]],
    word: Callable[[str], str],
) -> list[Mapping[str, Any]]:
    """In how many runs each key is, by the worst severity that it has there."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        worst: dict[str, str] = {}  # findings of a run come worst first
        for finding in row.result.findings:
            for key in keys(finding):
                worst.setdefault(key, finding.severity)
        for key, severity in worst.items():
            found[key][severity] += 1
    ranked = sorted(found, key=lambda key: ([-found[key][name] for name in SEVERITIES], key))
    return [
        {
            "number": numbers[key],
            "word": word(key),
            "name": key,
            "counts": {name: found[key][name] for name in SEVERITIES},
            "total": found[key].total(),
        }
        for key in ranked
    ]
