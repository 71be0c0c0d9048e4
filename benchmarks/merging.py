"""Times a whole score with merged steps (`contraction`) and without."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

import otap
from benchmarks.corpus import plan, variant
from benchmarks.sample import Sample, Task, interleaved, ratios, say, times
from examples.perturbation import perturb
from otap.run import dependency_graph

KINDS = "equal", "split", "variant", "unrelated"
_SPLIT_STEPS = 5


@dataclass(frozen=True)
class MergingFigures:
    """The time of a score with merged steps, and its ratio to the time without.

    Attributes:
        kind: one of KINDS.
        merging: seconds with merged steps.
        ratio: the same over the seconds without.
    """

    kind: str
    merging: Sample
    ratio: Sample


def measure_merging(n: int, seconds: float) -> list[MergingFigures]:
    """Times runs of n steps against references of n steps, some seconds for each kind of run."""
    return [_measure(kind, n, seconds) for kind in KINDS]


def _measure(kind: str, n: int, seconds: float) -> MergingFigures:
    say(f"  a score with merged steps and without, {n} steps, {kind}")
    scorers = {
        "merging": otap.Scorer(),
        "plain": otap.Scorer(otap.Config(contraction=False)),
    }
    timed = interleaved(_list_rounds(scorers, kind, n), seconds)
    return MergingFigures(kind, times(timed["merging"]), ratios(timed["merging"], timed["plain"]))


def _list_rounds(
    scorers: Mapping[str, otap.Scorer], kind: str, n: int
) -> Iterator[Mapping[str, Task]]:
    rng = np.random.default_rng(n)
    while True:
        reference = otap.Trajectory(id="reference", steps=plan(rng, n))
        run = build_run(rng, reference, kind)
        for scorer in scorers.values():
            scorer.score(run, reference)  # encodes all texts before the clock starts
        yield {name: partial(scorer.score, run, reference) for name, scorer in scorers.items()}


def build_run(rng: np.random.Generator, reference: otap.Trajectory, kind: str) -> otap.Trajectory:
    """Returns a run of one of KINDS.

    It is equal to the reference, has five of its steps split in two, has one step in five replaced,
    or is unrelated.
    """
    if kind == "equal":
        return reference.model_copy(update={"id": "run"})
    if kind == "variant":
        return variant(rng, list(reference.steps), "run")
    if kind == "unrelated":
        return otap.Trajectory(id="run", steps=plan(rng, len(reference.steps)))
    graph = dependency_graph(reference, "explicit")
    run = perturb(reference, graph, ["split"] * _SPLIT_STEPS, int(rng.integers(1 << 30)))
    assert run is not None
    return run
