"""Two prepared runs and their node costs in, the transport problem between their steps out."""

from dataclasses import replace
from functools import lru_cache

from otap.alignment import Recorded, StepProblem, Telling
from otap.dependencies import DependencyGraph
from otap.dependencies.mechanisms import MECHANISMS
from otap.matrices import FieldCosts, Nodes
from otap.scoring.compare.arrays import arrays_between
from otap.scoring.compare.metric import Metric
from otap.scoring.compare.telling import telling_of
from otap.scoring.config import Config
from otap.scoring.prepare.prepared import PreparedRun


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
        arrays=arrays_between(nodes, costs.total, units, order_scored, metric),
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
    relative = config.mass == "relative"
    ours, theirs = (n.weight if relative else n.own_weight for n in (run, reference))
    return units_of_mass(ours + telling.run, theirs + telling.reference, config)


def _mechanisms(run: PreparedRun, reference: PreparedRun, config: Config) -> tuple[str, str]:
    """The mechanisms for a run and its reference."""
    asked = config.dependencies
    if asked == "order":
        return "sequential", _best(reference.mechanisms, config.unknown_order)
    if asked != "auto":
        return asked, asked
    return _common(run.mechanisms, reference.mechanisms, config.unknown_order)


@lru_cache(maxsize=256)
def _common(run: frozenset[str], reference: frozenset[str], unknown_order: str) -> tuple[str, str]:
    """The best mechanism that both sides allow, for the run and for the reference.

    Where that is only the listing order, the reference gets its own best one: the order in which
    the run's steps ran is then held against the reference's dependencies. A reference of which only
    calls are known has conflicts, if it has any; so has the run then, whatever else it records.
    """
    best = _best(reference, unknown_order)
    if best == "conflicts":
        return best, best
    common = _best(run & reference - {"conflicts"}, unknown_order)
    if common == "sequential" and unknown_order == "ignored":
        return common, best
    return common, common


def _best(mechanisms: frozenset[str], unknown_order: str) -> str:
    """The best of some mechanisms; conflicts only where unknown order is not scored anyway."""
    left_out = set() if unknown_order == "ignored" else {"conflicts"}
    return next(m for m in MECHANISMS if m in mechanisms - left_out)
