"""Remark 1: eq. 3 applied recursively to steps that consist of steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from otap.alignment import StepProblem, check_sizes
from otap.costs import FieldCosts
from otap.errors import LimitError, shown
from otap.run.columns import StepColumns
from otap.run.run import Run, RunView
from otap.trajectory import Step, Trajectory

if TYPE_CHECKING:
    from otap.paper.algorithm import Algorithm

PORTION = 1_000  # maximum problems between sub-steps in memory


def with_substeps(
    algorithm: Algorithm, P: RunView, R: RunView, costs: FieldCosts, depth: int = 0
) -> FieldCosts:
    """Returns C with the entries of steps that have sub-steps lowered to their child distance.

    The paper aggregates sub-step costs to parent-node distances and leaves open how. Here the
    child distance of two steps is min(1, L / L_u), where L is the loss of eq. 3 between their
    sub-steps and L_u the loss of unrelated ones. A step without sub-steps stands for its only one.
    The smaller of child distance and eq. 1 counts, so steps with a good match of their fields stay
    close. One factor scales all terms of eq. 1, so that they still sum to C_ij. At lower levels
    kappa is 0.

    Args:
        algorithm: of the level of P and R.
        P: the run.
        R: the reference.
        costs: eq. 1 by the steps' own fields, (n, m).
        depth: the number of levels above these steps.

    Raises:
        LimitError: if sub-steps nest deeper than ``max_depth``.
    """
    if not P.run.has_substeps and not R.run.has_substeps:
        return costs
    below = algorithm.for_substeps
    runs, references = (_expand_steps(side.trajectory, below) for side in (P, R))
    pairs = [
        (i, j)
        for i, step in enumerate(P.trajectory.steps)
        for j, other in enumerate(R.trajectory.steps)
        if step.substeps or other.substeps
    ]
    if depth >= algorithm.config.max_depth:
        raise LimitError(
            f"{shown(P.trajectory.name)}: sub-steps nest deeper than {algorithm.config.max_depth} "
            "levels (max_depth)"
        )
    factors = np.ones(costs.total.shape)
    problems = (_pose(below, runs[i], references[j], depth + 1) for i, j in pairs)
    for (i, j), distance in zip(pairs, _child_distances(below, problems), strict=True):
        cost = costs.total[i, j]
        if distance < cost:
            factors[i, j] = distance / cost
    return costs.scaled(factors)


def _expand_steps(trajectory: Trajectory, below: Algorithm) -> Sequence[Run]:
    """The sub-steps of each step as a run; a step without any stands alone."""
    expansions = [_expand_step(trajectory, step) for step in trajectory.steps]
    runs = [below.prepare(expansion) for expansion in expansions]
    columns = StepColumns.join([run.columns for run in runs])
    for field in below.node_cost.fields:
        field.gather(columns.of(field), ())
    return runs


def _expand_step(trajectory: Trajectory, step: Step) -> Trajectory:
    steps = step.substeps or (step.model_copy(update={"depends_on": ()}),)
    return trajectory.model_copy(update={"steps": steps, "metadata": {}, "required_answers": ()})


def _pose(below: Algorithm, run: Run, reference: Run, depth: int) -> StepProblem:
    """The problem between the sub-steps of two steps, whose own sub-steps count as well."""
    P, R = run.view, reference.view
    check_sizes([P], [R])
    costs = below.node_costs(P.columns, R.columns)
    return below.problem(P, R, with_substeps(below, P, R, costs, depth))


def _child_distances(below: Algorithm, problems: Iterator[StepProblem]) -> Iterator[float]:
    """Yields min(1, L / L_u) for each problem."""
    while portion := list(islice(problems, PORTION)):
        for comparison in below.solve(portion):
            arrays = comparison.problem.arrays
            everything = float(arrays.lambda_1 @ arrays.mu + arrays.lambda_2 @ arrays.nu)
            L_u = below.unrelated_loss(comparison.problem.costs.weights) or everything
            yield min(1.0, comparison.loss / L_u)
