"""Arrays in, coupling out: the fused unbalanced Gromov-Wasserstein problem, and its solver."""

from otap.transport.objective import objective
from otap.transport.problem import Problem
from otap.transport.solution import Solution
from otap.transport.solver import solve, solve_batch

__all__ = ["Problem", "Solution", "objective", "solve", "solve_batch"]
