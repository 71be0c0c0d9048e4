"""Reads the runs of two result files by task, and counts the missing runs of each side."""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from statistics import fmean
from sys import intern
from typing import Any

from otap._caching import cached_property
from otap.errors import FormatError, shown, shown_path
from otap.evaluation.comparison.differences import ComparedFile
from otap.evaluation.results import Result, read_results
from otap.findings import Severity

FindingKey = tuple[str, str]  # the kind of a finding and its tools
NOT_UNDERSTOOD = ("read", "nothing was understood of it")
MEASURES = ("score", "skill", "precision", "recall", "critical", "outcome")
# Conditions that decide how a pair was measured. Masses, tools and ids describe the run itself.
CONDITIONS = (
    "fields",
    "dependencies",
    "order_scored",
    "reference",
    "answers_recorded",
    "full_weight",
    "solver",
)
MAX_FAILURES_LISTED = 5  # of each side


@dataclass(frozen=True, slots=True)
class ComparedFinding:
    """A finding of a run: its key, severity and sentence.

    Only the first finding of each key of a run has its sentence.
    """

    key: FindingKey
    severity: Severity
    sentence: str


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """The part of a result that a comparison needs; a hundred thousand fit in memory.

    ``measures`` has a number for each of ``MEASURES``, or None if it is unknown. It is empty for a
    run without a score, for which ``failure`` has the kind and the message.
    """

    name: str
    trial: str | None
    failure: tuple[str, str] | None
    measures: tuple[float | None, ...] = ()
    findings: tuple[ComparedFinding, ...] = ()
    conditions: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    steps: int | None = None
    tokens: int | None = None

    @property
    def score(self) -> float:
        """The score, the first of the measures."""
        score = self.measures[0]
        assert score is not None
        return score


Runs = tuple[ComparedRun, ...]


@dataclass
class RunsByTask:
    """The runs of a result file by task, with their signature.

    A run without a task is a task of its own, under the run's name. ``files`` has the name of the
    run's file for this task.
    """

    path: str
    runs: dict[str, list[ComparedRun]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    signature: Mapping[str, Any] = field(default_factory=dict)
    references: set[str | None] = field(default_factory=set)


@dataclass(frozen=True)
class Task:
    """The runs of a task on both sides, in an order that does not depend on the files.

    If both sides ran the same repetitions, by name, a repetition without a score on a side is left
    out on both sides. Otherwise repetitions are exchangeable, and all runs with a score count.
    """

    name: str
    sides: tuple[Runs, Runs]

    @property
    def is_paired(self) -> bool:
        """Whether both sides ran the same repetitions, each once."""
        base, new = (Counter(run.trial for run in side) for side in self.sides)
        return base == new and max(base.values()) == 1 and None not in base

    @cached_property
    def scored(self) -> tuple[Runs, Runs]:
        """The runs of each side that have a score."""
        base, new = (tuple(run for run in side if run.failure is None) for side in self.sides)
        return base, new

    @cached_property
    def compared(self) -> tuple[Runs, Runs]:
        """The runs of each side that are compared."""
        base, new = self.scored
        if self.is_paired:
            trials = {run.trial for run in base} & {run.trial for run in new}
            base, new = (tuple(run for run in side if run.trial in trials) for side in (base, new))
        return base, new

    def means(self, measure: str) -> tuple[float, float] | None:
        """Returns the mean of a measure on each side, or None if a side does not have it."""
        index = MEASURES.index(measure)
        sides = [[run.measures[index] for run in side] for side in self.compared]
        base, new = ([number for number in side if number is not None] for side in sides)
        return (fmean(base), fmean(new)) if base and new else None


def read_runs(path: str | os.PathLike[str]) -> RunsByTask:
    """Returns the runs of a result file by task.

    Raises:
        FormatError: if the file cannot be read, or is empty.
    """
    file = RunsByTask(os.fspath(path))
    for result in read_results(path):
        run = _to_compared_run(result)
        task = result.task or run.name
        file.runs.setdefault(task, []).append(run)
        if result.task is None and result.source and result.source.path:
            file.files[task] = f"{PurePath(result.source.path).name}#{result.source.index or 0}"
        file.signature = result.signature
        file.references.add(result.references_digest)
    if not file.runs:
        raise FormatError(f"{shown_path(path)}: holds no result; otap evaluate makes such files")
    return file


def pair_by_file(base: RunsByTask, new: RunsByTask) -> bool:
    """Pairs runs without a task by file name, if no task is on both sides.

    Many producers give each run a new id, but keep the names of files.

    Returns:
        Whether it paired them.
    """
    shared = set(base.files.values()) & set(new.files.values())
    if base.runs.keys() & new.runs.keys() or not shared:
        return False
    for side in (base, new):
        by_file: dict[str, list[ComparedRun]] = {}
        for task, runs in side.runs.items():
            by_file.setdefault(side.files.get(task, task), []).extend(runs)
        side.runs = by_file
    return True


def check_signatures(base: RunsByTask, new: RunsByTask) -> None:
    """Refuses files with different signatures.

    Raises:
        FormatError: names the differences.
    """
    signatures = base.signature, new.signature
    differences = []
    for name in sorted({*base.signature, *new.signature}):
        if base.signature.get(name) != new.signature.get(name):
            texts = [shown(signature.get(name, "not said"), 40) for signature in signatures]
            differences.append(f"{shown(name)} ({' and '.join(texts)})")
    if differences:
        raise FormatError(
            f"{shown_path(base.path)} and {shown_path(new.path)} were not made in the same way:"
            f" {', '.join(differences)}; make both again"
            " with the same version and settings: otap evaluate RUNS -r REFS -o FILE"
        )


def list_tasks(*files: RunsByTask) -> list[Task]:
    """Returns all tasks of both sides, by name."""
    tasks = []
    for name in sorted(set().union(*(file.runs for file in files))):
        base, new = (tuple(sorted(file.runs.get(name, ()), key=_rank_run)) for file in files)
        tasks.append(Task(name, (base, new)))
    return tasks


def missing_shares(tasks: Sequence[Task]) -> list[float]:
    """Returns for each side the share of the runs to compare that have no score.

    A side's runs of a task are to be compared if the other side has a score of the task. If NEW
    has no run of a task of BASE, as many runs as BASE has are missing. Tasks that only NEW has are
    new, so none of their runs are missing.
    """
    shares = []
    for index in (0, 1):
        to_compare = [task for task in tasks if task.scored[1 - index]]
        runs = sum(len(task.sides[index] or task.sides[0]) for task in to_compare)
        scored = sum(len(task.scored[index]) for task in to_compare)
        shares.append((runs - scored) / runs if runs else 0.0)
    return shares


def describe_side(
    file: RunsByTask,
    tasks: Sequence[Task],
    shared_tasks: Sequence[Task],
    index: int,
    missing: float,
) -> ComparedFile:
    """Returns the counts of one side.

    Args:
        file: the runs of the side.
        tasks: all tasks of both files.
        shared_tasks: the tasks that are compared.
        index: 0 for BASE, 1 for NEW.
        missing: the share of the side's runs to compare that have no score.
    """
    failures = [
        (run.name, *run.failure) for task in tasks for run in task.sides[index] if run.failure
    ]
    count = sum(len(runs) for runs in file.runs.values())
    unmatched = sum(kind == "unmatched" for _, kind, _ in failures)
    sides = [task.compared[index] for task in shared_tasks]
    only_here = [task.name for task in tasks if task.scored[index] and not task.scored[1 - index]]
    return ComparedFile(
        path=file.path,
        runs=count,
        scored=count - len(failures),
        failed=len(failures) - unmatched,
        unmatched=unmatched,
        failures=tuple(f"{name}: {message}" for name, _, message in failures[:MAX_FAILURES_LISTED]),
        tasks=len(file.runs),
        only_here=tuple(only_here),
        missing=missing,
        steps=_mean_over_tasks(sides, lambda run: run.steps),
        tokens=_mean_over_tasks(sides, lambda run: run.tokens),
    )


def _mean_over_tasks(
    sides: Iterable[Runs], number: Callable[[ComparedRun], int | None]
) -> float | None:
    """Returns the mean over tasks of the mean over runs, without unknown numbers."""
    numbers = [[count for run in side if (count := number(run)) is not None] for side in sides]
    means = [fmean(counts) for counts in numbers if counts]
    return fmean(means) if means else None


def _rank_run(run: ComparedRun) -> tuple[str, str, tuple[float, ...], str]:
    measures = tuple(-1.0 if number is None else number for number in run.measures)
    return run.trial or "", run.name, measures, repr(run)


def _to_compared_run(result: Result) -> ComparedRun:
    name = result.name
    trial = None if result.trial is None else str(result.trial)
    if result.error is not None:
        return ComparedRun(name, trial, (result.error.kind, result.error.message))
    if not result.understood:
        return ComparedRun(name, trial, NOT_UNDERSTOOD)
    critical = float(result.severity == "critical")
    numbers = (result.score, result.skill, result.precision, result.recall)
    tokens = (result.tokens.input, result.tokens.output) if result.tokens else ()
    recorded = [count for count in tokens if count is not None]
    return ComparedRun(
        name,
        trial,
        None,
        measures=(*numbers, critical, result.outcome),
        findings=_list_findings(result),
        conditions=_list_conditions(result.conditions),
        references=_list_reference_files(result),
        steps=None if result.steps is None else result.steps.agent,
        tokens=sum(recorded) if recorded else None,
    )


def _list_findings(result: Result) -> tuple[ComparedFinding, ...]:
    """Returns the findings in order; only the first of each key has its sentence."""
    findings: list[ComparedFinding] = []
    keys: set[FindingKey] = set()
    for finding in result.findings:
        key = intern(finding.kind), intern(", ".join(finding.tools))
        sentence = "" if key in keys else finding.sentence
        findings.append(ComparedFinding(key, finding.severity, sentence))
        keys.add(key)
    return tuple(findings)


def _list_conditions(conditions: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns a text for each of ``CONDITIONS``; none for a run with nothing to compare."""
    if not conditions.get("fields"):
        return ()
    return tuple(intern(_condition_text(name, conditions.get(name))) for name in CONDITIONS)


def _condition_text(name: str, condition: Any) -> str:
    if name == "fields":
        return ", ".join(f"{field} {weight:.3g}" for field, weight in sorted(condition.items()))
    if name == "dependencies" and isinstance(condition, Mapping):
        return f"{condition.get('run')}/{condition.get('reference')}"
    return json.dumps(condition, sort_keys=True)


def _list_reference_files(result: Result) -> tuple[str, ...]:
    """Returns the digests of the references' files, without the run's own file."""
    run_path = result.source.path if result.source else None
    digests = {
        source.sha256 or "" for source in result.reference_sources if source.path != run_path
    }
    return tuple(intern(digest) for digest in sorted(digests))
