"""What a result file says as a whole: counts, means, and the worst findings; in all and by task."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from otap.alignment import SEVERITIES, Finding, Severity
from otap.evaluation.results.result import Failure, FailureKind, Result
from otap.scoring import Score

SCHEMA_VERSION = "otap.summary/1"
MEASURES = ("score", "skill", "precision", "recall", "outcome")
ERRORS_KEPT = 5
Found = tuple[Severity, str, tuple[str, ...]]  # severity, kind and tools of a finding


@dataclass
class Mean:
    """The mean of numbers, exact: it is the same in whatever order and portions they come."""

    total: Fraction = Fraction()
    count: int = 0

    def add(self, value: float | None) -> None:
        """Takes a number in; None is none."""
        if value is not None:
            self.total += Fraction(value)
            self.count += 1

    def merge(self, other: "Mean") -> None:
        """Takes in the numbers of another."""
        self.total += other.total
        self.count += other.count

    @property
    def value(self) -> float | None:
        """The mean, rounded once; None of no numbers."""
        return float(self.total / self.count) if self.count else None


def _start_means() -> dict[str, Mean]:
    return {name: Mean() for name in MEASURES}


@dataclass
class Tally:
    """The counts and means of some runs.

    ``failed`` counts the runs without a score by why. A run of which nothing was understood is
    counted apart: its score says nothing, and is in no mean. ``unconverged`` has the scores that
    are at least what they are, as the solver was not done.
    """

    scored: int = 0
    not_understood: int = 0
    unconverged: Mean = field(default_factory=Mean)
    failed: Counter[FailureKind] = field(default_factory=Counter)
    severities: Counter[str] = field(default_factory=Counter)
    means: dict[str, Mean] = field(default_factory=_start_means)

    @property
    def runs(self) -> int:
        """All runs, with a score or without."""
        return self.scored + self.not_understood + self.failed.total()

    @property
    def unmatched(self) -> int:
        """The runs of whose task there is no reference."""
        return self.failed["unmatched"]

    @property
    def at_most(self) -> float | None:
        """The mean score if all that are not final were 1."""
        mean, late = self.means["score"], self.unconverged
        return Mean(mean.total - late.total + late.count, mean.count).value

    @property
    def unread(self) -> int:
        """The runs that could not be read or scored."""
        return self.failed["read"] + self.failed["score"]

    def add(self, score: Score | Result) -> None:
        """Takes in a run that has a score."""
        if not score.understood:
            self.not_understood += 1
            return
        self.scored += 1
        self.unconverged.add(None if score.converged else score.score)
        self.severities[score.severity or "none"] += 1
        for name, mean in self.means.items():
            mean.add(getattr(score, name))

    def merge(self, other: "Tally") -> None:
        """Takes in the runs of another."""
        self.scored += other.scored
        self.not_understood += other.not_understood
        self.unconverged.merge(other.unconverged)
        self.failed.update(other.failed)
        self.severities.update(other.severities)
        for name, mean in self.means.items():
            mean.merge(other.means[name])

    def to_dict(self) -> dict[str, Any]:
        """Returns it as plain data."""
        return {
            "runs": self.runs, "scored": self.scored, "failed": self.unread,
            "unmatched": self.unmatched, "not_understood": self.not_understood,
            "unconverged": self.unconverged.count,
            **{name: mean.value for name, mean in self.means.items()},
            "severity": {name: self.severities[name] for name in (*SEVERITIES, "none")},
        }  # fmt: skip


@dataclass
class Summary:
    """Many results: all in all, by task, how many runs have which findings, and the first errors.

    Runs without a task are together those of task None; its memory grows with the number of tasks,
    not of runs.
    """

    all: Tally = field(default_factory=Tally)
    tasks: dict[str | None, Tally] = field(default_factory=dict)
    findings: Counter[Found] = field(default_factory=Counter)
    errors: list[Failure] = field(default_factory=list)

    def add(self, one: Score | Result) -> None:
        """Takes in a result."""
        if isinstance(one, Result) and one.error is not None:
            self.add_failed(one.task, one.error)
            return
        for tally in (self.all, self._of(one.task)):
            tally.add(one)
        if one.understood:
            self.findings.update({_key_of_finding(finding) for finding in one.findings})

    def add_failed(self, task: str | None, why: Failure) -> None:
        """Takes in a run that has no score."""
        for tally in (self.all, self._of(task)):
            tally.failed[why.kind] += 1
        self._keep([why])

    def merge(self, other: "Summary") -> None:
        """Takes in the results of another."""
        self.all.merge(other.all)
        for task, tally in other.tasks.items():
            self._of(task).merge(tally)
        self.findings.update(other.findings)
        self._keep(other.errors)

    def by_task(self) -> list[tuple[str | None, Tally]]:
        """Returns the tasks: first those without a score, then by mean score, the least first."""
        return sorted(self.tasks.items(), key=lambda one: _rank_task(*one))

    def worst_findings(self) -> list[tuple[Found, int]]:
        """Returns in how many runs each finding is: by severity, then the most frequent first."""
        return sorted(self.findings.items(), key=lambda one: _urgency(*one))

    def to_dict(self) -> dict[str, Any]:
        """Returns it as plain data, all tasks and findings included."""
        return {
            "schema_version": SCHEMA_VERSION,
            **self.all.to_dict(),
            "tasks": [{"task": task, **tally.to_dict()} for task, tally in self.by_task()],
            "findings": list(_list_findings(self.worst_findings())),
            "errors": [why.model_dump() for why in self.errors],
        }

    def _keep(self, errors: Iterable[Failure]) -> None:
        self.errors = [*self.errors, *errors][:ERRORS_KEPT]

    def _of(self, task: str | None) -> Tally:
        if task not in self.tasks:
            self.tasks[task] = Tally()
        return self.tasks[task]


def _key_of_finding(finding: Finding) -> Found:
    return finding.severity, finding.kind, finding.tools


def _rank_task(task: str | None, tally: Tally) -> tuple[float, str]:
    mean = tally.means["score"].value
    return -1.0 if mean is None else mean, task or ""


def _urgency(found: Found, count: int) -> tuple[int, int, Found]:
    severities: tuple[str, ...] = SEVERITIES
    return severities.index(found[0]), -count, found


def _list_findings(findings: Iterable[tuple[Found, int]]) -> Iterator[dict[str, Any]]:
    for (severity, kind, tools), runs in findings:
        yield {"severity": severity, "kind": kind, "tools": list(tools), "runs": runs}
