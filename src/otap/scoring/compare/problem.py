"""Two prepared runs and their node costs in, the transport problem between their steps out."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from otap.alignment import Recorded, StepProblem, Telling
from otap.dependencies import DependencyGraph, turn_ranks
from otap.dependencies.mechanisms import MECHANISMS
from otap.matrices import FieldCosts, Nodes, executed, in_order
from otap.scoring.compare.metric import Metric
from otap.scoring.compare.telling import telling_of
from otap.scoring.config import Config
from otap.scoring.prepare.prepared import PreparedRun
from otap.transport import Problem, Structure

Array = npt.NDArray[np.float64]


def step_problem(
    run: PreparedRun, reference: PreparedRun, costs: FieldCosts, metric: Metric
) -> StepProblem:
    """Returns the transport problem between the steps of two prepared runs.

    What the run told weighs on both sides, and so does in the unit of mass.

    Args:
        run: the agent's side.
        reference: the other side.
        costs: the node costs of each pair of steps, (n, m).
        metric: the settings.

    Raises:
        DependencyError: if the mechanism asked for is not to be had.
        FormatError: if a declared goal is no step of the reference.
    """
    config = metric.config
    mechanism, wanted = _mechanisms(run, reference, config)
    # Conflicts say what may not change places, and not what leads to a goal.
    known = order_known(reference.graph(wanted), config) and wanted != "conflicts"
    critical = reference.critical(wanted, config.goals, known)
    nodes = (
        run.nodes(mechanism, config.precedence, reference),
        reference.nodes(wanted, config.precedence, reference, critical),
    )
    telling = telling_of(run, reference, metric)
    return problem_between(nodes, costs, (run, reference), metric, telling)


def problem_between(
    nodes: tuple[Nodes, Nodes],
    costs: FieldCosts,
    recorded: tuple[Recorded, Recorded],
    metric: Metric,
    telling: Telling,
) -> StepProblem:
    """Returns the transport problem between the nodes of a run and of a reference.

    Args:
        nodes: steps or unions of them, of the run and of the reference.
        costs: the node costs of each pair, (n, m).
        recorded: both as they were recorded, for the findings.
        metric: the settings.
        telling: what the run told of what it must.
    """
    run, reference = nodes
    config = metric.config
    units = _units(run, reference, telling, config)
    order_scored = config.theta > 0 and order_known(reference.graph, config)
    return StepProblem(
        recorded=recorded,
        run=run,
        reference=reference,
        costs=costs,
        order_scored=order_scored,
        arrays=_arrays(nodes, costs.total, units, order_scored, metric),
        telling=priced(telling, units[1], config),
        counts_pairs=config.mass == "absolute",
    )


def order_known(graph: DependencyGraph, config: Config) -> bool:
    """Whether a graph says more than in which order its steps are listed.

    A total order that stands for unknown dependencies carries no information about them: it
    cannot tell a valid reordering from an inversion. Asked for by name, it counts.
    """
    if graph.mechanism != "sequential":
        return True
    return config.dependencies == "sequential" or config.unknown_order == "scored"


def unit_of_mass(run: float, reference: float) -> float:
    """Returns the weight M that is mass 1: the mean of both sides, at least one ordinary step."""
    return max(1.0, (run + reference) / 2)


def units_of_mass(run: float, reference: float, config: Config) -> tuple[float, float]:
    """Returns the weight that is mass 1 on either side, of the weights of both sides.

    Absolute mass has one unit M for both, relative mass the weight of each side.
    """
    if config.mass == "relative":
        return run, reference
    M = unit_of_mass(run, reference)
    return M, M


def priced(telling: Telling, unit: float, config: Config) -> Telling:
    """Returns what was told with the price of what was not: a reference's step that is missing.

    Args:
        telling: what was told.
        unit: the weight that is mass 1 on the reference's side.
        config: the settings.
    """
    return replace(telling, price=config.lambda_reference / unit) if telling.reference else telling


def _units(run: Nodes, reference: Nodes, telling: Telling, config: Config) -> tuple[float, float]:
    """The units of mass: of absolute mass that of the steps, which unions leave as it is."""
    ours, theirs = (n.weights if config.mass == "relative" else n.own for n in (run, reference))
    return units_of_mass(ours.sum() + telling.run, theirs.sum() + telling.reference, config)


def _arrays(
    nodes: tuple[Nodes, Nodes],
    C: Array,
    units: tuple[float, float],
    order_scored: bool,
    metric: Metric,
) -> Problem:
    """The arrays: criticality weights the reference's penalty, or in ``paper`` its mass."""
    config, (run, reference) = metric.config, nodes
    mu, nu = run.weights / units[0], reference.weights / units[1]
    emphasis = 1.0 + config.kappa * reference.critical
    mean = (reference.weights * emphasis).sum() / reference.weights.sum()
    by_mass = config.criticality == "mass"
    return Problem(
        C=metric.moving_cost(C),
        D_p=_run_structure(run, reference, C, config) if order_scored else _nothing(run),
        D_r=reference.structure if order_scored else _nothing(reference),
        mu=mu,
        nu=nu * emphasis / mean if by_mass else nu,
        theta=config.theta,
        lambda_1=config.lambda_agent * run.penalties,
        lambda_2=config.lambda_reference * (1.0 if by_mass else emphasis / mean),
    )


def _nothing(nodes: Nodes) -> Array:
    """The structure of a graph without edges, which is 0 everywhere."""
    return np.zeros((len(nodes.parts), len(nodes.parts)))


def _run_structure(run: Nodes, reference: Nodes, C: Array, config: Config) -> Structure:
    """The run's structure, with what its order of execution says beside its dependencies."""
    traced = run.graph.mechanism == "traced" and config.precedence > 0
    one_sided = run.graph.mechanism == "sequential" != reference.graph.mechanism
    if not traced and not one_sided:
        return run.structure
    ranks, order = _turns(run), reference.graph.order
    if one_sided:
        return in_order(reference.structure, C, ranks, order)
    return executed(run.structure, reference.structure, C, ranks, order)


def _turns(nodes: Nodes) -> npt.NDArray[np.intp]:
    """The turn in which each node ran, a union's being that of its last step."""
    listed: Sequence[int] = turn_ranks(nodes.listed)
    return np.array([max(listed[place] for place in parts) for parts in nodes.parts])


def _mechanisms(run: PreparedRun, reference: PreparedRun, config: Config) -> tuple[str, str]:
    """The mechanisms for a run and its reference: the best one that both allow.

    Where that is only the listing order, the reference gets its own best one: the order in which
    the run's steps ran is then held against the reference's dependencies. A reference of which only
    calls are known has conflicts, if it has any; so has the run then, whatever else it records.
    """
    best = _best(reference.mechanisms, config)
    if config.dependencies == "order":
        return "sequential", best
    if config.dependencies != "auto":
        return config.dependencies, config.dependencies
    if best == "conflicts":
        return best, best
    common = _best(run.mechanisms & reference.mechanisms - {"conflicts"}, config)
    if common == "sequential" and config.unknown_order == "ignored":
        return common, best
    return common, common


def _best(mechanisms: frozenset[str], config: Config) -> str:
    """The best of some mechanisms; conflicts only where unknown order is not scored anyway."""
    left_out = set() if config.unknown_order == "ignored" else {"conflicts"}
    return next(m for m in MECHANISMS if m in mechanisms - left_out)
