"""Runs, whether they were good, and what each is scored against, in an order of their own."""

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from os import PathLike
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otap._caching import cached_property
from otap.errors import ConfigError, NoReferenceError, shown, shown_path
from otap.formats import label
from otap.learning.parameters import FULL
from otap.run import dependency_graph
from otap.run.edges import allows
from otap.run.tool_names import canonical_tool
from otap.scoring.selection import ReferenceIndex
from otap.tasks import name_task
from otap.trajectory import Source, Step, Trajectory

HOW = (
    "put outcomes into the runs, or give --good FOLDER and --bad FOLDER, or --outcomes FILE.csv"
    " with columns id and outcome"
)
# What of a step is no part of what it did; steps inside it are looked at one by one.
_NAMES = {"id", "depends_on", "turn", "started_at", "ended_at", "metadata", "substeps"}

CLOSE, CLOSE_AMONG = 3, 2000  # names that are proposed, and among how many

# By the id of a run or by TASK/TRIAL, or one for each run, None where it is not known.
Outcomes = Mapping[str, float | bool] | Sequence[float | bool | None]


@dataclass(frozen=True, eq=False)
class LabelledRun:
    """A run, whether it was good (None: not known), and what it is scored against."""

    run: Trajectory
    good: bool | None
    references: Sequence[Trajectory] = ()

    @cached_property
    def task(self) -> str:
        """The name of its task; empty where nothing tells it from others."""
        return task_of(self.run)

    @cached_property
    def tools(self) -> frozenset[str]:
        """The tools that are called on either side, in all spellings that settings may use."""
        sides = (self.run, *self.references)
        return frozenset(name for run in sides for name in _spellings(run.steps))

    @cached_property
    def used(self) -> frozenset[int] | None:
        """The places of steps of the run whose results later ones use; None: nobody can tell."""
        if not allows(self.run, "traced"):
            return None
        return frozenset(edge.source for edge in dependency_graph(self.run, "traced").edges)

    @property
    def is_copy(self) -> bool:
        """Whether it does what one of its references does: it may be that reference itself.

        Doing nothing is no copy of doing nothing.
        """
        return bool(self.run.steps) and any(have_same_steps(self.run, r) for r in self.references)


@dataclass(frozen=True, eq=False)
class Sample:
    """Runs with outcome and references, ordered by task, trial, id and content.

    Args:
        cases: the runs.
        of_runs: whether the references are good runs of the same sample.
        unlabelled: how many runs have no known outcome.
        unmatched: how many have no reference of their task.
    """

    cases: tuple[LabelledRun, ...]
    of_runs: bool
    unlabelled: int = 0
    unmatched: int = 0

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, in the order in which cases come."""
        return tuple(dict.fromkeys(self.owners))

    @cached_property
    def owners(self) -> list[str]:
        """The task of each case."""
        return [case.task for case in self.cases]

    @cached_property
    def good(self) -> NDArray[np.bool_]:
        """Whether each case was good."""
        return np.array([case.good for case in self.cases], dtype=np.bool_)


def labelled(
    runs: Iterable[Trajectory], outcomes: Outcomes | None = None, *, good_from: float | None = None
) -> list[LabelledRun]:
    """Returns runs with whether they were good.

    Args:
        runs: the runs, with the outcomes that their files record.
        outcomes: outcomes in place of the recorded ones, by the id of a run or by TASK/TRIAL, or
            one for each run: a number, or whether it was good.
        good_from: the outcome from which on a run is good; None: 1, the full reward.

    Raises:
        ConfigError: if outcomes name a run that is not there, or name two alike; if there are more
            or fewer than runs; if one is above 1 and nobody said which ones are good; for a bound
            that is no number; or for the name of a file in place of runs.
    """
    refuse_name(runs)
    if good_from is not None and not math.isfinite(good_from):
        raise ConfigError(f"the outcome from which on a run is good is {good_from}, no number")
    listed = list(runs)
    if outcomes is None or isinstance(outcomes, Mapping):
        outcomes = _outcomes_by_name(listed, outcomes or {})
    elif len(outcomes) != len(listed):
        raise ConfigError(
            f"outcomes: there are {len(outcomes):,} of {len(listed):,} runs; give one for each, or"
            " a mapping from ids"
        )
    pairs = zip(listed, outcomes, strict=True)
    return [LabelledRun(run, _is_good(outcome, run, good_from)) for run, outcome in pairs]


def refuse_name(runs: object) -> None:
    """Refuses the name of a file in place of runs.

    Raises:
        ConfigError: that says what to give.
    """
    if isinstance(runs, str | PathLike):
        raise ConfigError(
            f"runs: '{shown(runs)}' is the name of a file; give what otap.read_all returns of it"
        )


def names_of(run: Trajectory) -> set[str]:
    """Returns what a table of outcomes may call a run: its id, TASK/TRIAL, or FILE#PLACE."""
    source = run.source or Source()
    path = source.path or ""
    files = {path, PurePath(path).name, PurePath(path).stem} - {""}
    places = {f"{file}#{source.index or 0}" for file in files}
    own = {name for name in (run.id, run.task and label(run)) if name is not None}
    return own | places | (set() if source.index else files)


def say_unknown(name: str, runs: Iterable[Trajectory]) -> str:
    """Returns that no run is called so, and the names that come nearest."""
    known = sorted({run.name for run in runs})
    near = get_close_matches(name, known[:CLOSE_AMONG], CLOSE, 0.0)
    listed = ", ".join(f"'{shown(one, 60)}'" for one in near)
    return f"no run is called '{shown(name)}'; the nearest names are {listed}"


def sample(runs: Iterable[LabelledRun], references: Sequence[Trajectory] | None = None) -> Sample:
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
        own = {one.task: one.run for one in reversed(known) if one.good}
        known = [one for one in known if own.get(one.task) is not one.run]
        matched = [(one, [own[one.task]] if one.task in own else []) for one in known]
    else:
        index = ReferenceIndex(references)
        matched = [(one, _references_of(one.run, index)) for one in known]
    cases = tuple(LabelledRun(one.run, one.good, found) for one, found in matched if found)
    return Sample(cases, references is None, unlabelled, len(known) - len(cases))


def task_of(run: Trajectory) -> str:
    """Returns the name of a run's task; empty where nothing tells it from others."""
    return name_task(run) or ""


def digest_of(run: Trajectory) -> str:
    """Returns a digest of a run, wherever it was read from."""
    return hashlib.sha256(run.model_copy(update={"source": None}).to_json().encode()).hexdigest()


def have_same_steps(one: Trajectory, other: Trajectory) -> bool:
    """Whether the steps of two runs say the same, whatever their names and times."""
    if [step.tool for step in one.steps] != [step.tool for step in other.steps]:
        return False
    return list(map(_dump_step, one.steps)) == list(map(_dump_step, other.steps))


def _dump_step(step: Step) -> tuple[dict[str, Any], list[Any]]:
    return step.model_dump(exclude=_NAMES), [_dump_step(inside) for inside in step.substeps]


def _references_of(run: Trajectory, index: ReferenceIndex) -> list[Trajectory]:
    try:
        return list(index.of_run(run).references)
    except NoReferenceError:
        return []


def _place(one: LabelledRun) -> tuple[str, str, str, str]:
    return one.task, str(one.run.trial), one.run.id or "", digest_of(one.run)


def _spellings(steps: Iterable[Step]) -> Iterator[str]:
    for step in steps:
        if step.tool is not None:
            yield from (step.tool, *canonical_tool(step.tool))
        yield from _spellings(step.substeps)


def _outcomes_by_name(
    runs: Sequence[Trajectory], outcomes: Mapping[str, float | bool]
) -> list[float | bool | None]:
    """The outcome of each run: the one that a table has under one of its names, else its own."""
    missing = sorted(outcomes.keys() - {name for run in runs for name in names_of(run)})
    if missing:
        raise ConfigError(
            f"outcomes: {say_unknown(missing[0], runs)}; a run is named by its id, as TASK/TRIAL,"
            " or by its file"
        )
    found = []
    for run in runs:
        given = {outcomes[name] for name in names_of(run) & outcomes.keys()}
        if len(given) > 1:
            raise ConfigError(
                f"outcomes: '{shown(run.name)}' has two that differ; keep one of them"
            )
        found.append(given.pop() if given else run.outcome)
    return found


def _is_good(outcome: float | bool | None, run: Trajectory, good_from: float | None) -> bool | None:
    if outcome is None or isinstance(outcome, bool):
        return outcome
    file = f"{shown_path(run.source.path)}: " if run.source and run.source.path else ""
    if not isinstance(outcome, int | float) or math.isnan(outcome):
        raise ConfigError(
            f"{file}run '{shown(label(run))}': its outcome is '{shown(outcome)}'; give a number,"
            " or whether it was good"
        )
    if outcome > FULL and good_from is None:
        raise ConfigError(
            f"{file}run '{shown(label(run))}': its outcome is {outcome:g}, above 1; say with"
            " --good-from X from which on a run is good"
        )
    return outcome >= (FULL if good_from is None else good_from)
