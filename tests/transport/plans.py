"""Problems such as agent plans give: matched steps cheap, others dear, structure from a DAG."""

import numpy as np
from numpy.typing import NDArray

from otap.transport import Problem

Array = NDArray[np.float64]
KINDS = ("forest", "skip", "sparse")


def structure(edges: list[tuple[int, int]], n: int) -> Array:
    """Eq. 2: signed hops over the longest path, for edges from lower to higher numbers."""
    hops = np.full((n, n), np.inf)
    longest = np.zeros(n)
    for i, k in sorted(edges, key=lambda edge: edge[1]):
        hops[i, k] = 1
        longest[k] = max(longest[k], longest[i] + 1)
    for k in range(n):
        hops = np.minimum(hops, hops[:, k : k + 1] + hops[k : k + 1])
    D = np.where(np.isfinite(hops), hops, 0.0)
    return (D - D.T) / max(longest.max(), 1.0)


def chain(n: int) -> Array:
    """The structure of n steps, each after the one before: graded."""
    return structure([(i, i + 1) for i in range(n - 1)], n)


def dag(rng: np.random.Generator, n: int, kind: str) -> Array:
    """The structure of a random graph: a chain, a forest, a chain with skips, or sparse edges."""
    if kind == "chain":
        return chain(n)
    pairs = [(i, k) for i in range(n) for k in range(i + 1, n)]
    if kind == "forest":
        some = range(1, n)
        return structure(
            [(int(rng.integers(max(0, i - 3), i)), i) for i in some if rng.random() < 0.8], n
        )
    if kind == "skip":
        share = {True: 0.8, False: 0.25}
        return structure([(i, k) for i, k in pairs if rng.random() < share[k == i + 1]], n)
    return structure([pair for pair in pairs if rng.random() < 2 / n], n)


def node_cost(rng: np.random.Generator, n: int, m: int, spread: str) -> Array:
    """Costs of steps: `full` .5 to 1 but for matched ones, `weak` a seventh of that, `flat`."""
    if spread == "flat":
        return np.full((n, m), 0.4) + 0.02 * rng.random((n, m)) * rng.integers(0, 2)
    C = rng.uniform(0.5, 1, (n, m))
    matched = np.arange(min(n, m))
    for _ in range(rng.integers(0, 3)):
        a, b = rng.integers(0, len(matched), 2)
        matched[a], matched[b] = matched[b], matched[a]
    same = rng.random(len(matched)) < 0.4
    C[np.arange(len(matched)), matched] = np.where(same, 0, rng.uniform(0, 0.3, len(matched)))
    return C if spread == "full" else 0.3 + 0.15 * C


def plan(
    rng: np.random.Generator,
    shape: tuple[int, int] | None = None,
    graded: bool = False,
    spread: str = "full",
    theta: float = 0.35,
    weights: float = 1.0,
) -> Problem:
    """A random problem; without a shape of 5 to 12 steps a side, at most two apart."""
    n = int(rng.integers(5, 13))
    n, m = shape or (n, int(np.clip(n + rng.integers(-2, 3), 5, 12)))
    kinds = ("chain", "chain") if graded else rng.choice(KINDS, 2)
    return Problem(
        node_cost(rng, n, m, spread),
        dag(rng, n, str(kinds[0])),
        dag(rng, m, str(kinds[1])),
        np.full(n, 1 / n),
        np.full(m, 1 / m),
        theta,
        weights,
        weights,
    )


def any_problem(rng: np.random.Generator, n: int, m: int) -> Problem:
    """A problem with nothing regular about it: masses, weights and structure all at random."""
    D_p, D_r = rng.normal(size=(n, n)), rng.normal(size=(m, m))
    return Problem(
        rng.random((n, m)),
        (D_p - D_p.T) / 4,
        (D_r - D_r.T) / 4,
        rng.dirichlet(np.full(n, 5.0)) + 0.01,
        rng.dirichlet(np.full(m, 5.0)) + 0.01,
        0.35,
        rng.uniform(0.3, 3, n),
        rng.uniform(0.3, 3, m),
    )


def relisted(problem: Problem, agent: Array, reference: Array) -> Problem:
    """The same problem with the steps of either side listed in another order."""
    return Problem(
        problem.C[np.ix_(agent, reference)],
        problem.D_p[np.ix_(agent, agent)],
        problem.D_r[np.ix_(reference, reference)],
        problem.mu[agent],
        problem.nu[reference],
        problem.theta,
        problem.lambda_1[agent],
        problem.lambda_2[reference],
    )


def twins(D: Array, C: Array, order: Array, theta: float = 0.35) -> Problem:
    """A run against itself, with the reference's steps listed in the given order."""
    mass = np.full(len(D), 1 / len(D))
    return Problem(C[:, order], D, D[np.ix_(order, order)], mass, mass, theta)
