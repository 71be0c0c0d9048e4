"""Two sides and their node costs in, the arrays of the transport problem between them out."""

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from otap.matrices import Nodes, executed, in_order
from otap.scoring.compare.metric import Metric
from otap.transport import SMALL, Problem, Structure
from otap.transport.core import native

Array = npt.NDArray[np.float64]
Sides = tuple[Nodes, Nodes]


class Order(IntEnum):
    """What the structure of the run is, as core/packing.hpp numbers it."""

    IGNORED = 0  # nothing, nor is that of the reference
    KNOWN = 1  # its own
    EXECUTED = 2  # its own, with the inversions that its order of execution shows
    LISTED = 3  # its order of execution along the paths of the reference


def arrays_between(
    nodes: Sides, C: Array, units: tuple[float, float], order_scored: bool, metric: Metric
) -> Problem:
    """Returns the arrays of the problem: by the native core where there is one, and it is short.

    Args:
        nodes: the run's and the reference's.
        C: the node costs of each pair, (n, m).
        units: the weight that is mass 1 on either side.
        order_scored: whether the structure term takes part.
        metric: the settings.
    """
    order = _order(nodes, metric) if order_scored else Order.IGNORED
    core = native()
    if core is None or max(C.shape) > SMALL:
        return in_numpy(nodes, C, units, order, metric)
    run, reference = nodes
    packed = core.pack(C, run.packed, reference.packed, order, *units, metric.packed)
    # What a problem may not hold is refused by the definition, which says what it is.
    whole = packed is not None
    return Problem.of_packed(packed) if whole else in_numpy(nodes, C, units, order, metric)


def in_numpy(
    nodes: Sides, C: Array, units: tuple[float, float], order: Order, metric: Metric
) -> Problem:
    """The definition: criticality weights the reference's penalty, or in ``paper`` its mass."""
    config, (run, reference) = metric.config, nodes
    mu, nu = run.weights / units[0], reference.weights / units[1]
    emphasis = 1.0 + config.kappa * reference.critical
    mean = (reference.weights * emphasis).sum() / reference.weights.sum()
    by_mass = config.criticality == "mass"
    scored = order != Order.IGNORED
    return Problem(
        C=metric.moving_cost(C),
        D_p=_run_structure(run, reference, C, order) if scored else _nothing(run),
        D_r=reference.structure if scored else _nothing(reference),
        mu=mu,
        nu=nu * emphasis / mean if by_mass else nu,
        theta=config.theta,
        lambda_1=config.lambda_agent * run.penalties,
        lambda_2=config.lambda_reference * (1.0 if by_mass else emphasis / mean),
    )


def _order(nodes: Sides, metric: Metric) -> Order:
    run, reference = (side.graph.mechanism for side in nodes)
    if run == "sequential" != reference:
        return Order.LISTED
    traced = run == "traced" and metric.config.precedence > 0
    return Order.EXECUTED if traced else Order.KNOWN


def _nothing(nodes: Nodes) -> Array:
    """The structure of a graph without edges, which is 0 everywhere."""
    return np.zeros((len(nodes.parts), len(nodes.parts)))


def _run_structure(run: Nodes, reference: Nodes, C: Array, order: Order) -> Structure:
    """The run's structure, with what its order of execution says beside its dependencies."""
    if order == Order.KNOWN:
        return run.structure
    places = reference.graph.order
    if order == Order.LISTED:
        return in_order(reference.structure, C, run.turns, places)
    return executed(run.structure, reference.structure, C, run.turns, places)
