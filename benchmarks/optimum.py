"""How far our loss lies above the least that many starts of a general method find."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from benchmarks.ours import solved
from benchmarks.problems import Array, ragged_problems
from benchmarks.sample import Deadline, say
from otap.transport import Problem, objective
from otap.transport.objective import gradient


@dataclass(frozen=True)
class GapFigures:
    """Gaps of the loss over problems of 5 to 12 steps, none below 0."""

    problems: int
    starts: int
    median: float
    percentile_99: float
    largest: float
    share_within_1e_5: float


def gaps(count: int, starts: int, seconds: float) -> GapFigures:
    """Gaps of up to `count` problems, as many as there is time for."""
    say(f"  gap to the best known loss, {count} problems, {starts} starts")
    rng, deadline = np.random.default_rng(1), Deadline(seconds)
    found = []
    for problem in ragged_problems(rng, count):
        solution = solved([problem], 0.0)[0]
        found.append(max(solution.loss - _best_known(problem, solution.T, rng, starts), 0.0))
        if deadline.left < 0:
            break
    values = np.array(found)
    return GapFigures(
        len(found),
        starts,
        float(np.median(values)),
        float(np.quantile(values, 0.99)),
        float(values.max()),
        float(np.mean(values <= 1e-5)),
    )


def _best_known(problem: Problem, T: Array, rng: np.random.Generator, starts: int) -> float:
    """The least loss from random couplings, from the product, and from the coupling found."""
    n, m = problem.shape
    random = [rng.dirichlet(np.full(n * m, 0.3)).reshape(n, m) for _ in range(starts)]
    couplings = [T, np.outer(problem.mu, problem.nu), *random]
    return min(_polished(problem, start) for start in couplings)


def _polished(problem: Problem, T: Array) -> float:
    """L-BFGS over log T: every coupling is allowed, and none is on an edge."""
    start = np.log(np.maximum(T, 1e-10)).ravel()
    found = minimize(
        _in_logarithms,
        start,
        (problem,),
        "L-BFGS-B",
        jac=True,
        options={"maxiter": 3000, "maxfun": 5000, "ftol": 1e-15, "gtol": 1e-9, "maxcor": 20},
    )
    return float(found.fun)


def _in_logarithms(x: Array, problem: Problem) -> tuple[float, Array]:
    """The loss and its gradient in log T."""
    T = np.exp(np.clip(x, -60, 5)).reshape(problem.shape)
    slope = gradient(problem, T)
    slope = slope + (problem.lambda_1 * np.log(T.sum(axis=1) / problem.mu))[:, None]
    slope = slope + problem.lambda_2 * np.log(T.sum(axis=0) / problem.nu)
    return float(objective(problem, T)), (slope * T).ravel()
