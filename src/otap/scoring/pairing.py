"""A run and one reference -> the transport problem between them, and back to a comparison."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from otap.alignment import Comparison
from otap.dependencies import DependencyGraph
from otap.dependencies.mechanisms import MECHANISMS
from otap.encoders import Encoder
from otap.errors import LimitError, NoReferenceError, shown
from otap.matrices import (
    FIELDS,
    FieldCosts,
    Fields,
    ToolTable,
    field_costs,
)
from otap.scoring.config import Config
from otap.scoring.side import Side, Sides
from otap.scoring.skill import UNRELATED_COST, unrelated_loss
from otap.trajectory import Step, Trajectory
from otap.transport import Problem, Solution, solve_batch
from otap.transport.structure import Structure

LARGEST = 100_000  # steps of references in one cost matrix
Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Setting:
    """What all pairs of one scorer share."""

    config: Config
    encoder: Encoder
    tools: ToolTable = field(init=False)
    sides: Sides = field(default_factory=Sides)

    def __post_init__(self) -> None:
        groups = [(group.tools, group.distance) for group in self.config.substitutes]
        object.__setattr__(self, "tools", ToolTable(groups))

    @cached_property
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
    structures: tuple[Structure, Structure]
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
            D_p=self.structures[0] if self.order_scored else np.zeros((n, n)),
            D_r=self.structures[1] if self.order_scored else np.zeros((m, m)),
            mu=np.full(n, 1.0 / n),
            nu=emphasis / emphasis.sum() if by_mass else np.full(m, 1.0 / m),
            theta=config.theta,
            lambda_1=config.lambda_agent,
            lambda_2=config.lambda_reference * (1.0 if by_mass else emphasis / emphasis.mean()),
        )

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


def pair(
    run: Trajectory, references: Sequence[Trajectory], setting: Setting, depth: int = 0
) -> list[Pairing]:
    """Returns the pairing of a run with each of some references; all have steps.

    Raises:
        LimitError: if a side has more than MAX_STEPS steps, or sub-steps below ``max_depth``.
        DependencyError: if the mechanism asked for is not to be had.
        NoReferenceError: if no field is recorded on both sides.
    """
    side, others = setting.sides.of(run), [setting.sides.of(other) for other in references]
    found: dict[int, FieldCosts] = {}
    for places, costs in cost_matrices(side, others, setting):
        found.update(zip(places, parts(costs, [others[k] for k in places]), strict=True))
    return [pairing(side, other, found[k], setting, depth) for k, other in enumerate(others)]


def pairing(
    side: Side, other: Side, costs: FieldCosts, setting: Setting, depth: int = 0
) -> Pairing:
    """Returns the pairing of two sides whose fields cost this much."""
    config, run, reference = setting.config, side.trajectory, other.trajectory
    mechanism = config.dependencies
    if mechanism == "auto":
        mechanism = next(m for m in MECHANISMS if m in side.mechanisms & other.mechanisms)
    graph = other.graph(mechanism)
    if side.has_substeps or other.has_substeps:
        costs = _with_substeps(run, reference, costs, setting, depth)
    return Pairing(
        run=run,
        reference=reference,
        run_graph=side.graph(mechanism),
        reference_graph=graph,
        structures=(
            side.structure(mechanism, config.precedence),
            other.structure(mechanism, config.precedence),
        ),
        costs=costs,
        critical=other.critical(mechanism, config.goals, _known(graph, config)),
        config=config,
    )


def cost_matrices(
    side: Side, others: Sequence[Side], setting: Setting
) -> Iterator[tuple[list[int], FieldCosts]]:
    """Yields the costs of a run against the steps of many references, and which ones these are.

    References that are compared over the same fields share a matrix, of LARGEST columns at most.
    """
    for one in (side, *others):
        one.check_size()
    weights = _all_weights(side, others, setting.config)
    for places in _alike(weights, [len(other.fields.steps) for other in others]):
        fields = Fields.joined([others[k].fields for k in places])
        yield places, field_costs(
            side.fields, fields, weights[places[0]], setting.encoder, setting.tools,
            setting.config.arguments,
        )  # fmt: skip


def parts(costs: FieldCosts, others: Sequence[Side]) -> Iterator[FieldCosts]:
    """Yields the part of a joined cost matrix that belongs to each reference."""
    start = 0
    for other in others:
        end = start + len(other.fields.steps)
        yield costs if len(others) == 1 else costs.columns(slice(start, end))
        start = end


def _alike(weights: Sequence[Mapping[str, float]], sizes: Sequence[int]) -> Iterator[list[int]]:
    """The places of equal weights, in portions of at most LARGEST steps in all."""
    groups: dict[tuple[tuple[str, float], ...], list[int]] = {}
    for place, found in enumerate(weights):
        groups.setdefault(tuple(found.items()), []).append(place)
    for places in groups.values():
        portion: list[int] = []
        steps = 0
        for place in places:
            if portion and steps + sizes[place] > LARGEST:
                yield portion
                portion, steps = [], 0
            portion.append(place)
            steps += sizes[place]
        yield portion


def compare(pairings: Sequence[Pairing]) -> list[Comparison]:
    """Solves all pairings together."""
    if not pairings:
        return []
    epsilon = pairings[0].config.epsilon
    solutions = solve_batch([pairing.problem for pairing in pairings], epsilon)
    return [
        pairing.compared(solution) for pairing, solution in zip(pairings, solutions, strict=True)
    ]


def _all_weights(side: Side, others: Sequence[Side], config: Config) -> list[dict[str, float]]:
    known: dict[tuple[frozenset[str], bool], dict[str, float]] = {}
    for other in others:
        key = other.fields.observed, other.fields.calls_tools  # all that they depend on
        if key not in known:
            known[key] = _weights(side, other, config)
    return [known[other.fields.observed, other.fields.calls_tools] for other in others]


def _weights(side: Side, other: Side, config: Config) -> dict[str, float]:
    """The weights of the fields that take part, summing to 1.

    Raises:
        NoReferenceError: if none does.
    """
    weights = _common_fields(side.fields, other.fields, config)
    if not weights:
        raise NoReferenceError(
            f"{shown(side.trajectory.name)} and {shown(other.trajectory.name)} have no field in "
            f"common: of {', '.join(FIELDS)}, none with a weight is recorded on both sides"
        )
    total = sum(weights.values())
    return {name: weights[name] / total for name in FIELDS if name in weights}


def _common_fields(run: Fields, reference: Fields, config: Config) -> dict[str, float]:
    weights = {name: value for name, value in config.weights if value > 0}
    if config.unobserved == "empty":
        return weights
    common = run.observed & reference.observed
    if not run.calls_tools and not reference.calls_tools:
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


def _with_substeps(
    run: Trajectory, reference: Trajectory, costs: FieldCosts, setting: Setting, depth: int
) -> FieldCosts:
    """Lowers the cost of pairs whose sub-steps are closer than their own fields are.

    The fields of such a pair are scaled alike, so that they still sum to its cost.
    """
    nested = [
        (i, j)
        for i, step in enumerate(run.steps)
        for j, other in enumerate(reference.steps)
        if (step.substeps or other.substeps)
        and _common_fields(
            Fields(_inside(run, i).steps), Fields(_inside(reference, j).steps), setting.config
        )
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
    pairs = [(_inside(run, i), _inside(reference, j)) for i, j in nested]
    pairings = [pair(one, [other], inner, depth + 1)[0] for one, other in pairs]
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
