"""Eq. 3: the unbalanced fused Gromov-Wasserstein objective."""

from otap.paper.masses import Array
from otap.transport import Problem, Structure


def objective(
    C: Array, D_p: Structure, D_r: Structure, mu: Array, nu: Array,
    theta: float, lambda_1: float, lambda_2: float,
) -> Problem:  # fmt: skip
    """Returns the problem of minimising eq. 3 over couplings T >= 0, (n, m).

        L(P, R) = (1 - theta) sum_ij C_ij T_ij
                + theta sum_ijkl |D_p_ik - D_r_jl|^2 T_ij T_kl
                + lambda_1 KL(T 1 | mu) + lambda_2 KL(T' 1 | nu) - epsilon H(T)

    KL(a | b) = sum a log(a / b) - a + b, and H(T) = -sum T_ij (log T_ij - 1), as in the appendix.
    ``otap.transport.objective`` states the terms in NumPy. The solver takes epsilon and includes
    -epsilon H(T) in the minimisation. The loss that it reports is the sum of the other four terms
    at the minimiser: with the entropy term L could be negative and exp(-L) above 1, against eq. 7.

    The paper solves the linearisations by Sinkhorn iterations, and the solver here by damped
    Newton on the same dual. Both reach its one optimum. The problem as a whole is not convex, so
    the result is the best of several starts.

    Args:
        C: eq. 1, (n, m).
        D_p: eq. 2 of the run, (n, n).
        D_r: eq. 2 of the reference, (m, m).
        mu: eq. 6 of the run, (n,).
        nu: eq. 6 of the reference, (m,).
        theta: the weight of structure, in [0, 1].
        lambda_1: the weight of unmatched steps of the run.
        lambda_2: the weight of unmatched steps of the reference.
    """
    return Problem(C, D_p, D_r, mu, nu, theta, lambda_1, lambda_2)
