"""The rows of many runs, and what they say together: by severity, score, finding, tool and task."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import NamedTuple

from otap._caching import cached_property
from otap.alignment import SEVERITIES, Finding
from otap.evaluation import Result, Summary, Tally
from otap.evaluation.comparison import Comparison
from otap.report.model.words import word_kind

BINS = 20
NONE, FAILED = "none", "no score"  # in the place of a severity
RANKS: Sequence[str] = (FAILED, *SEVERITIES, NONE)  # the worst first


@dataclass(frozen=True)
class RunRow:
    """One run.

    Attributes:
        number: of its line in the result file, from 1; the page knows it by that.
        result: what is known of it.
        why: what went wrong, in one sentence.
        found: the kinds and tools of its findings, as numbers of both lists of words.
        task: its task, as a number of the list of tasks.
        was: the score before, where there is another file to compare with.
        pack: where it opens from; None: it does not.
    """

    number: int
    result: Result
    why: str
    found: str
    task: int
    was: float | None
    pack: int | None

    @property
    def severity(self) -> str:
        """How bad it is, in one word; also of a run without a score."""
        return judge_result(self.result)

    @property
    def name(self) -> str:
        """What the run is called."""
        return name_result(self.result, self.number)


class TaskRow(NamedTuple):
    """One task.

    Attributes:
        number: of its name among those that rows are filtered by.
        name: what it is called.
        tally: its runs.
        was: its mean score before; None: not known.
        pack: where the grid of its runs opens from; None: there is none.
    """

    number: int
    name: str
    tally: Tally
    was: float | None
    pack: int | None


class Bar(NamedTuple):
    """In how many runs something was found, by the worst severity that it has there.

    Attributes:
        number: of the word among those that rows are filtered by.
        word: what it is called.
        name: its name for the command line.
        counts: runs by severity, the worst first.
        total: runs in all.
    """

    number: int
    word: str
    name: str
    counts: Mapping[str, int]
    total: int


@dataclass
class Vocabulary:
    """What rows are filtered by, each numbered as it came: a row holds no foreign text twice."""

    tasks: dict[str, int] = field(default_factory=dict)
    kinds: dict[str, int] = field(default_factory=dict)
    tools: dict[str, int] = field(default_factory=dict)


def number_word(words: dict[str, int], word: str) -> int:
    """Returns the number of a word, which is learned if it is new."""
    return words.setdefault(word, len(words))


def judge_result(result: Result) -> str:
    """Returns the severity of a run, none, or that it has no score that says anything."""
    if result.error is not None or not result.understood:
        return FAILED
    return result.severity or NONE


def rank_result(result: Result) -> tuple[int, float]:
    """Returns by what runs are sorted: the worst severity first, then the least score."""
    return RANKS.index(judge_result(result)), -1.0 if result.score is None else result.score


def name_result(result: Result, number: int) -> str:
    """Returns a run's id, else its task and trial, else its place."""
    if result.id is not None:
        return result.id
    if result.task is not None and result.trial is not None:
        return f"{result.task}/{result.trial}"
    return result.task or f"run {number}"


def blame_result(result: Result) -> str:
    """Returns what a result by itself says of what went wrong: its worst finding, or its error."""
    if result.error is not None:
        return result.error.message
    if not result.understood:
        return "nothing was understood of it"
    return result.findings[0].sentence if result.findings else ""


def number_findings(findings: Iterable[Finding], words: Vocabulary) -> str:
    """Returns each kind with each of its tools, as K.T; with no tool as K."""
    found = set()
    for one in findings:
        kind = number_word(words.kinds, one.kind)
        found |= {f"{kind}.{number_word(words.tools, tool)}" for tool in one.tools} or {f"{kind}."}
    return " ".join(sorted(found))


@dataclass(frozen=True)
class Before:
    """The results from before, and what comparing them says.

    Attributes:
        comparison: of those with the runs of the page.
        results: those from before.
    """

    comparison: Comparison
    results: Iterable[Result] = field(repr=False)

    @cached_property
    def _scores_by_trial(self) -> Mapping[tuple[str | None, str], list[float]]:
        """By task and trial."""
        found: defaultdict[tuple[str | None, str], list[float]] = defaultdict(list)
        for one in self.results:
            if one.score is not None and one.understood:
                found[one.task, str(one.trial)].append(one.score)
        return found

    @cached_property
    def tasks(self) -> Mapping[str, float]:
        """The mean score of each task."""
        found: defaultdict[str, list[float]] = defaultdict(list)
        for (task, _), scores in self._scores_by_trial.items():
            if task is not None:
                found[task] += scores
        return {task: fmean(scores) for task, scores in found.items()}

    def find_score(self, result: Result) -> float | None:
        """Returns what a run scored before: the same trial, else its task in the mean."""
        same = self._scores_by_trial.get((result.task, str(result.trial)), ())
        if len(same) == 1 and result.trial is not None:
            return same[0]
        return None if result.task is None else self.tasks.get(result.task)


@dataclass(frozen=True)
class Overview:
    """What rows say together.

    Attributes:
        summary: of all rows.
        words: what they are filtered by.
        counts: how many runs are how bad, the worst first.
        middle: the score that half of the runs reach.
        histogram: how many runs score how much, in BINS equal bins: by severity, the worst first.
        kinds: in how many runs each kind of finding is, those first that are critical most often.
        tools: in how many runs something was found of each tool, in the same order.
    """

    summary: Summary
    words: Vocabulary
    counts: Mapping[str, int]
    middle: float | None
    histogram: list[dict[str, int]]
    kinds: list[Bar]
    tools: list[Bar]


def survey_rows(rows: Sequence[RunRow], words: Vocabulary) -> Overview:
    """Returns what rows say together."""
    summary, counts = Summary(), Counter(row.severity for row in rows)
    for row in rows:
        summary.add(row.result)
    scored = [row for row in rows if row.severity != FAILED]
    scores = [row.result.score for row in scored if row.result.score is not None]
    histogram: list[dict[str, int]] = [dict.fromkeys(RANKS[1:], 0) for _ in range(BINS)]
    for row in scored:
        histogram[min(BINS - 1, int((row.result.score or 0.0) * BINS))][row.severity] += 1
    kinds, tools = (
        _count_found(scored, lambda f: (f.kind,)),
        _count_found(scored, lambda f: f.tools),
    )
    return Overview(
        summary,
        words,
        {name: counts[name] for name in RANKS},
        median(scores) if scores else None,
        histogram,
        [Bar(words.kinds[k], word_kind(k), k, n, sum(n.values())) for k, n in kinds],
        [Bar(words.tools[k], k, k, n, sum(n.values())) for k, n in tools],
    )


def _count_found(
    rows: Iterable[RunRow], keys: Callable[[Finding], Iterable[str]]
) -> list[tuple[str, Mapping[str, int]]]:
    """In how many runs each key is, by severity."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        worst: dict[str, str] = {}  # findings of a run come worst first
        for finding in row.result.findings:
            for key in keys(finding):
                worst.setdefault(key, finding.severity)
        for key, severity in worst.items():
            found[key][severity] += 1
    told: list[tuple[str, Mapping[str, int]]]
    told = [(key, {name: counts[name] for name in SEVERITIES}) for key, counts in found.items()]
    return sorted(told, key=lambda one: ([-count for count in one[1].values()], one[0]))


def list_tasks(
    overview: Overview, before: Mapping[str, float], packs: Mapping[str, int]
) -> list[TaskRow]:
    """Returns the tasks that have a name: those without a score, then by score, the least first.

    Args:
        overview: of all runs.
        before: the mean score of each task that had one.
        packs: where the grids of tasks open from, by ``task-NUMBER``.
    """
    numbers = overview.words.tasks
    tasks = [(name, tally) for name, tally in overview.summary.by_task() if name is not None]
    return [
        TaskRow(k, name, tally, before.get(name), packs.get(f"task-{k}"))
        for k, name, tally in ((number_word(numbers, name), name, tally) for name, tally in tasks)
    ]
