"""Comparisons made by hand: couplings and costs as a test wants them."""

from collections.abc import Collection, Container, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from builders import run_of
from otap.alignment import Comparison, StepProblem, WithoutSteps
from otap.config import Config
from otap.costs import FieldCosts, ToolTable, hop_distances, single_nodes
from otap.run import dependency_graph
from otap.run.change_facts import ChangeFacts
from otap.run.columns import StepColumns
from otap.run.generated_ids import Renaming
from otap.run.grounding import find_assumed, find_ungrounded
from otap.run.index import ValueIndex
from otap.run.protections import read_switches
from otap.trajectory import NO_CONSTRAINTS, Trajectory
from otap.transport import Problem, Solution
from otap.transport.objective import terms


def steps(*given: dict[str, Any], **shared: Any) -> Trajectory:
    """A run of these steps, with ids 1, 2, ... unless they name their own."""
    return run_of(*({**shared, **step} for step in given))


class Whole:
    """A run of which every step counts, with what its steps do and which failed."""

    def __init__(
        self,
        trajectory: Trajectory,
        roles: Sequence[str] | None = None,
        in_full: Collection[str] = ("writes",),
    ) -> None:
        self.run = self.view = self
        self.switches = [read_switches(step) for step in trajectory.steps]
        self.scored, self.names = trajectory, Renaming()
        self.flat, self.index = SimpleNamespace(trajectory=trajectory), ValueIndex(trajectory)
        self.roles = ["writes"] * len(trajectory.steps) if roles is None else roles
        self.extra_roles = self.roles
        self.repeated_settings = self.logins = frozenset[int]()
        self.failed = np.array([step.status == "error" for step in trajectory.steps], dtype=bool)
        self.hidden_changes = ()
        self.full_weight = self.full_weight_extra = in_full
        self.plan_constraints = NO_CONSTRAINTS
        self.messages = self.messages_to_user = None
        self.required_answers = ()
        self.settings = SimpleNamespace(config=Config())
        self.scored_indices = range(len(trajectory.steps))
        self.ungrounded = find_ungrounded(trajectory, self.index)

    def find_assumed(self, among: Container[str]) -> frozenset[str]:
        """Which of some values it uses without a source."""
        return find_assumed(self.scored, self.index, among)

    def read_change(self, k: int) -> ChangeFacts:
        """The facts of a step."""
        return ChangeFacts(self.scored.steps[k])


def comparison(
    run: Trajectory,
    reference: Trajectory,
    T: npt.ArrayLike,
    C: npt.ArrayLike,
    *,
    order_scored: bool = True,
    critical: tuple[int, ...] = (),
    roles: tuple[Sequence[str] | None, Sequence[str] | None] = (None, None),
    in_full: Collection[str] = ("writes",),
) -> Comparison:
    """The comparison at coupling T with node cost C, all of it the cost of arguments and tools.

    ``roles`` are those of the steps of either side; left out, all write. ``in_full`` are those that
    count in full against the reference.
    """
    T, C = np.asarray(T, dtype=np.float64), np.asarray(C, dtype=np.float64)
    n, m = C.shape
    sides = run, reference
    graphs = [dependency_graph(side) for side in sides]
    D = [hop_distances(graph) * order_scored for graph in graphs]
    mu, nu = np.full(n, 1 / n), np.full(m, 1 / m)
    problem = Problem(C, D[0], D[1], mu, nu, 0.35)
    tools = ToolTable().between(run.steps, reference.steps) * C
    costs = FieldCosts({"tool": tools, "arguments": C - tools}, {"tool": 1.0, "arguments": 1.0})
    recorded = Whole(run, roles[0], in_full), Whole(reference, roles[1], in_full)
    nodes = [
        single_nodes(
            StepColumns(side.scored.steps), graph, structure, np.ones(len(side.roles)), which,
            roles=side.roles, failed=side.failed,
        )
        for side, graph, structure, which in zip(
            recorded, graphs, D, (None, np.isin(np.arange(m), critical)), strict=True
        )
    ]  # fmt: skip
    posed = StepProblem(
        recorded=recorded,
        run=nodes[0],
        reference=nodes[1],
        costs=costs,
        order_scored=order_scored,
        arrays=problem,
    )
    return Comparison(posed, Solution(problem, T, terms(problem, T), 0.0, True, 1, 1, 0.0))


def without_steps(
    run: Trajectory,
    reference: Trajectory,
    roles: tuple[Sequence[str] | None, Sequence[str] | None] = (None, None),
) -> WithoutSteps:
    """What a side without steps leaves to compare, at a mass of 1 for either."""
    return WithoutSteps(run, reference, 1, 1, (Whole(run, roles[0]), Whole(reference, roles[1])))
