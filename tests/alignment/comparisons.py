"""Comparisons made by hand: couplings and costs as a test wants them."""

from typing import Any

import numpy as np
import numpy.typing as npt

from otap.alignment import Comparison, Nodes, Recorded
from otap.dependencies import dependency_graph
from otap.dependencies.grounding import Grounds
from otap.matrices import ToolTable, hop_distances
from otap.trajectory import Trajectory, parse_trajectory
from otap.transport import Problem, Solution
from otap.transport.objective import terms


def steps(*given: dict[str, Any], **shared: Any) -> Trajectory:
    """A run of these steps, with ids 1, 2, ... unless they name their own."""
    numbered = [{"id": str(k), **shared, **step} for k, step in enumerate(given, 1)]
    return parse_trajectory({"steps": numbered})


def comparison(
    run: Trajectory,
    reference: Trajectory,
    T: npt.ArrayLike,
    C: npt.ArrayLike,
    *,
    order_scored: bool = True,
    critical: tuple[int, ...] = (),
) -> Comparison:
    """The comparison at coupling T with node cost C, all of it the cost of arguments and tools."""
    T, C = np.asarray(T, dtype=np.float64), np.asarray(C, dtype=np.float64)
    n, m = C.shape
    graphs = dependency_graph(run), dependency_graph(reference)
    D = [hop_distances(graph) * order_scored for graph in graphs]
    problem = Problem(C, D[0], D[1], np.full(n, 1 / n), np.full(m, 1 / m), 0.35)
    tools = ToolTable().between(run.steps, reference.steps) * C
    return Comparison(
        recorded=(Recorded.whole(run, Grounds()), Recorded.whole(reference, Grounds())),
        run=Nodes.single(run.steps, graphs[0]),
        reference=Nodes.single(reference.steps, graphs[1]),
        field_costs={"tool": tools, "arguments": C - tools},
        critical=np.isin(np.arange(m), critical),
        order_scored=order_scored,
        solution=Solution(problem, T, terms(problem, T), 0.0, True, 1, 1, 0.0),
    )
