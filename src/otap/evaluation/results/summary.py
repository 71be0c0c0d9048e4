"""The summary of many results: counts, means and the worst findings, in total and by task."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import PurePath
from typing import Any

from otap.evaluation.results.run_result import Failure, FailureKind, Result
from otap.findings import SEVERITIES, Severity
from otap.scoring import Score

SCHEMA_VERSION = "otap.summary/1"
MEASURES = ("score", "skill", "precision", "recall", "outcome")
MAX_ERRORS = 5
MAX_WORST_RUNS = 5
_RANKS = (*SEVERITIES, None)  # the worst first
FindingType = tuple[Severity, str, tuple[str, ...]]  # severity, kind and tools of a finding


@dataclass
class RunCounts:
    """The counts and means of some runs.

    ``failed`` counts the runs without a score by the kind of failure, ``severities`` the others by
    their worst finding. Runs of which nothing was understood are counted separately: their scores
    are in no mean. ``counts`` and ``totals`` are those of each measure. ``totals`` are exact, so
    they do not depend on the order or the portions of runs. Their ``unconverged`` is the sum of the
    scores that are lower bounds, because the solver did not converge.
    """

    not_understood: int = 0
    failed: Counter[FailureKind] = field(default_factory=Counter)
    severities: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    totals: defaultdict[str, Fraction] = field(default_factory=lambda: defaultdict(Fraction))

    @property
    def scored(self) -> int:
        """The number of runs with a score, without those of which nothing was understood."""
        return self.severities.total()

    @property
    def runs(self) -> int:
        """The number of all runs."""
        return self.scored + self.not_understood + self.failed.total()

    @property
    def unmatched(self) -> int:
        """The number of runs without a reference."""
        return self.failed["unmatched"]

    @property
    def unread(self) -> int:
        """The number of runs that could not be read or scored."""
        return self.failed["read"] + self.failed["score"]

    @property
    def of_nothing(self) -> int:
        """The number of runs without a step whose reference has none."""
        return self.counts["of_nothing"]

    @property
    def unconverged(self) -> int:
        """The number of runs whose score is a lower bound."""
        return self.counts["unconverged"]

    def mean(self, measure: str) -> float | None:
        """Returns the mean of a measure, rounded once, or None if no run has it."""
        count = self.counts[measure]
        return float(self.totals[measure] / count) if count else None

    @property
    def at_most(self) -> float | None:
        """The mean score if every score that is a lower bound were 1."""
        total = self.totals["score"] - self.totals["unconverged"] + self.unconverged
        return float(total / self.counts["score"]) if self.counts["score"] else None

    def add(self, score: Score | Result) -> None:
        """Adds a run that has a score."""
        if not score.understood:
            self.not_understood += 1
            return
        self.severities[score.severity or "none"] += 1
        measures = {name: getattr(score, name) for name in MEASURES}
        measures["unconverged"] = None if score.converged else score.score
        measures["of_nothing"] = 0.0 if score.of_nothing else None
        for name, number in measures.items():
            if number is not None:
                self.counts[name] += 1
                self.totals[name] += Fraction(number)

    def merge(self, tally: "RunCounts") -> None:
        """Adds the runs of another tally."""
        self.not_understood += tally.not_understood
        self.failed.update(tally.failed)
        self.severities.update(tally.severities)
        self.counts.update(tally.counts)
        for name, total in tally.totals.items():
            self.totals[name] += total

    def to_dict(self) -> dict[str, Any]:
        """Returns the counts and means as JSON data."""
        return {
            "runs": self.runs, "scored": self.scored, "failed": self.unread,
            "unmatched": self.unmatched, "not_understood": self.not_understood,
            "unconverged": self.unconverged,
            **{name: self.mean(name) for name in MEASURES},
            "severity": {name: self.severities[name] for name in (*SEVERITIES, "none")},
        }  # fmt: skip


@dataclass(frozen=True)
class WorstRun:
    """One of the worst runs, with its first finding."""

    name: str
    task: str | None
    score: float
    severity: Severity | None
    finding: str
    finding_id: str

    @property
    def rank(self) -> tuple[int, float, str]:
        """The sort key: worst severity first, then lowest score, then name."""
        return _RANKS.index(self.severity), self.score, self.name


@dataclass
class Summary:
    """The summary of many results, in total and by task.

    Runs without a task are counted under the task None. ``findings`` counts the runs with each
    finding, and ``kinds`` those with each kind of finding. ``matched`` counts the newly scored runs
    by the way in which their references were chosen (:class:`Chosen
    <otap.scoring.selection.Chosen>`), and ``tools`` are the tools of the newly read runs. The
    memory grows with the number of tasks and tools, not of runs.
    """

    all: RunCounts = field(default_factory=RunCounts)
    tasks: defaultdict[str | None, RunCounts] = field(
        default_factory=lambda: defaultdict(RunCounts)
    )
    findings: Counter[FindingType] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    errors: list[Failure] = field(default_factory=list)
    matched: Counter[str] = field(default_factory=Counter)
    worst: list[WorstRun] = field(default_factory=list)
    tools: set[str] = field(default_factory=set)

    def add(self, score: Score | Result) -> None:
        """Adds a result."""
        if isinstance(score, Result) and score.error is not None:
            self.add_failed(score.task, score.error)
            return
        self.all.add(score)
        self.tasks[score.task].add(score)
        if not score.understood:
            return
        self.findings.update(
            {(finding.severity, finding.kind, finding.tools) for finding in score.findings}
        )
        self.kinds.update({finding.kind for finding in score.findings})
        if score.findings and score.score is not None:
            finding = score.findings[0]
            run = WorstRun(
                _name_run(score), score.task, score.score, score.severity, finding.sentence,
                finding.id,
            )  # fmt: skip
            self._add_worst([run])

    def _add_worst(self, runs: Sequence[WorstRun]) -> None:
        self.worst = sorted([*self.worst, *runs], key=lambda run: run.rank)[:MAX_WORST_RUNS]

    def add_failed(self, task: str | None, failure: Failure) -> None:
        """Adds a run that has no score."""
        self.all.failed[failure.kind] += 1
        self.tasks[task].failed[failure.kind] += 1
        self.errors = [*self.errors, failure][:MAX_ERRORS]

    def merge(self, summary: "Summary") -> None:
        """Adds the results of another summary."""
        self.all.merge(summary.all)
        for task, tally in summary.tasks.items():
            self.tasks[task].merge(tally)
        self.findings.update(summary.findings)
        self.kinds.update(summary.kinds)
        self.matched.update(summary.matched)
        self.tools |= summary.tools
        self._add_worst(summary.worst)
        self.errors = [*self.errors, *summary.errors][:MAX_ERRORS]

    def by_task(self) -> list[tuple[str | None, RunCounts]]:
        """Returns the tallies of tasks: first those without a score, then by mean score."""
        return sorted(self.tasks.items(), key=_rank_task)

    def worst_findings(self) -> list[tuple[FindingType, int]]:
        """Returns the number of runs with each finding, by severity and then by this number."""
        return sorted(self.findings.items(), key=_rank_finding)

    def to_dict(self) -> dict[str, Any]:
        """Returns the summary as JSON data, with all tasks and findings."""
        return {
            "schema_version": SCHEMA_VERSION,
            **self.all.to_dict(),
            "tasks": [{"task": task, **tally.to_dict()} for task, tally in self.by_task()],
            "findings": [
                {"severity": severity, "kind": kind, "tools": list(tools), "runs": runs}
                for (severity, kind, tools), runs in self.worst_findings()
            ],
            "worst": [asdict(run) for run in self.worst],
            "errors": [failure.model_dump() for failure in self.errors],
        }


def _name_run(score: Score | Result) -> str:
    """Returns the name of a run, with its file unless the name contains that."""
    name = score.readable_name
    path = PurePath(score.source.path) if score.source and score.source.path else None
    return name if path is None or path.stem in name else f"{name} ({path.name})"


def _rank_task(entry: tuple[str | None, RunCounts]) -> tuple[float, str]:
    task, tally = entry
    mean = tally.mean("score")
    return -1.0 if mean is None else mean, task or ""


def _rank_finding(entry: tuple[FindingType, int]) -> tuple[int, int, FindingType]:
    finding, runs = entry
    return SEVERITIES.index(finding[0]), -runs, finding
