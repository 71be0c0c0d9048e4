"""The runs to learn from, each with its references, in an order that no file decides."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from otap._caching import cached_property
from otap.dependencies import dependency_graph
from otap.dependencies.mechanisms import allows
from otap.dependencies.tool_names import canonical_tool
from otap.errors import NoReferenceError
from otap.learning.runs.labelled import Labelled
from otap.scoring.references.selection import ReferenceIndex
from otap.trajectory import Step, Trajectory


@dataclass(frozen=True, eq=False)
class Case:
    """A run whose outcome is known, and what it is scored against.

    ``task`` is never None: runs without one are told apart by what their users asked for.
    """

    run: Trajectory
    references: Sequence[Trajectory]
    task: str
    good: bool

    @cached_property
    def tools(self) -> frozenset[str]:
        """The tools that are called on either side, in all spellings that settings may use."""
        return frozenset(name for run in (self.run, *self.references) for name in _names(run.steps))

    @cached_property
    def fails(self) -> bool:
        """Whether a call failed, on either side."""
        return any(_some_failed(run.steps) for run in (self.run, *self.references))

    @cached_property
    def used(self) -> frozenset[int] | None:
        """The places of steps of the run whose results later ones use; None: nobody can tell."""
        if not allows(self.run, "traced"):
            return None
        return frozenset(edge.source for edge in dependency_graph(self.run, "traced").edges)


@dataclass(frozen=True, eq=False)
class Sample:
    """Cases in an order of their own: by task, trial, id and content.

    Args:
        cases: at least none.
        of_runs: whether the references are good runs of the same sample.
        unlabelled: runs whose outcome is not known.
        unmatched: runs without a reference of their task.
    """

    cases: tuple[Case, ...]
    of_runs: bool
    unlabelled: int = 0
    unmatched: int = 0

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, in the order in which cases come."""
        return tuple(dict.fromkeys(case.task for case in self.cases))

    def of(self, tasks: Iterable[str]) -> "Sample":
        """Returns the part of it that some tasks make."""
        wanted = set(tasks)
        cases = tuple(case for case in self.cases if case.task in wanted)
        return Sample(cases, self.of_runs, self.unlabelled, self.unmatched)


def _names(steps: Iterable[Step]) -> Iterator[str]:
    for step in steps:
        if step.tool is not None:
            yield from (step.tool, *canonical_tool(step.tool))
        yield from _names(step.substeps)


def _some_failed(steps: Iterable[Step]) -> bool:
    return any(step.status == "error" or _some_failed(step.substeps) for step in steps)


def sample(runs: Iterable[Labelled], references: Sequence[Trajectory] | None = None) -> Sample:
    """Returns the sample of some runs.

    Args:
        runs: with their outcomes.
        references: known-good runs of their tasks; None: of each task one of its good runs, the
            first by trial and id, which is then no case itself. Only one: a run that is compared
            with more good runs scores higher, whatever it did.
    """
    ordered = sorted(runs, key=_place)
    known = [one for one in ordered if one.good is not None]
    unlabelled = len(ordered) - len(known)
    if references is None:
        return _against_own(known, unlabelled)
    index = ReferenceIndex(references)
    cases = []
    for one in known:
        try:
            found = index.of_run(one.run).references
        except NoReferenceError:
            continue
        cases.append(Case(one.run, found, task_of(one.run), bool(one.good)))
    return Sample(tuple(cases), False, unlabelled, len(known) - len(cases))


def task_of(run: Trajectory) -> str:
    """Returns what tells a run's task from others: its name, else what the user asked for."""
    return run.task if run.task is not None else " ".join(run.request)


def _place(one: Labelled) -> tuple[str, str, str, str]:
    run = one.run
    return task_of(run), str(run.trial), run.id or "", digest_of(run)


def digest_of(run: Trajectory) -> str:
    """Returns a digest of a run, wherever it was read from."""
    return hashlib.sha256(run.model_copy(update={"source": None}).to_json().encode()).hexdigest()


def _against_own(known: Sequence[Labelled], unlabelled: int) -> Sample:
    first: dict[str, Trajectory] = {}
    for one in known:
        if one.good:
            first.setdefault(task_of(one.run), one.run)
    others = [one for one in known if first.get(task_of(one.run)) is not one.run]
    cases = [
        Case(one.run, [first[task]], task, bool(one.good))
        for one in others
        if (task := task_of(one.run)) in first
    ]
    return Sample(tuple(cases), True, unlabelled, len(others) - len(cases))
