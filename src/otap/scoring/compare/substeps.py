"""Hierarchical costs: a pair costs what its sub-steps cost, where these are closer than it is."""

from collections.abc import Iterator, Sequence

import numpy as np

from otap.errors import LimitError, shown
from otap.matrices import FieldCosts, ReadSteps
from otap.scoring.compare.costs import common_fields, cost_matrices
from otap.scoring.compare.metric import Metric
from otap.scoring.compare.problem import step_problem
from otap.scoring.compare.solve import compare
from otap.scoring.prepare.prepared import PreparedRun
from otap.trajectory import Step, Trajectory


def with_substeps(
    run: PreparedRun, reference: PreparedRun, costs: FieldCosts, metric: Metric, depth: int = 0
) -> FieldCosts:
    """Returns the costs, lowered for pairs whose sub-steps are closer than their own fields are.

    All fields of such a pair are scaled by one factor, so that they still sum to its cost.

    Args:
        run: the agent's side.
        reference: the other side.
        costs: the node costs of each pair of steps by their own fields.
        metric: the settings.
        depth: how many levels of steps lie above these.

    Raises:
        LimitError: if sub-steps nest deeper than ``max_depth``.
    """
    if not run.has_substeps and not reference.has_substeps:
        return costs
    nested = list(_nested(run.trajectory, reference.trajectory, metric))
    if not nested:
        return costs
    if depth >= metric.config.max_depth:
        raise LimitError(
            f"{shown(run.trajectory.name)}: sub-steps nest deeper than {metric.config.max_depth} "
            "levels (max_depth)"
        )
    pairs = [(_inside(run.trajectory, i), _inside(reference.trajectory, j)) for i, j in nested]
    scale = np.ones(costs.total.shape)
    for (i, j), distance in zip(nested, _distances(pairs, metric, depth), strict=True):
        own = costs.total[i, j]
        if distance < own:
            scale[i, j] = distance / own
    return costs.scaled(scale)


def _nested(run: Trajectory, reference: Trajectory, metric: Metric) -> Iterator[tuple[int, int]]:
    """The pairs of steps of which one has sub-steps, and which have something in common."""
    for i, step in enumerate(run.steps):
        for j, other in enumerate(reference.steps):
            if step.substeps or other.substeps:
                ours, theirs = _read_inside(run, i, metric), _read_inside(reference, j, metric)
                if common_fields(ours, theirs, metric):
                    yield i, j


def _distances(
    pairs: Sequence[tuple[Trajectory, Trajectory]], metric: Metric, depth: int
) -> Iterator[float]:
    """The child distance of each pair: min(1, L / L_u) of its sub-steps, with kappa 0."""
    inner, config = metric.inside, metric.config
    problems = []
    for one, other in pairs:
        reference = inner.runs.of(other)
        run = inner.runs.of(one).in_names_of(reference)
        [(_, costs)] = cost_matrices(run, [reference], inner)
        costs = with_substeps(run, reference, costs, inner, depth + 1)
        problems.append(step_problem(run, reference, costs, inner))
    for comparison, problem in zip(compare(problems, inner), problems, strict=True):
        unrelated = metric.unrelated_loss(problem.costs.weights)
        scale = unrelated or config.lambda_agent + config.lambda_reference
        yield min(1.0, comparison.loss / scale)


def _read_inside(trajectory: Trajectory, index: int, metric: Metric) -> ReadSteps:
    inside = _inside(trajectory, index)
    return metric.runs.of(inside).read


def _inside(trajectory: Trajectory, index: int) -> Trajectory:
    """The sub-steps of a step as a trajectory; without any, the step alone."""
    step: Step = trajectory.steps[index]
    steps = step.substeps or (step.model_copy(update={"depends_on": ()}),)
    return trajectory.model_copy(update={"steps": steps, "metadata": {}, "must_tell": ()})
