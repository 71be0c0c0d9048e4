"""Arrays in, coupling out: the fused unbalanced Gromov-Wasserstein problem, and its solver.

At the top stands the mathematics, and what both solvers share. `numpy` and `native` are the two
solvers; `core` says which of them solves, `solver` is the way in.
"""

from otap.transport.assignment import assignment
from otap.transport.bounds import Columns, lower_bound, lower_bounds
from otap.transport.contributions import contributions
from otap.transport.core import core_name
from otap.transport.objective import Terms, kl, objective, terms
from otap.transport.problem import Problem
from otap.transport.solution import Solution, Solutions
from otap.transport.solver import quick_losses, solve, solve_batch
from otap.transport.structure import SMALL, Hops, Structure, dense
from otap.transport.threads import ONE_THREAD, processors

__all__ = [
    "ONE_THREAD", "SMALL", "Columns", "Hops", "Problem", "Solution", "Solutions", "Structure",
    "Terms", "assignment", "contributions", "core_name", "dense", "kl", "lower_bound",
    "lower_bounds", "objective", "processors", "quick_losses", "solve", "solve_batch", "terms",
]  # fmt: skip
