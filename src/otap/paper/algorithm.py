"""Algorithm 1: the evaluation of a run P against the references R_1, ..., R_K."""

from collections.abc import Iterable, Mapping, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from otap._caching import cached_property
from otap.alignment import Comparison, StepProblem
from otap.config import Config
from otap.costs import CostNodes, FieldCosts, ToolTable, executed, single_nodes
from otap.encoders import Encoder
from otap.paper.masses import critical, masses
from otap.paper.node_cost import NodeCost
from otap.paper.objective import objective
from otap.paper.soft_minimum import SoftMinimum, soft_minimum
from otap.paper.structure import dependency_distance
from otap.paper.substeps import with_substeps
from otap.paper.unrelated import unrelated_costs, unrelated_loss
from otap.run import FIELDS, Mechanism, common_mechanism
from otap.run.columns import StepColumns
from otap.run.run import Run, RunView
from otap.run.settings import RunSettings
from otap.run.store import PreparedRuns
from otap.trajectory import Trajectory
from otap.transport import Structure, solve_batch


class Algorithm:
    """The lines of Algorithm 1; the caller runs them, and solves many references in one batch.

    ==========  ===========================================================
    Lines 1, 3  ``prepare``, ``node_costs``, ``problem``: P, C, D_p and D_r
    Line 4      ``solve``: L_k
    Line 6      ``soft_minimum``: L
    Line 7      the record of the score, which has exp(-L)
    ==========  ===========================================================

    Line 7 also returns eq. 4, pi = |T 1| / |mu| and rho = |T' 1| / |nu|. Both norms below are 1,
    and both above are the sum of T. So pi = rho, and the record has the number once, as ``mass``;
    its precision and recall are the mean match quality of the steps of either side instead.

    The paper sets H(T) over every coupling, so an optimal T has no entry 0, and the mass can
    exceed 1. For P = R the loss is then above 0.

    Args:
        config: theta, lambda_1, lambda_2, epsilon, T, kappa, and the weights of eq. 1.
        psi: the encoder.
        tools: the distances d_T of eq. 1.
    """

    def __init__(self, config: Config, psi: Encoder, tools: ToolTable) -> None:
        self.config = config
        self.runs = PreparedRuns(RunSettings(config))
        self.node_cost = NodeCost(psi, tools)
        self._nodes: WeakKeyDictionary[RunView, dict[tuple[Mechanism, bool], CostNodes]]
        self._nodes = WeakKeyDictionary()

    @cached_property
    def for_substeps(self) -> "Algorithm":
        """The algorithm of Remark 1, one level below: kappa is 0, and edges are found anew."""
        config = self.config.model_copy(update={"kappa": 0.0, "dependencies": "auto"})
        return Algorithm(config, self.node_cost.encoder, self.node_cost.tools)

    def prepare(self, trajectory: Trajectory) -> Run:
        """Returns the steps of a run or a reference as they were recorded (line 1)."""
        return self.runs.of(trajectory)

    def node_costs(self, P: StepColumns, R: StepColumns) -> FieldCosts:
        """Returns C of eq. 1 over all fields with a weight, (n, m) (line 3)."""
        return self.node_cost.between(P, R, self.weights)

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """alpha, beta, gamma, delta and eta by field, rescaled to sum to 1; only those above 0."""
        weights = {name: weight for name, weight in self.config.weights if weight > 0}
        total = sum(weights.values())
        return {name: weights[name] / total for name in FIELDS if name in weights}

    def with_substeps(self, P: RunView, R: RunView, costs: FieldCosts) -> FieldCosts:
        """Returns C with the child distances of steps that have sub-steps (Remark 1)."""
        return with_substeps(self, P, R, costs)

    def problem(self, P: RunView, R: RunView, costs: FieldCosts) -> StepProblem:
        """Returns the problem of eq. 3 between a run and one reference (lines 1 to 3).

        With theta = 0 the structure has no part, and D is 0 on both sides.

        Args:
            P: the run.
            R: the reference.
            costs: C of eq. 1, (n, m).

        Raises:
            DependencyError: if a side does not record the configured mechanism.
        """
        config = self.config
        of_p, of_r = find_mechanisms(P.run, R.run, config.dependencies)
        run, reference = self._list_nodes(P, of_p), self._list_nodes(R, of_r, is_reference=True)
        mu, nu = masses(run.weights, reference.weights, reference.critical, config.kappa)
        D_p: Structure = run.structure
        D_r: Structure = reference.structure
        if config.theta == 0:
            D_p, D_r = np.zeros((P.size, P.size)), np.zeros((R.size, R.size))
        elif of_p == "sequential" != of_r:
            D_p = executed(None, D_r, costs.total, run.turns, reference.graph.order)
        lambdas = config.lambda_agent, config.lambda_reference
        arrays = objective(costs.total, D_p, D_r, mu, nu, config.theta, *lambdas)
        return StepProblem((P, R), run, reference, costs, config.theta > 0, arrays)

    def _list_nodes(
        self, view: RunView, mechanism: Mechanism, *, is_reference: bool = False
    ) -> CostNodes:
        """The steps of one side with their edges, D and crit, made once for each view."""
        by_key = self._nodes.setdefault(view, {})
        key = mechanism, is_reference
        if key not in by_key:
            run, graph = view.run, view.run.graph(mechanism)
            # Neither conflicts nor a plan show which steps lead to a goal.
            has_goals = mechanism != "conflicts" and not run.plan_constraints.is_plan
            by_key[key] = single_nodes(
                view.columns,
                graph,
                dependency_distance(graph),
                view.weights(run.full_weight),
                critical(graph) if is_reference and has_goals else None,
                roles=view.roles,
                failed=run.failed,
            )
        return by_key[key]

    def solve(self, problems: Iterable[StepProblem]) -> list[Comparison]:
        """Returns the minimiser T of eq. 3 and its loss L_k for each problem (line 4)."""
        posed = list(problems)
        solutions = solve_batch([problem.arrays for problem in posed], self.config.epsilon)
        return [
            Comparison(problem, solution)
            for problem, solution in zip(posed, solutions, strict=True)
        ]

    def soft_minimum(self, losses: Sequence[float]) -> SoftMinimum:
        """Returns L, the soft minimum of eq. 5 over L_1, ..., L_K (line 6)."""
        return soft_minimum(losses, self.config.temperature)

    @cached_property
    def unrelated_cost(self) -> Mapping[str, float] | None:
        """The cost of matched steps of unrelated tasks by field; None if it is unknown."""
        paper = self.config.paper
        if paper is not None and paper.unrelated_cost is not None:
            return {str(name): cost for name, cost in paper.unrelated_cost.items()}
        return unrelated_costs(self.node_cost.encoder.name)

    def unrelated_loss(self, weights: Mapping[str, float]) -> float | None:
        """Returns L_u for some weights of eq. 1; None if the cost of a field is unknown."""
        costs, c_0 = self.unrelated_cost, 0.0
        for name, weight in weights.items():
            if costs is None or name not in costs:
                return None
            c_0 += weight * costs[name]
        config = self.config
        return unrelated_loss(c_0, config.theta, config.lambda_agent, config.lambda_reference)


def find_mechanisms(P: Run, R: Run, configured: str) -> tuple[Mechanism, Mechanism]:
    """Returns how the edges of both sides are found: the first way that both sides allow.

    The paper's ways are (a) explicit edges, (b) traced artifacts and (c) the order in which the
    steps are listed. A total order counts as (c) even if it says nothing about dependencies. Two
    ways are not the paper's. The setting ``dependencies`` may name one mechanism, or ``order`` for
    the order of the run against the best way of the reference; and a plan has explicit edges,
    against which the order of the run is compared.
    """
    if R.plan_constraints.is_plan:
        return "sequential", "explicit"
    if configured == "order":
        return "sequential", common_mechanism(R.flat.trajectory)
    if configured == "auto":
        common = common_mechanism(P.flat.trajectory, R.flat.trajectory)
        return common, common
    mechanism: Mechanism = configured  # type: ignore[assignment]
    return mechanism, mechanism
