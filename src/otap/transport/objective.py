"""The objective of eq. 3, term by term: the definition in NumPy that both solvers are held to.

Fused unbalanced Gromov-Wasserstein [Barazandeh2026], after [Vayer2020] and [Thual2022].
"""

from typing import NamedTuple

import numpy as np

from otap.transport.core import one_thread
from otap.transport.problem import Problem
from otap.transport.structure import Array, Structure, dense

# A block of rows of the n x n mismatch of a sparse coupling: bounds memory at thousands of steps.
_BLOCK = 512


class Terms(NamedTuple):
    """The four parts of eq. 3 without entropy, none negative.

    node: (1 - theta) sum_ij C_ij T_ij
    structure: theta sum_ijkl (D_p_ik - D_r_jl)^2 T_ij T_kl
    agent_mass: sum_i lambda_1_i kl(r_i | mu_i), r the row sums of T
    reference_mass: sum_j lambda_2_j kl(c_j | nu_j), c the column sums of T
    """

    node: float
    structure: float
    agent_mass: float
    reference_mass: float

    @property
    def loss(self) -> float:
        """The sum of the four parts: the loss that a score is made of."""
        return self.node + self.structure + self.agent_mass + self.reference_mass


def terms(problem: Problem, T: Array) -> Terms:
    """The four terms of eq. 3 at T, (n, m), not negative, without entropy."""
    with one_thread(max(T.shape)):
        return Terms(
            node=(1.0 - problem.theta) * float((problem.C * T).sum()),
            structure=problem.theta * structure(problem.D_p, problem.D_r, T),
            agent_mass=float((problem.lambda_1 * kl(T.sum(axis=1), problem.mu)).sum()),
            reference_mass=float((problem.lambda_2 * kl(T.sum(axis=0), problem.nu)).sum()),
        )


def objective(problem: Problem, T: Array, epsilon: float = 0.0) -> float:
    """Eq. 3 at T, (n, m), not negative: its four terms, and epsilon times the entropy term."""
    loss = terms(problem, T).loss
    return loss + epsilon * entropy(T) if epsilon else loss


def kl(a: Array, b: Array) -> Array:
    """The generalised Kullback-Leibler divergence of each entry, a log(a / b) - a + b, never < 0.

    Args:
        a: masses, at least 0; what an entry of 0 costs is b.
        b: masses to be held to, positive.
    """
    ratio = np.where(a > 0, a, b) / b
    # At a = b / 2 and beyond rounding is far below the value; near a = b it can fall below 0.
    value: Array = np.where(a > 0, a * np.log(ratio) - a + b, b)
    return np.maximum(value, 0.0)


def entropy(T: Array) -> float:
    """The entropy term, sum T_ij (log T_ij - 1): the paper's -H, whose gradient is log T.

    It is measured against no reference measure: [Peyre2019], eq. 4.1, not relative to mu nu'.
    """
    return float((T * (np.log(np.where(T > 0, T, 1.0)) - 1.0)).sum())


def structure(D_p: Structure, D_r: Structure, T: Array) -> float:
    """The Gromov-Wasserstein term Q(T) = sum_ijkl (D_p_ik - D_r_jl)^2 T_ij T_kl [Memoli2011].

    Never negative. A coupling that is mostly zeros is summed pair by pair, which is exact where Q
    is 0.
    """
    if np.count_nonzero(T) <= max(T.shape):
        return _sparse_structure(D_p, D_r, T)
    # Half of <gradient, T>: Q is quadratic. Factorised, a Q of 0 can round to below it.
    return max(float((structure_gradient(D_p, D_r, T) * T).sum()) / 2, 0.0)


def structure_gradient(D_p: Structure, D_r: Structure, T: Array) -> Array:
    """The gradient of Q at T with its factor 2, factorised as in [Peyre2016], prop. 1; T's shape.

    2 (sum_k D_p_ik^2 r_k + sum_l D_r_jl^2 c_l - 2 (D_p T D_r')_ij), where D' is -D.
    """
    D_p, D_r = dense(D_p), dense(D_r)
    rows, columns = (D_p * D_p) @ T.sum(axis=1), (D_r * D_r) @ T.sum(axis=0)
    gradient: Array = 2.0 * (rows[:, None] + columns + 2.0 * (D_p @ T @ D_r))
    return gradient


def gradient(problem: Problem, T: Array) -> Array:
    """The Wasserstein gradient of eq. 3 but for its penalties, (1 - theta) C + theta dQ/dT.

    It is the cost of the linearisation at T, with T's shape.
    """
    G = structure_gradient(problem.D_p, problem.D_r, T)
    return (1.0 - problem.theta) * problem.C + problem.theta * G


def _sparse_structure(D_p: Structure, D_r: Structure, T: Array) -> float:
    i, j = np.nonzero(T)
    mass = T[i, j]
    total = 0.0
    for start in range(0, len(i), _BLOCK):
        part = slice(start, start + _BLOCK)
        mismatch = D_p[np.ix_(i[part], i)] - D_r[np.ix_(j[part], j)]
        total += float(mass[part] @ (mismatch * mismatch @ mass))
    return total
