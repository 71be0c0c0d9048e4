"""Slow and obvious, or foreign: what our numbers are compared with.

`loss` is eq. 3 as four loops. The rest translates our problem to POT's conventions, once:

- `ot.unbalanced.sinkhorn_unbalanced` regularises by default towards mu nu' (reg_type="kl"), which
  is another problem: its mass differs by a tenth at epsilon .05. Ours counts entropy alone
  (reg_type="entropy").
- `ot.gromov` assumes symmetric structure unless it detects otherwise; D is antisymmetric, so
  symmetric=False is passed. Its alpha weighs structure, as our theta does, and its gradient has
  the factor 2.
- `ot.gromov.fused_unbalanced_gromov_wasserstein` is never an oracle of a value: it relaxes to two
  couplings, and its penalties compare products of marginals.
"""

import warnings

import numpy as np
import ot
from numpy.typing import NDArray
from scipy.optimize import minimize

from otap.transport import Problem

Array = NDArray[np.float64]


def loss_terms(problem: Problem, T: Array) -> tuple[float, float, float, float]:
    """Node, structure, agent and reference term of eq. 3, by the loops that it is written in."""
    n, m = T.shape
    node = structure = agent = reference = 0.0
    for i in range(n):
        for j in range(m):
            node += (1 - problem.theta) * problem.C[i, j] * T[i, j]
            for k in range(n):
                for l in range(m):  # noqa: E741
                    gap = problem.D_p[i, k] - problem.D_r[j, l]
                    structure += problem.theta * gap**2 * T[i, j] * T[k, l]
    for i in range(n):
        agent += problem.lambda_1[i] * _kl(T[i].sum(), problem.mu[i])
    for j in range(m):
        reference += problem.lambda_2[j] * _kl(T[:, j].sum(), problem.nu[j])
    return node, structure, agent, reference


def _kl(a: float, b: float) -> float:
    return float(a * np.log(a / b) - a + b) if a > 0 else b


def best_known(problem: Problem, rng: np.random.Generator, starts: int, known: Array) -> float:
    """The least loss that L-BFGS on log T reaches from many starts and from a known coupling."""
    couplings = [known, *(random_coupling(problem, rng, kind % 3) for kind in range(starts))]
    return min(polished(problem, T) for T in couplings)


def random_coupling(problem: Problem, rng: np.random.Generator, kind: int) -> Array:
    """A coupling of mass 1: anyhow (kind 0), after node costs (1), or mostly a permutation (2)."""
    n, m = problem.C.shape
    if kind == 0:
        return rng.dirichlet(np.ones(n * m)).reshape(n, m)
    if kind == 1:
        T = np.exp(-rng.uniform(5, 40) * (problem.C + 0.3 * rng.random((n, m))))
        return np.asarray(T / T.sum())
    T, size = np.full((n, m), 0.1 / (n * m)), max(n, m)
    for i, j in enumerate(rng.permutation(size)):
        T[i % n, j % m] += 0.9 / size
    return T


def polished(problem: Problem, T: Array) -> float:
    """The loss that L-BFGS on log T reaches from a coupling."""
    x = np.log(np.maximum(T, 1e-12)).ravel()
    options = {"maxiter": 3000, "maxfun": 4000, "ftol": 1e-15, "gtol": 1e-9, "maxcor": 20}
    result = minimize(_log_loss, x, (problem,), "L-BFGS-B", jac=True, options=options)
    return float(result.fun)


def _log_loss(x: Array, problem: Problem) -> tuple[float, Array]:
    """The loss and its gradient in log T; written apart from the library's own."""
    T = np.exp(np.clip(x, -60, 5)).reshape(problem.C.shape)
    r, c = T.sum(axis=1), T.sum(axis=0)
    cross = problem.D_p @ T @ problem.D_r.T
    slope = 2 * ((problem.D_p**2 @ r)[:, None] + (problem.D_r**2 @ c)[None, :] - 2 * cross)
    node = (1 - problem.theta) * problem.C
    value = (node * T).sum() + problem.theta * (slope * T).sum() / 2
    value += (problem.lambda_1 * (r * np.log(r / problem.mu) - r + problem.mu)).sum()
    value += (problem.lambda_2 * (c * np.log(c / problem.nu) - c + problem.nu)).sum()
    slope = node + problem.theta * slope
    slope = slope + (problem.lambda_1 * np.log(r / problem.mu))[:, None]
    slope = slope + (problem.lambda_2 * np.log(c / problem.nu))[None, :]
    return float(value), (slope * T).ravel()


def pot_linear(
    M: Array, mu: Array, nu: Array, epsilon: float, weights: tuple[float, float]
) -> Array:
    """POT's coupling for the inner problem, with the entropy that eq. 3 has."""
    settings = {"reg_type": "entropy", "numItermax": 100_000, "stopThr": 1e-15}
    with warnings.catch_warnings():  # it warns that "entropy" overrides a matrix nobody passed
        warnings.simplefilter("ignore")
        T = ot.unbalanced.sinkhorn_unbalanced(mu, nu, M, epsilon, weights, **settings)
    return np.asarray(T)


def pot_linear_default(
    M: Array, mu: Array, nu: Array, epsilon: float, weights: tuple[float, float]
) -> Array:
    """POT's coupling for the inner problem as POT regularises unasked: not our problem."""
    return np.asarray(ot.unbalanced.sinkhorn_unbalanced(mu, nu, M, epsilon, weights))


def pot_balanced(problem: Problem, epsilon: float) -> Array:
    """POT's coupling with marginals held exactly: the limit of large lambda."""
    return np.asarray(
        ot.gromov.entropic_fused_gromov_wasserstein(
            problem.C,
            problem.D_p,
            problem.D_r,
            problem.mu,
            problem.nu,
            "square_loss",
            epsilon=epsilon,
            symmetric=False,
            alpha=problem.theta,
            max_iter=2000,
            tol=1e-12,
        )
    )
