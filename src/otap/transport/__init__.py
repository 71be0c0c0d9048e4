"""Arrays in, coupling out: the fused unbalanced Gromov-Wasserstein problem, and its solver.

`plain` is the solver as it is defined, in NumPy, and `native` calls the one in C++; `core` says
which of them solves, `solver` is the way in.
"""

from otap.transport.assignment import assignment
from otap.transport.bounds import Columns, lower_bound, lower_bounds
from otap.transport.core import ONE_THREAD, core_name, processors
from otap.transport.objective import Terms, kl, objective, terms
from otap.transport.parameters import FORBIDDEN
from otap.transport.problem import Problem
from otap.transport.solution import Solution, Solutions
from otap.transport.solver import (
    Support,
    contributions,
    quick_losses,
    solve,
    solve_batch,
    support_of,
)
from otap.transport.structure import SMALL, Hops, Structure, dense

__all__ = [
    "FORBIDDEN",
    "ONE_THREAD",
    "SMALL",
    "Columns",
    "Hops",
    "Problem",
    "Solution",
    "Solutions",
    "Structure",
    "Support",
    "Terms",
    "assignment",
    "contributions",
    "core_name",
    "dense",
    "kl",
    "lower_bound",
    "lower_bounds",
    "objective",
    "processors",
    "quick_losses",
    "solve",
    "solve_batch",
    "support_of",
    "terms",
]  # fmt: skip
