"""Problems between steps in, comparisons out: solved as they are, and again with unions.

Costs are hierarchical: a pair of steps costs what its sub-steps cost, where these are closer than
it is.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, product
from operator import attrgetter

import numpy as np

from otap.alignment import Comparison, StepProblem
from otap.errors import LimitError, shown
from otap.matrices import FieldCosts, ReadSteps
from otap.prepare.prepared import PreparedRun
from otap.scoring.compare.metric import Metric
from otap.scoring.compare.problem import (
    common_fields,
    cost_matrices,
    problem_between,
    step_problem,
)
from otap.trajectory import Step, Trajectory
from otap.transport import solve_batch
from otap.unions import unite

PORTION = 1_000  # problems between sub-steps that are held at once
Unions = Callable[[StepProblem, Metric], StepProblem | None]
Insides = tuple[Sequence[Trajectory], ...]  # of the run and of the reference, by step


def with_unions(problem: StepProblem, metric: Metric) -> StepProblem | None:
    """Returns the problem with unions of steps as nodes, or None where there are none.

    Args:
        problem: the problem between single steps.
        metric: the settings.
    """
    sides, precedence = (problem.run, problem.reference), metric.config.precedence
    united = unite(sides, problem.costs, metric.union_cost, precedence)
    if united is None:
        return None
    return problem_between(*united, problem.recorded, metric, problem.answers)


def compare(
    problems: Sequence[StepProblem], metric: Metric, unions: Unions = with_unions
) -> list[Comparison]:
    """Returns the comparison of each problem, solved in one batch.

    Problems that have unions are solved again with these as nodes; the smaller loss is kept.

    Args:
        problems: the problems between single steps.
        metric: the settings.
        unions: gives the problem with unions of one, which may be known already.
    """
    solved = solve_batch(list(map(attrgetter("arrays"), problems)), metric.config.epsilon)
    found = list(map(Comparison, problems, solved))
    again: dict[int, StepProblem] = {}
    if metric.config.contraction:
        for place, comparison in enumerate(found):
            united = unions(comparison.problem, metric) if comparison.solution.loss > 0 else None
            if united is not None:
                again[place] = united
    if again:
        arrays = [problem.arrays for problem in again.values()]
        solved = solve_batch(arrays, metric.config.epsilon)
        for (place, problem), solution in zip(again.items(), solved, strict=True):
            if solution.loss < found[place].solution.loss:
                found[place] = Comparison(problem, solution)
    return found


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
    insides = tuple(_insides(side.trajectory, metric.inside) for side in (run, reference))
    nested = list(_nested(run.trajectory, reference.trajectory, insides, metric))
    if not nested:
        return costs
    if depth >= metric.config.max_depth:
        raise LimitError(
            f"{shown(run.trajectory.name)}: sub-steps nest deeper than {metric.config.max_depth} "
            "levels (max_depth)"
        )
    scale = np.ones(costs.total.shape)
    problems = _problems(nested, insides, metric.inside, depth)
    for (i, j), distance in zip(nested, _distances(problems, metric), strict=True):
        own = costs.total[i, j]
        if distance < own:
            scale[i, j] = distance / own
    return costs.scaled(scale)


def _nested(
    run: Trajectory, reference: Trajectory, insides: Insides, metric: Metric
) -> Iterator[tuple[int, int]]:
    """The pairs of steps of which one has sub-steps, and which have something in common."""
    reads, others = ([metric.runs.of(inside).read for inside in side] for side in insides)
    for (i, one), (j, other) in product(enumerate(run.steps), enumerate(reference.steps)):
        if (one.substeps or other.substeps) and common_fields(reads[i], others[j], metric):
            yield i, j


def _insides(trajectory: Trajectory, inner: Metric) -> Sequence[Trajectory]:
    """What each step consists of: all of it is compared with all of the other side's."""
    found = [_take_inside(trajectory, step) for step in trajectory.steps]
    together = ReadSteps.joined([inner.runs.of(one).read for one in found])
    for field in inner.node_cost.fields:
        field.gather(together.of(field), ())
    return found


def _take_inside(trajectory: Trajectory, step: Step) -> Trajectory:
    """The sub-steps of a step as a trajectory; without any, the step alone."""
    steps = step.substeps or (step.model_copy(update={"depends_on": ()}),)
    return trajectory.model_copy(update={"steps": steps, "metadata": {}, "must_tell": ()})


def _problems(
    nested: Iterable[tuple[int, int]], insides: Insides, inner: Metric, depth: int
) -> Iterator[StepProblem]:
    """The problems between the insides of pairs of steps, one after the other."""
    for i, j in nested:
        reference = inner.runs.of(insides[1][j])
        run = inner.runs.of(insides[0][i]).beside(reference)
        [(_, own)] = cost_matrices([run], [reference], inner)
        costs = with_substeps(run, reference, own, inner, depth + 1)
        yield step_problem(run, reference, costs, inner)


def _distances(problems: Iterator[StepProblem], metric: Metric) -> Iterator[float]:
    """The child distance of each pair: min(1, L / L_u) of its sub-steps, with kappa 0."""
    config = metric.config
    while portion := list(islice(problems, PORTION)):
        for comparison, problem in zip(compare(portion, metric.inside), portion, strict=True):
            unrelated = metric.unrelated_loss(problem.costs.weights)
            scale = unrelated or config.lambda_agent + config.lambda_reference
            yield min(1.0, comparison.loss / scale)
