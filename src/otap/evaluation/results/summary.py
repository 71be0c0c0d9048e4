"""What a result file says as a whole: counts, means, and the worst findings; in all and by task."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any

from otap.alignment import SEVERITIES, Severity
from otap.evaluation.results.result import Failure, FailureKind, Result
from otap.scoring import Score

SCHEMA_VERSION = "otap.summary/1"
MEASURES = ("score", "skill", "precision", "recall", "outcome")
ERRORS_KEPT = 5
WORST_KEPT = 5
_RANKS = (*SEVERITIES, None)  # the worst first
Found = tuple[Severity, str, tuple[str, ...]]  # severity, kind and tools of a finding


@dataclass
class Tally:
    """The counts and means of some runs.

    ``failed`` counts the runs without a score by why, ``severities`` those with one by their worst
    finding. A run of which nothing was understood is counted apart: its score says nothing, and is
    in no mean. ``totals`` are exact: they are the same in whatever order and portions runs come.
    ``unconverged`` is among them: the scores that are at least what they are, as the solver was not
    done.
    """

    not_understood: int = 0
    failed: Counter[FailureKind] = field(default_factory=Counter)
    severities: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    totals: defaultdict[str, Fraction] = field(default_factory=lambda: defaultdict(Fraction))

    @property
    def scored(self) -> int:
        """The runs that have a score which says something."""
        return self.severities.total()

    @property
    def runs(self) -> int:
        """All runs, with a score or without."""
        return self.scored + self.not_understood + self.failed.total()

    @property
    def unmatched(self) -> int:
        """The runs of whose task there is no reference."""
        return self.failed["unmatched"]

    @property
    def unread(self) -> int:
        """The runs that could not be read or scored."""
        return self.failed["read"] + self.failed["score"]

    @property
    def of_nothing(self) -> int:
        """The runs without a step whose reference has none."""
        return self.known["of_nothing"]

    @property
    def unconverged(self) -> int:
        """The runs whose score is not final."""
        return self.known["unconverged"]

    def mean(self, measure: str) -> float | None:
        """Returns the mean of a measure, rounded once; None where no run has it."""
        count = self.known[measure]
        return float(self.totals[measure] / count) if count else None

    @property
    def at_most(self) -> float | None:
        """The mean score if all that are not final were 1."""
        most = self.totals["score"] - self.totals["unconverged"] + self.unconverged
        return float(most / self.known["score"]) if self.known["score"] else None

    def add(self, score: Score | Result) -> None:
        """Takes in a run that has a score."""
        if not score.understood:
            self.not_understood += 1
            return
        self.severities[score.severity or "none"] += 1
        values = {name: getattr(score, name) for name in MEASURES}
        values["unconverged"] = None if score.converged else score.score
        values["of_nothing"] = 0.0 if score.of_nothing else None
        for name, value in values.items():
            if value is not None:
                self.known[name] += 1
                self.totals[name] += Fraction(value)

    def merge(self, other: "Tally") -> None:
        """Takes in the runs of another."""
        self.not_understood += other.not_understood
        self.failed.update(other.failed)
        self.severities.update(other.severities)
        self.known.update(other.known)
        for name, total in other.totals.items():
            self.totals[name] += total

    def to_dict(self) -> dict[str, Any]:
        """Returns it as plain data."""
        return {
            "runs": self.runs, "scored": self.scored, "failed": self.unread,
            "unmatched": self.unmatched, "not_understood": self.not_understood,
            "unconverged": self.unconverged,
            **{name: self.mean(name) for name in MEASURES},
            "severity": {name: self.severities[name] for name in (*SEVERITIES, "none")},
        }  # fmt: skip


@dataclass(frozen=True)
class WorstRun:
    """One of the worst runs: its name and task, its score, and the first of its findings."""

    name: str
    task: str | None
    score: float
    severity: Severity | None
    finding: str

    @property
    def rank(self) -> tuple[int, float, str]:
        """The worst severity first, then the least score; names decide between equals."""
        return _RANKS.index(self.severity), self.score, self.name


@dataclass
class Summary:
    """Many results: all in all, by task, how many runs have which findings, and the first errors.

    Runs without a task are together those of task None; its memory grows with the number of tasks,
    not of runs. ``matched`` says how many runs were given their references by what (:class:`Chosen
    <otap.scoring.selection.Chosen>`), of those that were not there already.
    """

    all: Tally = field(default_factory=Tally)
    tasks: defaultdict[str | None, Tally] = field(default_factory=lambda: defaultdict(Tally))
    findings: Counter[Found] = field(default_factory=Counter)
    errors: list[Failure] = field(default_factory=list)
    matched: Counter[str] = field(default_factory=Counter)
    worst: list[WorstRun] = field(default_factory=list)

    def add(self, one: Score | Result) -> None:
        """Takes in a result."""
        if isinstance(one, Result) and one.error is not None:
            self.add_failed(one.task, one.error)
            return
        self.all.add(one)
        self.tasks[one.task].add(one)
        if one.understood:
            self.findings.update({(each.severity, each.kind, each.tools) for each in one.findings})
            if one.findings and one.score is not None:
                why = one.findings[0].sentence
                run = WorstRun(one.name, one.task, one.score, one.severity, why)
                self._keep_worst([run])

    def _keep_worst(self, runs: Sequence[WorstRun]) -> None:
        self.worst = sorted([*self.worst, *runs], key=lambda run: run.rank)[:WORST_KEPT]

    def add_failed(self, task: str | None, why: Failure) -> None:
        """Takes in a run that has no score."""
        self.all.failed[why.kind] += 1
        self.tasks[task].failed[why.kind] += 1
        self.errors = [*self.errors, why][:ERRORS_KEPT]

    def merge(self, other: "Summary") -> None:
        """Takes in the results of another."""
        self.all.merge(other.all)
        for task, tally in other.tasks.items():
            self.tasks[task].merge(tally)
        self.findings.update(other.findings)
        self.matched.update(other.matched)
        self._keep_worst(other.worst)
        self.errors = [*self.errors, *other.errors][:ERRORS_KEPT]

    def by_task(self) -> list[tuple[str | None, Tally]]:
        """Returns the tasks: first those without a score, then by mean score, the least first."""
        return sorted(self.tasks.items(), key=_rank_task)

    def worst_findings(self) -> list[tuple[Found, int]]:
        """Returns in how many runs each finding is: by severity, then the most frequent first."""
        return sorted(
            self.findings.items(), key=lambda one: (SEVERITIES.index(one[0][0]), -one[1], one[0])
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns it as plain data, all tasks and findings included."""
        return {
            "schema_version": SCHEMA_VERSION,
            **self.all.to_dict(),
            "tasks": [{"task": task, **tally.to_dict()} for task, tally in self.by_task()],
            "findings": [
                {"severity": severity, "kind": kind, "tools": list(tools), "runs": runs}
                for (severity, kind, tools), runs in self.worst_findings()
            ],
            "worst": [asdict(run) for run in self.worst],
            "errors": [why.model_dump() for why in self.errors],
        }


def _rank_task(task: tuple[str | None, Tally]) -> tuple[float, str]:
    mean = task[1].mean("score")
    return -1.0 if mean is None else mean, task[0] or ""
