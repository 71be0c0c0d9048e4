"""Good runs changed on purpose: what a threshold makes of valid changes and of damage."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from otap.dependencies import dependency_graph
from otap.learning.calibration.calibration import Broken, On
from otap.learning.calibration.conformal import Array
from otap.learning.calibration.proportion import caught
from otap.learning.calibration.scored import Scored, grouped, is_copy, scored_cases
from otap.learning.runs import Case, Sample, Scores
from otap.perturbation import FAMILIES, Material, perturb
from otap.scoring import Config
from otap.trajectory import Trajectory

VALID = ("P1", "P2", "P3")
MOST_TASKS = 100  # of each of which one good run is changed in every way
Way = tuple[str, tuple[str, ...]]  # a family, and edits


@dataclass(frozen=True)
class BrokenRuns:
    """Changed runs with their scores, by the way in which they were changed."""

    ways: Mapping[Way, Sequence[Scored]]

    def measured(self, on: On, bound: float) -> tuple[Broken, ...]:
        """Returns for each family, and each way of one that has several, what raises an alarm."""
        return tuple(one for family in FAMILIES for one in self._family(family, on, bound))

    def _family(self, family: str, on: On, bound: float) -> Iterator[Broken]:
        ways = {edits: runs for (name, edits), runs in self.ways.items() if name == family}
        everything = [run for runs in ways.values() for run in runs]
        rows: list[tuple[tuple[str, ...] | None, Sequence[Scored]]] = [(None, everything)]
        if len(ways) > 1:
            rows += ways.items()
        for edits, runs in rows:
            alarms = caught(grouped(runs, on), bound)
            yield Broken(family=family, edits=edits, valid=family in VALID, alarms=alarms)

    def damaged(self, on: On) -> Array:
        """Returns the values of all damaged runs."""
        damaged = [runs for (family, _), runs in self.ways.items() if family not in VALID]
        groups = grouped([run for runs in damaged for run in runs], on)
        return np.concatenate(groups) if groups else np.array([])


def broken_runs(sample: Sample, config: Config, jobs: int) -> BrokenRuns:
    """Returns one good run of each task, changed in every way of every family, with its scores.

    A wrong tool is one of those that the runs and references have. The seed of a change is its way
    and its task.

    Raises:
        OtapError: if one cannot be scored.
    """
    chosen = _one_a_task(sample)
    material = Material(tools=_tools(sample))
    made: list[tuple[Way, Case]] = []
    for family, ways in FAMILIES.items():
        for edits in map(tuple, ways):
            made += [((family, edits), case) for case in _changed(chosen, family, edits, material)]
    found: dict[Way, list[Scored]] = {
        (f, tuple(edits)): [] for f in FAMILIES for edits in FAMILIES[f]
    }
    cases = tuple(case for _, case in made)
    with Scores(Sample(cases, sample.of_runs), jobs) as scores:
        scored = scored_cases(scores, config).runs
    for (way, _), run in zip(made, scored, strict=True):
        found[way].append(run)
    return BrokenRuns(found)


def _one_a_task(sample: Sample) -> list[Case]:
    first: dict[str, Case] = {}
    for case in sample.cases:
        if case.good and not is_copy(case):
            first.setdefault(case.task, case)
    return list(first.values())[:MOST_TASKS]


def _changed(
    cases: Sequence[Case], family: str, edits: Sequence[str], material: Material
) -> Iterator[Case]:
    for case in cases:
        seed = f"{family} {' '.join(edits)} {case.task}"
        run = perturb(case.run, dependency_graph(case.run), edits, seed, material)
        if run is not None:
            yield Case(run, case.references, case.task, family in VALID)


def _tools(sample: Sample) -> list[str]:
    return sorted({tool for case in sample.cases for run in _runs(case) for tool in _of_run(run)})


def _runs(case: Case) -> Iterator[Trajectory]:
    yield case.run
    yield from case.references


def _of_run(run: Trajectory) -> Iterator[str]:
    return (step.tool for step in run.steps if step.tool is not None)
