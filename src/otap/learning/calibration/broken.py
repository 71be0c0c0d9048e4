"""Good runs changed on purpose: what a threshold makes of valid changes and of damage."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from otap.dependencies import dependency_graph
from otap.learning.calibration.calibration import Broken, On
from otap.learning.calibration.conformal import Array, caught
from otap.learning.calibration.scored import Scored, grouped, scored_cases
from otap.learning.runs import LabelledRun, Sample
from otap.learning.scores import Scores
from otap.perturbation import FAMILIES, Material, perturb
from otap.scoring import Config

VALID = ("P1", "P2", "P3")
MOST_TASKS = 100  # of each of which one good run is changed in every way
Way = tuple[str, tuple[str, ...]]  # a family, and edits
BrokenRuns = Mapping[Way, Sequence[Scored]]


def broken_runs(sample: Sample, config: Config, jobs: int) -> BrokenRuns:
    """Returns one good run of each task, changed in every way of every family, with its scores.

    A wrong tool is one of those that the runs and references have. The seed of a change is its way
    and its task.

    Raises:
        OtapError: if one cannot be scored.
    """
    chosen: dict[str, LabelledRun] = {}
    for case in sample.cases:
        if case.good and not case.is_copy:
            chosen.setdefault(case.task, case)
    cases = list(chosen.values())[:MOST_TASKS]
    material = Material(tools=_tools(sample))
    ways = [(family, tuple(edits)) for family in FAMILIES for edits in FAMILIES[family]]
    made = [(way, case) for way in ways for case in _changed(cases, way, material)]
    found: dict[Way, list[Scored]] = {way: [] for way in ways}
    changed = Sample(tuple(case for _, case in made), sample.of_runs)
    with Scores(changed, jobs) as scores:
        scored = scored_cases(scores, config).runs
    for (way, _), run in zip(made, scored, strict=True):
        found[way].append(run)
    return found


def measure_broken(broken: BrokenRuns, on: On, bound: float) -> Iterator[Broken]:
    """Yields for each family, and each way of one that has several, what raises an alarm."""
    for family in FAMILIES:
        ways = {edits: runs for (name, edits), runs in broken.items() if name == family}
        everything = [run for runs in ways.values() for run in runs]
        rows: list[tuple[tuple[str, ...] | None, Sequence[Scored]]] = [(None, everything)]
        if len(ways) > 1:
            rows += ways.items()
        for edits, runs in rows:
            alarms = caught(grouped(runs, on), bound)
            yield Broken(family=family, edits=edits, valid=family in VALID, alarms=alarms)


def damaged_values(broken: BrokenRuns, on: On) -> Array:
    """Returns the values of all damaged runs."""
    damaged = [runs for (family, _), runs in broken.items() if family not in VALID]
    groups = grouped([run for runs in damaged for run in runs], on)
    return np.concatenate(groups) if groups else np.array([])


def _changed(cases: Sequence[LabelledRun], way: Way, material: Material) -> Iterator[LabelledRun]:
    family, edits = way
    for case in cases:
        seed = f"{family} {' '.join(edits)} {case.task}"
        run = perturb(case.run, dependency_graph(case.run), edits, seed, material)
        if run is not None:
            yield LabelledRun(run, family in VALID, case.references)


def _tools(sample: Sample) -> list[str]:
    runs = (run for case in sample.cases for run in (case.run, *case.references))
    return sorted({step.tool for run in runs for step in run.steps if step.tool is not None})
