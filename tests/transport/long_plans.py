"""Long plans: their graphs, and problems made of them."""

from collections.abc import Iterable

import numpy as np

from otap.costs import hop_distances
from otap.graph import DependencyGraph, Edge
from otap.transport import Problem
from otap.transport.structure import Structure
from plans import Array, node_cost

KINDS = ("chain", "layers", "forest", "tree", "window", "skips")


def hops(rng: np.random.Generator, n: int, kind: str) -> Structure:
    """The structure of a random graph of n steps, of one of the kinds or `none`, without edges."""
    edges = tuple(Edge(i, k) for i, k in sorted(set(_edges(rng, n, kind))))
    return hop_distances(DependencyGraph(n, edges, "explicit"))


def _edges(rng: np.random.Generator, n: int, kind: str) -> Iterable[tuple[int, int]]:
    later = range(1, n)
    if kind == "chain":
        return [(k - 1, k) for k in later]
    if kind == "layers":  # one to four steps a layer, each after all of the layer before
        layer = np.repeat(np.arange(n), rng.integers(1, 5, n))[:n]
        return [(i, k) for k in later for i in range(max(0, k - 8), k) if layer[i] == layer[k] - 1]
    if kind == "forest":
        return [(int(rng.integers(max(0, k - 3), k)), k) for k in later if rng.random() < 0.8]
    if kind == "tree":
        return [(int(rng.integers(max(0, k - 3), k)), k) for k in later]
    if kind == "window":
        return [(int(i), k) for k in later for i in rng.integers(max(0, k - 10), k, 2)]
    if kind == "skips":
        chain = [(k - 1, k) for k in later]
        return chain + [(int(rng.integers(0, k)), k) for k in later if rng.random() < 0.3]
    return []


def matched_cost(rng: np.random.Generator, n: int, m: int) -> Array:
    """Costs of .5 to 1, and in each column, or row, one of 0 to .3: a step that is the same."""
    C = node_cost(rng, n, m, "full")
    size = min(n, m)
    rows, columns = np.sort(rng.permutation(n)[:size]), np.sort(rng.permutation(m)[:size])
    C[rows, columns] = np.where(rng.random(size) < 0.4, 0.0, rng.uniform(0, 0.3, size))
    return C


def long_plan(
    rng: np.random.Generator,
    n: int,
    m: int,
    agent: str,
    reference: str,
    theta: float = 0.35,
    weight: float = 1.0,
) -> Problem:
    """A problem between two graphs of these kinds, masses uniform."""
    return Problem(
        matched_cost(rng, n, m),
        hops(rng, n, agent),
        hops(rng, m, reference),
        np.full(n, 1 / n),
        np.full(m, 1 / m),
        theta,
        weight,
        weight,
    )
