"""Problems such as agent plans give, of any size: graphs of steps, and costs such as texts have."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otap.costs import hop_distances
from otap.graph import DependencyGraph, Edge
from otap.transport import Problem

Array = NDArray[np.float64]

THETA = 0.35
_DIMENSIONS = 64
# Texts of one domain have this much in common, whatever they say.
_COMMON = 0.7
_SAME, _DELETED = 0.4, 0.03


class Inputs(NamedTuple):
    """A pair of plans before any structure is computed: node costs and two graphs."""

    C: Array
    agent: DependencyGraph
    reference: DependencyGraph

    def problem(self) -> Problem:
        """The problem under the paper's theta and lambda, masses uniform."""
        n, m = self.C.shape
        D_p, D_r = hop_distances(self.agent), hop_distances(self.reference)
        return Problem(self.C, D_p, D_r, np.full(n, 1 / n), np.full(m, 1 / m), THETA)


def short_inputs(rng: np.random.Generator, n: int, m: int) -> Inputs:
    """Two plans of up to a hundred or so steps: forests, or chains with skips, in part alike."""
    return Inputs(text_costs(rng, n, m), _branching(rng, n), _branching(rng, m))


def long_inputs(rng: np.random.Generator, n: int) -> Inputs:
    """A long layered plan against itself with some steps left out and others reworded."""
    layers = _layers(rng, n)
    kept = np.flatnonzero(rng.random(n) >= _DELETED)
    agent, reference = _layered(layers), _layered(layers[kept])
    return Inputs(text_costs(rng, n, len(kept), kept), agent, reference)


def plan_inputs(rng: np.random.Generator, n: int) -> Inputs:
    """Two plans of n steps, or about as many: as plans of that length are."""
    return short_inputs(rng, n, n) if n <= 100 else long_inputs(rng, n)


def ragged_problems(rng: np.random.Generator, count: int) -> list[Problem]:
    """Problems of 5 to 12 steps a side, at most two apart."""
    sizes = rng.integers(5, 13, count)
    others = np.clip(sizes + rng.integers(-2, 3, count), 5, 12)
    return [short_inputs(rng, int(n), int(m)).problem() for n, m in zip(sizes, others, strict=True)]


def text_costs(
    rng: np.random.Generator, n: int, m: int, matched: NDArray[np.intp] | None = None
) -> Array:
    """Cosine distances, clipped to [0, 1], of texts of which reference step j rewords matched[j].

    Without `matched` step j rewords step j, but for a few that are exchanged. Some reworded
    steps are the same text. Others have a cost of .1 to .3 where unrelated ones have about .5.
    """
    if matched is None:
        matched = np.arange(m) % n
        swapped = rng.integers(0, m, (2, max(1, m // 8)))
        matched[swapped] = matched[swapped[::-1]]
    agent = _texts(rng, n)
    noise = np.where(rng.random(m) < _SAME, 0.0, rng.uniform(0.4, 0.9, m))
    reference = _unit(agent[matched] + noise[:, None] * _unit(rng.normal(size=(m, _DIMENSIONS))))
    C = np.clip(1.0 - agent @ reference.T, 0.0, 1.0)
    same = noise == 0
    C[matched[same], same] = 0.0  # equal texts cost 0 exactly
    return np.asarray(C)


def _texts(rng: np.random.Generator, count: int) -> Array:
    common = _unit(rng.normal(size=_DIMENSIONS))
    own = _unit(rng.normal(size=(count, _DIMENSIONS)))
    return np.asarray(_COMMON * common + np.sqrt(1 - _COMMON**2) * own)


def _unit(vectors: Array) -> Array:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


def _branching(rng: np.random.Generator, n: int) -> DependencyGraph:
    """Each step needs a recent one, mostly; half of the graphs have more edges that skip."""
    edges = [(int(rng.integers(max(0, k - 3), k)), k) for k in range(1, n) if rng.random() < 0.85]
    if rng.random() < 0.5:
        edges += [(int(rng.integers(0, k)), k) for k in range(1, n) if rng.random() < 0.3]
    return _graph(n, edges)


def _layers(rng: np.random.Generator, n: int) -> NDArray[np.intp]:
    """The layer of each of n steps, one to five steps a layer."""
    return np.asarray(np.repeat(np.arange(n), rng.integers(1, 6, n))[:n])


def _layered(layers: NDArray[np.intp]) -> DependencyGraph:
    """Each step needs every step of the layer before that has any."""
    groups = np.split(np.arange(len(layers)), np.flatnonzero(np.diff(layers)) + 1)
    edges = [(int(i), int(k)) for before, after in pairwise(groups) for i in before for k in after]
    return _graph(len(layers), edges)


def _graph(size: int, edges: list[tuple[int, int]]) -> DependencyGraph:
    return DependencyGraph(size, tuple(Edge(i, k) for i, k in sorted(set(edges))), "explicit")
