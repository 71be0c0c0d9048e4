"""A run and one reference -> the transport problem between them, and back to a comparison."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from otap.alignment import Comparison
from otap.dependencies import DependencyGraph, common_mechanism, dependency_graph
from otap.encoders import Encoder
from otap.errors import LimitError, NoReferenceError, shown
from otap.matrices import (
    FIELDS,
    FieldCosts,
    ToolTable,
    critical_steps,
    field_costs,
    hop_distances,
    observed_fields,
)
from otap.scoring.config import Config
from otap.scoring.skill import UNRELATED_COST, unrelated_loss
from otap.trajectory import Step, Trajectory
from otap.transport import Problem, Solution, solve_batch

MAX_STEPS = 20_000
Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Setting:
    """What all pairs of one scorer share."""

    config: Config
    encoder: Encoder
    tools: ToolTable = field(init=False)

    def __post_init__(self) -> None:
        groups = [(group.tools, group.distance) for group in self.config.substitutes]
        object.__setattr__(self, "tools", ToolTable(groups))

    @property
    def unrelated_cost(self) -> Mapping[str, float] | None:
        """What matched steps of unrelated tasks cost, by field, where it is known."""
        if self.config.unrelated_cost is not None:
            return {str(name): cost for name, cost in self.config.unrelated_cost.items()}
        known = UNRELATED_COST.get(self.encoder.name)
        if known is None:
            return None
        way = "arguments" if self.config.arguments == "structured" else "arguments:text"
        return {name: known[way if name == "arguments" else name] for name in FIELDS}


@dataclass(frozen=True, eq=False)
class Pairing:
    """A run and a reference, both with steps, and the arrays between them."""

    run: Trajectory
    reference: Trajectory
    run_graph: DependencyGraph
    reference_graph: DependencyGraph
    costs: FieldCosts
    critical: npt.NDArray[np.bool_]
    config: Config

    @property
    def order_scored(self) -> bool:
        """Whether the structure of this pair is known, and takes part."""
        return self.config.theta > 0 and _known(self.run_graph, self.config)

    @cached_property
    def problem(self) -> Problem:
        """The transport problem of this pair."""
        config = self.config
        n, m = len(self.run.steps), len(self.reference.steps)
        emphasis = 1.0 + config.kappa * self.critical
        by_mass = config.criticality == "mass"
        return Problem(
            C=self.costs.total,
            D_p=self._structure(self.run_graph),
            D_r=self._structure(self.reference_graph),
            mu=np.full(n, 1.0 / n),
            nu=emphasis / emphasis.sum() if by_mass else np.full(m, 1.0 / m),
            theta=config.theta,
            lambda_1=config.lambda_agent,
            lambda_2=config.lambda_reference * (1.0 if by_mass else emphasis / emphasis.mean()),
        )

    def _structure(self, graph: DependencyGraph) -> Array:
        return hop_distances(graph) if self.order_scored else np.zeros((graph.size, graph.size))

    def compared(self, solution: Solution) -> Comparison:
        """Returns the comparison that a solution of the problem makes of this pair."""
        weighted = {
            name: self.costs.weights[name] * matrix for name, matrix in self.costs.distances.items()
        }
        return Comparison(
            run=self.run,
            reference=self.reference,
            run_graph=self.run_graph,
            reference_graph=self.reference_graph,
            field_costs=weighted,
            critical=self.critical,
            order_scored=self.order_scored,
            solution=solution,
        )


def pair(run: Trajectory, reference: Trajectory, setting: Setting, depth: int = 0) -> Pairing:
    """Returns the pairing of two trajectories that both have steps.

    Raises:
        LimitError: if a side has more than MAX_STEPS steps, or sub-steps below ``max_depth``.
        DependencyError: if the mechanism asked for is not to be had.
        NoReferenceError: if no field is recorded on both sides.
    """
    for trajectory in (run, reference):
        _check_size(trajectory)
    config = setting.config
    mechanism = config.dependencies
    chosen = common_mechanism(run, reference) if mechanism == "auto" else mechanism
    graphs = dependency_graph(run, chosen), dependency_graph(reference, chosen)
    weights = field_weights(run, reference, config)
    costs = field_costs(
        run.steps, reference.steps, weights, setting.encoder, setting.tools, config.arguments
    )
    return Pairing(
        run=run,
        reference=reference,
        run_graph=graphs[0],
        reference_graph=graphs[1],
        costs=_with_substeps(run, reference, costs, setting, depth),
        critical=_critical(reference, graphs[1], config),
        config=config,
    )


def compare(pairings: Sequence[Pairing]) -> list[Comparison]:
    """Solves all pairings together."""
    if not pairings:
        return []
    epsilon = pairings[0].config.epsilon
    solutions = solve_batch([pairing.problem for pairing in pairings], epsilon)
    return [
        pairing.compared(solution) for pairing, solution in zip(pairings, solutions, strict=True)
    ]


def field_weights(run: Trajectory, reference: Trajectory, config: Config) -> dict[str, float]:
    """Returns the weights of the fields that take part, summing to 1.

    Raises:
        NoReferenceError: if none does.
    """
    weights = _common_fields(run, reference, config)
    if not weights:
        raise NoReferenceError(
            f"{shown(run.name)} and {shown(reference.name)} have no field in common: of "
            f"{', '.join(FIELDS)}, none with a weight is recorded on both sides"
        )
    total = sum(weights.values())
    return {name: weights[name] / total for name in FIELDS if name in weights}


def _common_fields(run: Trajectory, reference: Trajectory, config: Config) -> dict[str, float]:
    weights = {name: value for name, value in config.weights.model_dump().items() if value > 0}
    if config.unobserved == "empty":
        return weights
    common = observed_fields(run.steps) & observed_fields(reference.steps)
    if not any(step.kind == "tool" for step in (*run.steps, *reference.steps)):
        common -= {"tool"}  # where nobody calls a tool, calling none is no likeness
    return {name: value for name, value in weights.items() if name in common}


def unrelated_loss_of(weights: Mapping[str, float], setting: Setting) -> float | None:
    """Returns the loss of an unrelated run over these fields, None where no cost is known."""
    costs, config = setting.unrelated_cost, setting.config
    if costs is None or any(name not in costs for name in weights):
        return None
    return unrelated_loss(
        weights, costs, config.theta, config.lambda_agent, config.lambda_reference
    )


def _known(graph: DependencyGraph, config: Config) -> bool:
    """Whether a graph says more than in which order its steps are listed.

    A total order that stands for unknown dependencies carries no information about them: it
    cannot tell a valid reordering from an inversion. Asked for by name, it counts.
    """
    if graph.mechanism != "sequential":
        return True
    return config.dependencies == "sequential" or config.unknown_order == "scored"


def _critical(
    reference: Trajectory, graph: DependencyGraph, config: Config
) -> npt.NDArray[np.bool_]:
    """The critical steps; where dependencies are unknown, only goals that are declared."""
    if _known(graph, config):
        return critical_steps(reference, graph, config.goals)
    if "goals" not in reference.metadata:
        return np.zeros(graph.size, dtype=np.bool_)
    return critical_steps(reference, DependencyGraph(graph.size, (), graph.mechanism), config.goals)


def _check_size(trajectory: Trajectory) -> None:
    if len(trajectory.steps) > MAX_STEPS:
        raise LimitError(
            f"{shown(trajectory.name)} has {len(trajectory.steps)} steps, above the limit of "
            f"{MAX_STEPS}; score its parts, or group its steps into sub-steps"
        )


def _with_substeps(
    run: Trajectory, reference: Trajectory, costs: FieldCosts, setting: Setting, depth: int
) -> FieldCosts:
    """Lowers the cost of pairs whose sub-steps are closer than their own fields are.

    The fields of such a pair are scaled alike, so that they still sum to its cost.
    """
    if not any(step.substeps for step in (*run.steps, *reference.steps)):
        return costs
    nested = [
        (i, j)
        for i, step in enumerate(run.steps)
        for j, other in enumerate(reference.steps)
        if (step.substeps or other.substeps)
        and _common_fields(_inside(run, i), _inside(reference, j), setting.config)
    ]
    if not nested:
        return costs
    if depth >= setting.config.max_depth:
        raise LimitError(
            f"{shown(run.name)}: sub-steps nest deeper than {setting.config.max_depth} levels "
            "(max_depth)"
        )
    scale = np.ones(costs.total.shape)
    distances = _child_distances(run, reference, nested, setting, depth)
    for (i, j), distance in zip(nested, distances, strict=True):
        own = costs.total[i, j]
        if distance < own:
            scale[i, j] = distance / own
    return replace(
        costs, distances={name: matrix * scale for name, matrix in costs.distances.items()}
    )


def _child_distances(
    run: Trajectory,
    reference: Trajectory,
    nested: Sequence[tuple[int, int]],
    setting: Setting,
    depth: int,
) -> list[float]:
    """Returns min(1, L / L_u) of the sub-steps of each pair, with kappa 0."""
    inner_config = setting.config.model_copy(update={"kappa": 0.0, "dependencies": "auto"})
    inner = Setting(inner_config, setting.encoder)
    pairings = [pair(_inside(run, i), _inside(reference, j), inner, depth + 1) for i, j in nested]
    distances = []
    for comparison, pairing in zip(compare(pairings), pairings, strict=True):
        unrelated = unrelated_loss_of(pairing.costs.weights, setting)
        scale = unrelated or setting.config.lambda_agent + setting.config.lambda_reference
        distances.append(min(1.0, comparison.loss / scale))
    return distances


def _inside(trajectory: Trajectory, index: int) -> Trajectory:
    """The sub-steps of a step as a trajectory; without any, the step alone."""
    step: Step = trajectory.steps[index]
    steps = step.substeps or (step.model_copy(update={"depends_on": ()}),)
    return trajectory.model_copy(update={"steps": steps, "metadata": {}})
