"""The objective of eq. 3 by terms, in NumPy: the definition for both solvers.

Fused unbalanced Gromov-Wasserstein [Barazandeh2026], after [Vayer2020] and [Thual2022].
"""

from typing import NamedTuple

import numpy as np

from otap.transport.core import one_thread
from otap.transport.problem import Problem
from otap.transport.structure import Array, Structure, dense

# Rows of the n x n mismatch of a sparse coupling in a block, which limits the memory.
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
        """The loss: the sum of the four parts."""
        return self.node + self.structure + self.agent_mass + self.reference_mass


def terms(problem: Problem, T: Array) -> Terms:
    """Returns the terms of eq. 3 without entropy at T, (n, m), not negative."""
    with one_thread(max(T.shape)):
        return Terms(
            node=(1.0 - problem.theta) * float((problem.C * T).sum()),
            structure=problem.theta * structure(problem.D_p, problem.D_r, T),
            agent_mass=float((problem.lambda_1 * kl(T.sum(axis=1), problem.mu)).sum()),
            reference_mass=float((problem.lambda_2 * kl(T.sum(axis=0), problem.nu)).sum()),
        )


def objective(problem: Problem, T: Array, epsilon: float = 0.0) -> float:
    """Returns eq. 3 at T, (n, m), not negative: the terms plus epsilon times the entropy."""
    loss = terms(problem, T).loss
    return loss + epsilon * entropy(T) if epsilon else loss


def kl(a: Array, b: Array) -> Array:
    """Returns the generalised Kullback-Leibler divergence a log(a / b) - a + b of each entry, >= 0.

    Args:
        a: masses, at least 0; an entry of 0 costs b.
        b: reference masses, positive.
    """
    ratio = np.where(a > 0, a, b) / b
    # Near a = b the rounding error can make the value negative.
    value: Array = np.where(a > 0, a * np.log(ratio) - a + b, b)
    return np.maximum(value, 0.0)


def entropy(T: Array) -> float:
    """Returns the entropy term sum T_ij (log T_ij - 1), the paper's -H, with gradient log T.

    It has no reference measure: it is that of [Peyre2019], eq. 4.1, not relative to mu nu'.
    """
    return float((T * (np.log(np.where(T > 0, T, 1.0)) - 1.0)).sum())


def structure(D_p: Structure, D_r: Structure, T: Array) -> float:
    """Returns the Gromov-Wasserstein term sum_ijkl (D_p_ik - D_r_jl)^2 T_ij T_kl [Memoli2011].

    Never negative. A sparse coupling is summed by pairs, which is exact if the term is 0.
    """
    if np.count_nonzero(T) <= max(T.shape):
        return _sparse_structure(D_p, D_r, T)
    # Half of <gradient, T>, as Q is quadratic. The factorised form can round to below 0.
    return max(float((structure_gradient(D_p, D_r, T) * T).sum()) / 2, 0.0)


def structure_gradient(D_p: Structure, D_r: Structure, T: Array) -> Array:
    """Returns the gradient of Q at T, (n, m), factorised as in [Peyre2016], prop. 1.

    2 (sum_k D_p_ik^2 r_k + sum_l D_r_jl^2 c_l - 2 (D_p T D_r')_ij), where D' is -D.
    """
    D_p, D_r = dense(D_p), dense(D_r)
    rows, columns = (D_p * D_p) @ T.sum(axis=1), (D_r * D_r) @ T.sum(axis=0)
    gradient: Array = 2.0 * (rows[:, None] + columns + 2.0 * (D_p @ T @ D_r))
    return gradient


def gradient(problem: Problem, T: Array) -> Array:
    """Returns the gradient of eq. 3 without its penalties, (1 - theta) C + theta dQ/dT, (n, m).

    It is the cost of the linearisation at T.
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
