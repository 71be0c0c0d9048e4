"""Eq. 6: the masses mu of the run and nu of the reference; critical steps have more of nu."""

import numpy as np
import numpy.typing as npt

from otap.graph import DependencyGraph
from otap.run.criticality import dominating_steps

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def masses(w_p: Array, w_r: Array, crit: Flags, kappa: float) -> tuple[Array, Array]:
    """Returns mu_i = w_i / sum w, and nu_j in proportion to w_j (1 + kappa crit(j)); sums are 1.

    In the paper every weight is 1, so mu_i = 1 / n, and nu_j = 1 / m if kappa is 0. The setting
    ``tools.weight`` may give the calls of a tool another weight.

    Args:
        w_p: the weights of the run's steps, (n,).
        w_r: the weights of the reference's steps, (m,).
        crit: its critical steps, (m,).
        kappa: the additional mass of a critical step.
    """
    emphasis = 1.0 + kappa * crit
    mean = (w_r * emphasis).sum() / w_r.sum()
    return w_p / w_p.sum(), w_r / w_r.sum() * emphasis / mean


def critical(graph: DependencyGraph) -> Flags:
    """Returns crit, (m,): whether some goal is out of reach of some source without the step.

    Sources have no parents, and goals have no children. The paper leaves open whether every source
    must stay connected with every goal. Here one pair that is cut is enough, and both ends of a
    pair cut it: every source and every goal is critical.

    Args:
        graph: the dependencies of the reference.
    """
    return dominating_steps(graph, set(graph.sinks))
