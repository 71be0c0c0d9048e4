"""Runs with their outcomes and references, in an order that does not depend on the input."""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from os import PathLike
from pathlib import PurePath
from typing import Any

from otap._caching import cached_property
from otap.errors import ConfigError, NoReferenceError, shown, shown_path
from otap.formats import label
from otap.scoring.selection import ReferenceIndex
from otap.tasks import name_task
from otap.trajectory import Source, Step, Trajectory

HOW_TO_LABEL = (
    "put outcomes into the runs, or give --good FOLDER and --bad FOLDER, or --outcomes FILE.csv"
    " with columns id and outcome"
)
FULL_REWARD = 1.0  # minimum outcome of a good run: the full reward of the benchmarks
MAX_SUGGESTIONS = 3  # similar run names in an error message
MAX_CANDIDATES = 2000  # run names that are searched for similar ones
# Step fields that do not describe the action of a step; sub-steps are compared one by one.
_IGNORED_FIELDS = {
    "id", "depends_on", "turn", "started_at", "ended_at", "metadata", "substeps",
}  # fmt: skip

# By run id or TASK/TRIAL, or one for each run (None: unknown).
Outcomes = Mapping[str, float | bool] | Sequence[float | bool | None]


@dataclass(frozen=True, eq=False)
class LabelledRun:
    """A run with its outcome and its references.

    Attributes:
        run: the run.
        good: whether the outcome is good; None: unknown.
        references: the references that the run is scored against.
    """

    run: Trajectory
    good: bool | None
    references: Sequence[Trajectory] = ()

    @cached_property
    def task(self) -> str:
        """The name of the task; empty if the run does not identify it."""
        return task_of(self.run)

    @property
    def is_copy(self) -> bool:
        """Whether the run has the same steps as one of its references, and has any.

        The run may then be that reference itself.
        """
        return bool(self.run.steps) and any(
            have_same_steps(self.run, reference) for reference in self.references
        )


@dataclass(frozen=True, eq=False)
class Sample:
    """Runs with outcome and references, ordered by task, trial, id and content.

    Attributes:
        cases: the runs.
        own_references: whether the references are good runs of the same sample.
        unlabelled: number of runs without a known outcome.
        unmatched: number of runs without a reference of their task.
    """

    cases: tuple[LabelledRun, ...]
    own_references: bool
    unlabelled: int = 0
    unmatched: int = 0


def label_runs(
    runs: Iterable[Trajectory], outcomes: Outcomes | None = None, *, good_from: float | None = None
) -> list[LabelledRun]:
    """Returns runs with whether each is good.

    Args:
        runs: the runs, with the outcomes that their files record.
        outcomes: outcomes that replace the recorded ones, by run id or TASK/TRIAL, or one for each
            run: a number, or whether the run is good.
        good_from: minimum outcome of a good run; None: 1, the full reward.

    Raises:
        ConfigError: if ``outcomes`` names an unknown run, has two different outcomes for one run,
            or is a list of another length than ``runs``; if an outcome is above 1 without
            ``good_from``, or is no number; if ``good_from`` is not finite; or if ``runs`` is a file
            name.
    """
    reject_file_name(runs)
    if good_from is not None and not math.isfinite(good_from):
        raise ConfigError(f"the minimum outcome of a good run is {good_from}, which is no number")
    runs = list(runs)
    if outcomes is None or isinstance(outcomes, Mapping):
        outcomes = _outcomes_by_name(runs, outcomes or {})
    elif len(outcomes) != len(runs):
        raise ConfigError(
            f"outcomes: there are {len(outcomes):,} for {len(runs):,} runs; give one for each, or a"
            " mapping from ids"
        )
    return [
        LabelledRun(run, _is_good(outcome, run, good_from))
        for run, outcome in zip(runs, outcomes, strict=True)
    ]


def reject_file_name(runs: object) -> None:
    """Raises an error if a file name is given in place of runs.

    Raises:
        ConfigError: if so; it says how to read the file.
    """
    if isinstance(runs, str | PathLike):
        raise ConfigError(
            f"runs: '{shown(runs)}' is the name of a file; pass the runs that otap.read_all returns"
        )


def run_names(run: Trajectory) -> set[str]:
    """Returns the names by which a table of outcomes can refer to a run.

    These are its id, TASK/TRIAL, FILE#INDEX, and FILE for the first run of a file.
    """
    source = run.source or Source()
    path = source.path or ""
    files = {path, PurePath(path).name, PurePath(path).stem} - {""}
    names = {f"{file}#{source.index or 0}" for file in files}
    if run.id is not None:
        names.add(run.id)
    if run.task:
        names.add(label(run))
    return names if source.index else names | files


def unknown_run_text(name: str, runs: Iterable[Trajectory]) -> str:
    """Returns the message that no run has this name, with the most similar names."""
    candidates = sorted({run.name for run in runs})
    similar = get_close_matches(name, candidates[:MAX_CANDIDATES], MAX_SUGGESTIONS, 0.0)
    suggestions = ", ".join(f"'{shown(candidate, 60)}'" for candidate in similar)
    return f"no run is called '{shown(name)}'; the nearest names are {suggestions}"


def build_sample(
    runs: Iterable[LabelledRun], references: Sequence[Trajectory] | None = None
) -> Sample:
    """Returns the sample of the runs that have an outcome and a reference.

    Args:
        runs: the runs with their outcomes.
        references: known-good runs of their tasks. None: the first good run of each task, by trial
            and id, is the only reference of its task and no case. More references would raise the
            scores of all runs of a task.
    """
    ordered = sorted(runs, key=_sort_key)
    cases = [labelled for labelled in ordered if labelled.good is not None]
    unlabelled = len(ordered) - len(cases)
    if references is None:
        by_task = {labelled.task: labelled.run for labelled in reversed(cases) if labelled.good}
        cases = [labelled for labelled in cases if by_task.get(labelled.task) is not labelled.run]
        matches = [[by_task[case.task]] if case.task in by_task else [] for case in cases]
    else:
        index = ReferenceIndex(references)
        matches = [_references_of(case.run, index) for case in cases]
    matched = tuple(
        LabelledRun(case.run, case.good, of_case)
        for case, of_case in zip(cases, matches, strict=True)
        if of_case
    )
    return Sample(matched, references is None, unlabelled, len(cases) - len(matched))


def task_of(run: Trajectory) -> str:
    """Returns the name of a run's task; empty if the run does not identify it."""
    return name_task(run) or ""


def digest_of(run: Trajectory) -> str:
    """Returns a digest of the content of a run, whatever file it comes from."""
    return hashlib.sha256(run.model_copy(update={"source": None}).to_json().encode()).hexdigest()


def have_same_steps(run: Trajectory, reference: Trajectory) -> bool:
    """Whether the steps of two runs are equal except for ids, times and metadata."""
    if [step.tool for step in run.steps] != [step.tool for step in reference.steps]:
        return False
    return [_dump_step(step) for step in run.steps] == [
        _dump_step(step) for step in reference.steps
    ]


def _dump_step(step: Step) -> tuple[dict[str, Any], list[Any]]:
    return step.model_dump(exclude=_IGNORED_FIELDS), [
        _dump_step(substep) for substep in step.substeps
    ]


def _references_of(run: Trajectory, index: ReferenceIndex) -> list[Trajectory]:
    try:
        return list(index.of_run(run).references)
    except NoReferenceError:
        return []


def _sort_key(labelled: LabelledRun) -> tuple[str, str, str, str]:
    run = labelled.run
    return labelled.task, str(run.trial), run.id or "", digest_of(run)


def _outcomes_by_name(
    runs: Sequence[Trajectory], outcomes: Mapping[str, float | bool]
) -> list[float | bool | None]:
    """Returns the outcome of each run: from the table if it names the run, else the recorded one.

    Raises:
        ConfigError: if the table names an unknown run, or has two outcomes for one run.
    """
    unknown = sorted(outcomes.keys() - {name for run in runs for name in run_names(run)})
    if unknown:
        raise ConfigError(
            f"outcomes: {unknown_run_text(unknown[0], runs)}; name a run by its id, as TASK/TRIAL,"
            " or by its file"
        )
    outcome_of_run: list[float | bool | None] = []
    for run in runs:
        in_table = {outcomes[name] for name in run_names(run) & outcomes.keys()}
        if len(in_table) > 1:
            raise ConfigError(
                f"outcomes: '{shown(run.name)}' has two different ones; keep one of them"
            )
        outcome_of_run.append(in_table.pop() if in_table else run.outcome)
    return outcome_of_run


def _is_good(outcome: float | bool | None, run: Trajectory, good_from: float | None) -> bool | None:
    """Whether an outcome is good; None: unknown.

    Raises:
        ConfigError: if the outcome is no number, or is above 1 and ``good_from`` is None.
    """
    if outcome is None or isinstance(outcome, bool):
        return outcome
    file = f"{shown_path(run.source.path)}: " if run.source and run.source.path else ""
    if not isinstance(outcome, int | float) or math.isnan(outcome):
        raise ConfigError(
            f"{file}run '{shown(label(run))}': its outcome is '{shown(outcome)}'; give a number,"
            " True or False"
        )
    if outcome > FULL_REWARD and good_from is None:
        raise ConfigError(
            f"{file}run '{shown(label(run))}': its outcome is {outcome:g}, above 1; give the"
            " minimum outcome of a good run with --good-from X"
        )
    return outcome >= (FULL_REWARD if good_from is None else good_from)
