"""What unions of steps cost: whole scores with `contraction` and without."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

import otap
from benchmarks.corpus import plan, variant
from benchmarks.sample import Sample, Task, interleaved, ratios, say, times
from otap.perturbation import perturb
from otap.run import dependency_graph

_SPLITS = 5


@dataclass(frozen=True)
class UnionFigures:
    """One kind of run: a score with unions, and how many times as long it takes as without."""

    kind: str
    with_unions: Sample
    times_as_long: Sample


def unions(n: int, seconds: float) -> list[UnionFigures]:
    """Runs of n steps against a reference of n steps, so many seconds for each kind of run."""
    return [_measured(kind, n, seconds) for kind in ("equal", "split", "variant", "unrelated")]


def _measured(kind: str, n: int, seconds: float) -> UnionFigures:
    say(f"  a score with unions and without, {n} steps, {kind}")
    scorers = {
        "with": otap.Scorer(),
        "without": otap.Scorer(otap.Config(contraction=False)),
    }
    found = interleaved(_rounds(scorers, kind, n), seconds)
    return UnionFigures(kind, times(found["with"]), ratios(found["with"], found["without"]))


def _rounds(scorers: Mapping[str, otap.Scorer], kind: str, n: int) -> Iterator[Mapping[str, Task]]:
    rng = np.random.default_rng(n)
    while True:
        reference = otap.Trajectory(id="reference", steps=plan(rng, n))
        run = _run(rng, reference, kind)
        for scorer in scorers.values():
            scorer.score(run, reference)  # all texts are encoded beforehand
        yield {name: partial(one.score, run, reference) for name, one in scorers.items()}


def _run(rng: np.random.Generator, reference: otap.Trajectory, kind: str) -> otap.Trajectory:
    """The reference again, with five steps in two, with a step in five replaced, or another one."""
    if kind == "variant":
        return variant(rng, list(reference.steps), "run")
    if kind == "unrelated":
        return otap.Trajectory(id="run", steps=plan(rng, len(reference.steps)))
    if kind == "equal":
        return reference.model_copy(update={"id": "run"})
    graph = dependency_graph(reference, "explicit")
    found = perturb(reference, graph, ["split"] * _SPLITS, int(rng.integers(1 << 30)))
    assert found is not None
    return found
