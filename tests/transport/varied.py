"""Problems of every kind that eq. 3 allows, by number: what the solver is judged on.

An even seed is for those who work on the solver, an odd one for the figure that is told.
"""

import numpy as np
from numpy.typing import NDArray

from otap.transport import Problem

Array = NDArray[np.float64]
THETAS = (0.05, 0.2, 0.35, 0.35, 0.6, 0.8, 0.95, 1.0)
LAMBDAS = (0.05, 0.1, 0.25, 0.5, 1.0, 3.0)


def varied(seed: int, default: bool = False) -> Problem:
    """A problem of 1 to 12 steps a side; with the settings of the preset `default` where asked."""
    rng = np.random.default_rng([14, seed])
    n = int(rng.integers(2, 13))
    m = int(np.clip(n + rng.integers(-3, 4), 1, 12))
    C, D_p = _costs(rng, n, m), _structure(rng, n)
    order = rng.permutation(n)
    D_r = D_p[np.ix_(order, order)] if n == m and rng.random() < 0.3 else _structure(rng, m)
    mu, nu = _masses(rng, n, m)
    theta, weight = float(rng.choice(THETAS)), float(rng.choice(LAMBDAS))
    lambda_1, lambda_2 = np.full(n, weight), np.full(m, weight)
    if default:
        theta, lambda_1, lambda_2 = 0.45, np.where(rng.random(n) < 0.3, 0.1, 1.0), np.ones(m)
    elif rng.random() < 0.4:
        lambda_1 = lambda_1 * rng.choice([1, 0.1, 0.9], n)
        lambda_2 = lambda_2 * rng.choice([1, 0.66, 1.3], m)
    return Problem(C, D_p, D_r, mu, nu, theta, lambda_1, lambda_2)


def _costs(rng: np.random.Generator, n: int, m: int) -> Array:
    """Clear costs, weak ones, all alike, few levels, at random, and steps that repeat."""
    kind = rng.choice(["clear", "weak", "flat", "few", "random", "repeats"])
    if kind == "flat":
        return np.full((n, m), rng.random()) + 0.02 * rng.random((n, m)) * rng.integers(0, 2)
    if kind == "few":
        return rng.integers(0, 3, (n, m)) / 2.0
    if kind == "random":
        return rng.random((n, m))
    C = rng.uniform(0.5, 1, (n, m))
    k = min(n, m)
    same = np.where(rng.random(k) < 0.4, 0, rng.uniform(0, 0.3, k))
    C[rng.permutation(n)[:k], rng.permutation(m)[:k]] = same
    if kind == "weak":
        return 0.3 + 0.15 * C
    return C[rng.integers(0, n, n)][:, rng.integers(0, m, m)] if kind == "repeats" else C


def _structure(rng: np.random.Generator, n: int) -> Array:
    """Precedence or hops of a random graph, of a chain, or nothing."""
    kind = str(rng.choice(["precedence", "precedence", "hops", "chain", "steps", "none"]))
    if kind == "none":
        return np.zeros((n, n))
    place = rng.permutation(n)
    if kind in ("chain", "steps"):
        apart = np.subtract.outer(-place, -place)
        return np.sign(apart) * 1.0 if kind == "chain" else apart / max(n - 1, 1)
    edges = np.triu(rng.random((n, n)) < rng.choice([1 / n, 2 / n, 0.5]), 1)
    D = _hops(edges)
    D = D if kind == "hops" else np.sign(D)
    return D[np.ix_(place, place)]


def _hops(edges: NDArray[np.bool_]) -> Array:
    n = len(edges)
    hops, longest = np.where(edges, 1.0, np.inf), np.zeros(n)
    for k in range(n):
        longest[k] = (longest[:k][edges[:k, k]] + 1).max(initial=0)
        hops = np.minimum(hops, hops[:, k : k + 1] + hops[k : k + 1])
    D = np.where(np.isfinite(hops), hops, 0.0)
    return (D - D.T) / max(longest.max(), 1.0)


def _masses(rng: np.random.Generator, n: int, m: int) -> tuple[Array, Array]:
    """Absolute masses of equal steps or of light and heavy ones, relative ones, any."""
    kind = rng.choice(["one", "weights", "relative", "random"])
    if kind == "relative":
        return np.full(n, 1 / n), np.full(m, 1 / m)
    if kind == "random":
        some = [rng.dirichlet(np.full(k, 3.0)) * rng.uniform(0.3, 2) + 1e-3 for k in (n, m)]
        return some[0], some[1]
    light = [1, 0.05, 0.3] if kind == "weights" else [1]
    a, b = rng.choice(light, n), rng.choice(light, m)
    total = max(1.0, float(a.sum() + b.sum()) / 2)
    return a / total, b / total
