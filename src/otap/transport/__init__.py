"""The solver of fused unbalanced Gromov-Wasserstein problems: arrays in, coupling out.

`plain` defines the method in NumPy, and `native` calls the implementation in C++. `core` chooses
one of them, and `solver` is the interface.
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
