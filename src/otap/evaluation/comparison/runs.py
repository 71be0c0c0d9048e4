"""The runs of two result files by task: what is kept of each, what is compared, what is missing."""

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
from otap.alignment import Severity
from otap.errors import FormatError, shown, shown_path
from otap.evaluation.comparison.comparison import Side
from otap.evaluation.results import Result, read_results

FindingKey = tuple[str, str]  # a kind, and the tools that it is about
NOT_UNDERSTOOD = ("read", "nothing was understood of it")
MEASURES = ("score", "skill", "precision", "recall", "critical", "outcome")
# What decides how a pair was measured. Masses, tools and ids say what the run did: left out.
MEASURED = ("fields", "dependencies", "order_scored", "reference", "told", "in_full", "solver")
NAMED = 5  # failures that a side tells


@dataclass(frozen=True, slots=True)
class FirstFinding:
    """A finding as it is told: what it is, how bad, and its sentence."""

    key: FindingKey
    severity: Severity
    sentence: str


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """What is kept of a result: so little that a hundred thousand fit in memory.

    ``values`` has a number for each measure, None where it is not known; it is empty for a run that
    has no score, and ``failure`` says why.
    """

    name: str
    trial: str | None
    failure: tuple[str, str] | None
    values: tuple[float | None, ...] = ()
    findings: tuple[FirstFinding, ...] = ()
    conditions: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    steps: int | None = None
    tokens: int | None = None

    @property
    def score(self) -> float:
        """Its score, the first of the measures."""
        value = self.values[0]
        assert value is not None
        return value


Runs = tuple[ComparedRun, ...]


@dataclass
class ReadFile:
    """What a result file holds: its runs by task, and how their numbers were made.

    A run without a task is its own, under its name; ``files`` has for this name that of its file.
    """

    path: str
    runs: dict[str, list[ComparedRun]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    signature: Mapping[str, Any] = field(default_factory=dict)
    references: set[str | None] = field(default_factory=set)


@dataclass(frozen=True)
class Task:
    """The runs of one task on both sides, in an order that no listing decides.

    Where both sides ran the same repetitions, by name, a repetition that one of them has no score
    of is left out on both. Elsewhere repetitions are exchangeable, and all that are scored count.
    """

    name: str
    sides: tuple[Runs, Runs]

    @property
    def paired(self) -> bool:
        """Whether both sides ran the same repetitions, each once."""
        base, new = (Counter(run.trial for run in side) for side in self.sides)
        return base == new and max(base.values()) == 1 and None not in base

    @cached_property
    def scored(self) -> tuple[Runs, Runs]:
        """The runs of each side that have a score."""
        base, new = (tuple(run for run in side if run.failure is None) for side in self.sides)
        return base, new

    @cached_property
    def counted(self) -> tuple[Runs, Runs]:
        """The runs of each side that are compared."""
        base, new = self.scored
        if self.paired:
            both = {run.trial for run in base} & {run.trial for run in new}
            base, new = (tuple(run for run in side if run.trial in both) for side in (base, new))
        return base, new

    def means(self, measure: str) -> tuple[float, float] | None:
        """The mean of a measure on each side; None where a side knows none."""
        place = MEASURES.index(measure)
        sides = [[run.values[place] for run in side] for side in self.counted]
        known = [[value for value in side if value is not None] for side in sides]
        return (fmean(known[0]), fmean(known[1])) if all(known) else None


def read_file(path: str | os.PathLike[str]) -> ReadFile:
    """Returns the runs of a file by task; one without a task is its own.

    Raises:
        FormatError: if it cannot be read, or holds nothing.
    """
    found = ReadFile(os.fspath(path))
    for result in read_results(path):
        run = _compared_run(result)
        task = result.task or run.name
        found.runs.setdefault(task, []).append(run)
        if result.task is None and result.source and result.source.path:
            found.files[task] = f"{PurePath(result.source.path).name}#{result.source.index or 0}"
        found.signature = result.signature
        found.references.add(result.references_digest)
    if not found.runs:
        raise FormatError(f"{shown_path(path)}: holds no result; otap evaluate makes such files")
    return found


def pair_by_file(*sides: ReadFile) -> bool:
    """Pairs runs without a task by the names of their files, where nothing else pairs any.

    Ids are new with each run for many producers, and files often are not. Returns whether it did.
    """
    base, new = sides
    shared = set(base.files.values()) & set(new.files.values())
    if base.runs.keys() & new.runs.keys() or not shared:
        return False
    for side in sides:
        renamed: dict[str, list[ComparedRun]] = {}
        for task, runs in side.runs.items():
            renamed.setdefault(side.files.get(task, task), []).extend(runs)
        side.runs = renamed
    return True


def check_signatures(base: ReadFile, new: ReadFile) -> None:
    """Refuses files whose numbers were made in different ways.

    Raises:
        FormatError: that says what differs.
    """
    both = base.signature, new.signature
    unlike = [
        f"{shown(name)} ({' and '.join(shown(one.get(name, 'not said'), 40) for one in both)})"
        for name in sorted({*both[0], *both[1]})
        if both[0].get(name) != both[1].get(name)
    ]
    if unlike:
        raise FormatError(
            f"{shown_path(base.path)} and {shown_path(new.path)} were not made in the same way:"
            f" {', '.join(unlike)}; make both anew"
            " with the same version and settings: otap evaluate RUNS -r REFS -o FILE"
        )


def tasks_of(*files: ReadFile) -> list[Task]:
    """Returns all tasks of both sides, by name."""
    found = []
    for name in sorted(set().union(*(file.runs for file in files))):
        base, new = (tuple(sorted(file.runs.get(name, ()), key=_rank_run)) for file in files)
        found.append(Task(name, (base, new)))
    return found


def missing(tasks: Sequence[Task]) -> list[float]:
    """Returns which share of the runs that should be compared has no score, on each side.

    A task without any score on the other side asks for none. One that BASE has scored and NEW lacks
    is missing in NEW; what NEW has besides is new, and nothing is missing of it.
    """
    shares = []
    for place in (0, 1):
        asked = [task for task in tasks if task.scored[1 - place]]
        wanted = sum(len(task.sides[place] or task.sides[0]) for task in asked)
        scored = sum(len(task.scored[place]) for task in asked)
        shares.append((wanted - scored) / wanted if wanted else 0.0)
    return shares


def side_of(
    file: ReadFile, tasks: Sequence[Task], both: Sequence[Task], place: int, lacks: float
) -> Side:
    """Returns what a file holds.

    Args:
        file: the file.
        tasks: all tasks of both files.
        both: those that are compared.
        place: 0 for BASE, 1 for NEW.
        lacks: the share of its runs that should be compared and have no score.
    """
    failures = [
        (run.name, *run.failure) for task in tasks for run in task.sides[place] if run.failure
    ]
    count = sum(map(len, file.runs.values()))
    unmatched = sum(kind == "unmatched" for _, kind, _ in failures)
    sides = [task.counted[place] for task in both]
    only_here = [task.name for task in tasks if task.scored[place] and not task.scored[1 - place]]
    return Side(
        path=file.path,
        runs=count,
        scored=count - len(failures),
        failed=len(failures) - unmatched,
        unmatched=unmatched,
        failures=tuple(f"{name}: {message}" for name, _, message in failures[:NAMED]),
        tasks=len(file.runs),
        only_here=tuple(only_here),
        missing=lacks,
        steps=_mean(sides, lambda run: run.steps),
        tokens=_mean(sides, lambda run: run.tokens),
    )


def _mean(sides: Iterable[Runs], number: Callable[[ComparedRun], int | None]) -> float | None:
    """The mean over tasks of the mean over runs, of what is known."""
    known = [[value for run in side if (value := number(run)) is not None] for side in sides]
    means = [fmean(side) for side in known if side]
    return fmean(means) if means else None


def _rank_run(run: ComparedRun) -> tuple[str, str, tuple[float, ...], str]:
    values = tuple(-1.0 if value is None else value for value in run.values)
    return run.trial or "", run.name, values, repr(run)


def _compared_run(result: Result) -> ComparedRun:
    name = result.name
    trial = None if result.trial is None else str(result.trial)
    if result.error is not None:
        return ComparedRun(name, trial, (result.error.kind, result.error.message))
    if not result.understood:
        return ComparedRun(name, trial, NOT_UNDERSTOOD)
    critical = float(result.severity == "critical")
    numbers = (result.score, result.skill, result.precision, result.recall)
    tokens = (result.tokens.input, result.tokens.output) if result.tokens else ()
    known = [part for part in tokens if part is not None]
    return ComparedRun(
        name,
        trial,
        None,
        values=(*numbers, critical, result.outcome),
        findings=_findings(result),
        conditions=_conditions(result.conditions),
        references=_reference_files(result),
        steps=None if result.steps is None else result.steps.agent,
        tokens=sum(known) if known else None,
    )


def _findings(result: Result) -> tuple[FirstFinding, ...]:
    """Its findings in their order; the sentence is kept of the first of each key."""
    found: list[FirstFinding] = []
    seen: set[FindingKey] = set()
    for one in result.findings:
        key = intern(one.kind), intern(", ".join(one.tools))
        found.append(FirstFinding(key, one.severity, "" if key in seen else one.sentence))
        seen.add(key)
    return tuple(found)


def _conditions(conditions: Mapping[str, Any]) -> tuple[str, ...]:
    """How the pair was measured; nothing of a run without anything to compare."""
    if not conditions.get("fields"):
        return ()
    return tuple(intern(_condition_text(name, conditions.get(name))) for name in MEASURED)


def _condition_text(name: str, value: Any) -> str:
    if name == "fields":
        return ", ".join(f"{field} {weight:.3g}" for field, weight in sorted(value.items()))
    if name == "dependencies" and isinstance(value, Mapping):
        return f"{value.get('run')}/{value.get('reference')}"
    return json.dumps(value, sort_keys=True)


def _reference_files(result: Result) -> tuple[str, ...]:
    """Digests of the files of its references; none where the run's own file carries them."""
    own = result.source.path if result.source else None
    given = {one.sha256 or "" for one in result.reference_sources if one.path != own}
    return tuple(intern(one) for one in sorted(given))
