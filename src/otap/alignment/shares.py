"""What each step has of a coupling: its quality, its part of the loss, and its counterpart."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from otap.alignment.parameters import FLOW, MATCHED, ROUNDING, SAME
from otap.alignment.problem import StepProblem
from otap.transport import Problem, Solution, contributions, kl
from otap.transport.native.short import read_shares

Array = npt.NDArray[np.float64]

_BLOCK = 256  # rows of a coupling that are summed at once: bounds memory at thousands of steps
_AT_ONCE = 4096  # pairs that are looked at before those of steps that are taken are left out


class Credit(NamedTuple):
    """What the loss is made of, step by step of the run.

    Attributes:
        own: what each adds to the loss by itself: its pairs, and its mass that does not move.
        surplus: what the mass adds that it moves to steps of the reference that have enough.
        lacking: what the masses of the reference's steps add while the first k of the run alone
            have moved theirs, in the order in which they ended; of n steps n + 1.
    """

    own: Sequence[float]
    surplus: Sequence[float]
    lacking: Sequence[float]


class Shares(NamedTuple):
    """What the steps of a run and of a reference, and the fields, have of a coupling.

    Attributes:
        agent_quality: how well each step of the run is matched, sum_j T_ij^2 (1 - C_ij) over
            sum_j T_ij^2.
        reference_quality: the same of each step of the reference.
        agent_contribution: what each step of the run adds to the loss.
        reference_contribution: the same of each step of the reference.
        losses: what each field adds to the loss.
        counterparts: the pairs of steps that stand for each other, one to one.
        credit: what the loss is made of, step by step of the run.
    """

    agent_quality: Array
    reference_quality: Array
    agent_contribution: Array
    reference_contribution: Array
    losses: Mapping[str, float]
    counterparts: Sequence[tuple[int, int]]
    credit: Credit


def compute_shares(problem: StepProblem, solution: Solution) -> Shares:
    """Returns the shares: by the native core where there is one, and the problem is short.

    Args:
        problem: the problem between steps.
        solution: its solution.
    """
    costs, (n, m) = problem.costs, solution.T.shape
    flags = problem.run.failed, problem.reference.failed, problem.run.erred
    fields = [(matrix, costs.weights[name]) for name, matrix in costs.distances.items()]
    read = read_shares(
        solution.problem, solution.T, costs.total, fields, b"".join(map(bytes, flags)),
        problem.run.ended, MATCHED + ROUNDING, FLOW, SAME,
    )  # fmt: skip
    if read is None:
        return shares_in_numpy(problem, solution)
    found, counterparts = read
    sides, both = n + m, 2 * (n + m)
    rest = found[both:].tolist()
    return Shares(
        agent_quality=found[:n],
        reference_quality=found[n:sides],
        agent_contribution=found[sides : sides + n],
        reference_contribution=found[sides + n : both],
        losses=dict(zip(costs.distances, rest[3 * n + 1 :], strict=True)),
        counterparts=counterparts,
        credit=Credit(rest[:n], rest[n : 2 * n], rest[2 * n : 3 * n + 1]),
    )


def shares_in_numpy(problem: StepProblem, solution: Solution) -> Shares:
    """The definition."""
    arrays, T, C = solution.problem, solution.T, problem.costs.total
    paired = contributions(arrays, T)
    masses = kl(T.sum(axis=1), arrays.mu), kl(T.sum(axis=0), arrays.nu)
    unmoved = arrays.lambda_1 * masses[0]
    moved, weight = _moved_mass(arrays.C, C, T), 1 - arrays.theta
    return Shares(
        agent_quality=_match_quality(T, C, axis=1),
        reference_quality=_match_quality(T, C, axis=0),
        agent_contribution=paired.sum(axis=1) / 2 + unmoved,
        reference_contribution=paired.sum(axis=0) / 2 + arrays.lambda_2 * masses[1],
        losses={
            name: weight * float((matrix * moved).sum())
            for name, matrix in problem.costs.weighted.items()
        },
        counterparts=list(_pair_counterparts(problem, solution)),
        credit=Credit(
            own=(paired.sum(axis=1) + unmoved).tolist(),
            surplus=_surplus_mass(arrays, T).tolist(),
            lacking=_lacking_mass(arrays, T[list(problem.run.ended)]).tolist(),
        ),
    )


def _match_quality(T: Array, C: Array, axis: int) -> Array:
    squared = T**2
    weight = squared.sum(axis=axis)
    matched = (squared * (1 - C)).sum(axis=axis)
    quality: Array = np.divide(matched, weight, out=np.zeros_like(weight), where=weight > 0)
    return quality


def _moved_mass(moving: Array, C: Array, T: Array) -> Array:
    """The coupling, and more of it where moving mass costs more than the node cost."""
    if moving is C or (moving == C).all():
        return T
    factor: Array = np.divide(moving, C, out=np.ones_like(C), where=C > 0)
    return T * factor


def _surplus_mass(arrays: Problem, T: Array) -> Array:
    c = T.sum(axis=0)
    too_much = np.flatnonzero(c > arrays.nu)
    price = (arrays.lambda_2 * kl(c, arrays.nu))[too_much] / c[too_much]
    found: Array = T[:, too_much] @ price
    return found


def _lacking_mass(arrays: Problem, T: Array) -> Array:
    """What the penalty of the reference's masses is after no row of T, the first, the first two."""
    penalties = [np.array([arrays.lambda_2 @ arrays.nu])]
    c = np.zeros(T.shape[1])
    for start in range(0, len(T), _BLOCK):
        so_far = c + np.cumsum(T[start : start + _BLOCK], axis=0, dtype=np.float64)
        penalties.append(kl(so_far, arrays.nu) @ arrays.lambda_2)
        c = so_far[-1]
    return np.concatenate(penalties)


def _pair_counterparts(problem: StepProblem, solution: Solution) -> Iterator[tuple[int, int]]:
    """One-to-one counterparts by greedy matching.

    Pairs are taken by falling T_ij (1 - C_ij), each step once; among equals, a call that did not
    fail. Steps that are nearly equal are counterparts even where no mass flows between them:
    one of them stands in the wrong place.
    """
    arrays, T, C = solution.problem, solution.T, problem.costs.total
    lighter = np.minimum(arrays.mu[:, None], arrays.nu[None, :])
    flows = (C <= MATCHED + ROUNDING) & (lighter * FLOW <= T)
    # A call that failed never stands for one that worked, however alike they are.
    apart = np.not_equal.outer(problem.run.failed, problem.reference.failed)
    i, j = np.nonzero((flows | (C <= SAME)) & ~apart)
    worth = np.round(T[i, j] * (1 - C[i, j]), 9)
    ranked = np.lexsort((j, i, problem.run.erred[i], -worth))
    free = np.ones(T.shape[0], dtype=np.bool_), np.ones(T.shape[1], dtype=np.bool_)
    while len(ranked):
        for place in ranked[:_AT_ONCE].tolist():
            a, b = int(i[place]), int(j[place])
            if free[0][a] and free[1][b]:
                free[0][a] = free[1][b] = False
                yield a, b
        ranked = ranked[_AT_ONCE:]
        ranked = ranked[free[0][i[ranked]] & free[1][j[ranked]]]
