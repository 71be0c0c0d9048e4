"""Solves step problems: in batches, again with merged steps, and level by level for sub-steps.

Costs are hierarchical: a pair of steps costs no more than their sub-steps cost.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from otap.alignment import Comparison, StepProblem
from otap.costs import FieldCosts
from otap.errors import LimitError, shown
from otap.run.columns import StepColumns
from otap.run.run import RunView, pair_merged_ids
from otap.scoring.lookups import LookUp, find_lookups, list_given, list_shown
from otap.scoring.merge import list_unequal, merge_unmatched
from otap.scoring.metric import Metric
from otap.scoring.problem import common_fields, cost_matrices, problem_between, step_problem
from otap.trajectory import Step, Trajectory
from otap.transport import solve_batch

PORTION = 1_000  # maximum problems between sub-steps in memory
Expansions = tuple[Sequence[Trajectory], ...]  # for each side and step, its sub-steps as a run


def compare(problems: Sequence[StepProblem], metric: Metric) -> list[Comparison]:
    """Returns the comparison of each problem, solved in one batch.

    Problems with steps that merge are solved again with merged nodes. Then the ids that merged
    steps made are renamed, since one id stands for the ids of all parts, and the problem is posed
    and solved once more. The smallest loss counts.

    Args:
        problems: the problems between single steps.
        metric: the settings.
    """
    comparisons = _solve(problems, metric)
    if not metric.config.contraction:
        return comparisons
    merged = _solve_merged(comparisons, metric)
    renamed = {}
    for index in merged:
        problem = _rename_merged_ids(comparisons[index], metric)
        if problem is not None:
            renamed[index] = problem
    solved_again = _solve([*renamed.values()], metric)
    _solve_merged(solved_again, metric)
    _replace_by_better(comparisons, dict(zip(renamed, solved_again, strict=True)))
    return comparisons


def _solve_merged(comparisons: list[Comparison], metric: Metric) -> Collection[int]:
    """Merges steps and solves again, in place; returns which problems have merged steps."""
    merged = {}
    for index, comparison in enumerate(comparisons):
        problem = merge_problem(comparison, metric)
        if problem is not None:
            merged[index] = problem
    solved = _solve([*merged.values()], metric)
    _replace_by_better(comparisons, dict(zip(merged, solved, strict=True)))
    return merged.keys()


def _replace_by_better(comparisons: list[Comparison], candidates: Mapping[int, Comparison]) -> None:
    """Replaces comparisons by candidates with a smaller loss, in place."""
    for index, candidate in candidates.items():
        if candidate.solution.loss < comparisons[index].solution.loss:
            comparisons[index] = candidate


def _solve(problems: Sequence[StepProblem], metric: Metric) -> list[Comparison]:
    arrays = [problem.arrays for problem in problems]
    solutions = solve_batch(arrays, metric.config.epsilon) if arrays else []
    return [
        Comparison(problem, solution) for problem, solution in zip(problems, solutions, strict=True)
    ]


def merge_problem(comparison: Comparison, metric: Metric) -> StepProblem | None:
    """Returns the problem with merged nodes, or None if no step merges.

    Steps never merge against a plan, because each call that it requires is a separate call.

    Args:
        comparison: the solved problem between single steps.
        metric: the settings.
    """
    problem = comparison.problem
    if comparison.solution.loss <= 0 or problem.recorded[1].run.plan_constraints.is_plan:
        return None
    sides = problem.run, problem.reference
    unmatched = np.ones(len(sides[0].parts), np.bool_), np.ones(len(sides[1].parts), np.bool_)
    unmatched[0][list(comparison.reference_of)] = False
    unmatched[1][list(comparison.run_of)] = False
    lookups = list_lookups(problem)
    merged = merge_unmatched(
        sides, problem.costs, unmatched, metric.merged_cost, metric.config.precedence, lookups
    )
    if merged is None:
        return None
    posed = problem_between(*merged, problem.recorded, metric, problem.answers)
    shares = {(lookup.run, lookup.reference): lookup.share for lookup in lookups}
    return replace(posed, lookups=shares) if lookups else posed


def list_lookups(problem: StepProblem) -> Sequence[LookUp]:
    """Returns the look-ups that show the values of other ones of a reference that only reads."""
    run, reference = problem.recorded
    if "reads" not in reference.run.full_weight or not problem.counts_pairs:
        return ()
    C = problem.costs.total
    sides = (problem.run, C.min(axis=1)), (problem.reference, C.min(axis=0))
    nodes = [
        {k: side.parts[k][0] for k in list_unequal(side, nearest, writes=False)}
        for side, nearest in sides
    ]
    if not all(nodes):
        return ()
    shown = list_shown(run.index, nodes[0]), list_shown(reference.index, nodes[1])
    return [*find_lookups(shown[0], list_given(run.index, nodes[0]), shown[1])]


def _rename_merged_ids(comparison: Comparison, metric: Metric) -> StepProblem | None:
    """The problem of single steps with the ids of merged steps renamed; None if there are none.

    The ids that the parts of a merged step made all stand for the id that its counterpart made.
    """
    run, reference = comparison.problem.recorded
    run_ids, reference_ids = dict[str, str](), dict[str, str]()
    for i, j in comparison.reference_of.items():
        run_parts, reference_parts = comparison.run.parts[i], comparison.reference.parts[j]
        if len(run_parts) > 1 and len(reference_parts) == 1:
            run_ids |= pair_merged_ids(run, run_parts, reference, reference_parts[0])
        elif len(reference_parts) > 1 and len(run_parts) == 1:
            reference_ids |= pair_merged_ids(reference, reference_parts, run, run_parts[0])
    if not run_ids and not reference_ids:
        return None
    views = run.rename_merged(run_ids), reference.rename_merged(reference_ids)
    [(_, costs)] = cost_matrices([views[0]], [views[1]], metric)
    return step_problem(*views, costs, metric, comparison.problem.answers)


def with_substeps(
    run: RunView, reference: RunView, costs: FieldCosts, metric: Metric, depth: int = 0
) -> FieldCosts:
    """Returns the costs, lowered for pairs whose sub-steps are closer than their own fields.

    One factor scales all fields of such a pair, so that they still sum to its cost.

    Args:
        run: the view of the run.
        reference: the view of the reference.
        costs: the node costs of each pair of steps by their own fields.
        metric: the settings.
        depth: the number of levels above these steps.

    Raises:
        LimitError: if sub-steps nest deeper than ``max_depth``.
    """
    if not run.run.has_substeps and not reference.run.has_substeps:
        return costs
    inner = metric.substep_metric
    expansions = tuple(_expand_steps(side.trajectory, inner) for side in (run, reference))
    pairs = list(_pairs_with_substeps(run.trajectory, reference.trajectory, expansions, metric))
    if not pairs:
        return costs
    if depth >= metric.config.max_depth:
        raise LimitError(
            f"{shown(run.trajectory.name)}: sub-steps nest deeper than {metric.config.max_depth} "
            "levels (max_depth)"
        )
    scale = np.ones(costs.total.shape)
    problems = _substep_problems(pairs, expansions, inner, depth)
    for (i, j), distance in zip(pairs, _substep_distances(problems, metric), strict=True):
        cost = costs.total[i, j]
        if distance < cost:
            scale[i, j] = distance / cost
    return costs.scaled(scale)


def _pairs_with_substeps(
    run: Trajectory, reference: Trajectory, expansions: Expansions, metric: Metric
) -> Iterator[tuple[int, int]]:
    """The pairs of steps with a common field, of which at least one has sub-steps."""
    rows, columns = (
        [metric.runs.of(expansion).columns for expansion in side] for side in expansions
    )
    for i, run_step in enumerate(run.steps):
        for j, reference_step in enumerate(reference.steps):
            has_substeps = run_step.substeps or reference_step.substeps
            if has_substeps and common_fields(rows[i], columns[j], metric):
                yield i, j


def _expand_steps(trajectory: Trajectory, inner: Metric) -> Sequence[Trajectory]:
    """The sub-steps of each step as a run; their texts are encoded together."""
    expansions = [_expand_step(trajectory, step) for step in trajectory.steps]
    columns = StepColumns.join([inner.runs.of(expansion).columns for expansion in expansions])
    for field in inner.node_cost.fields:
        field.gather(columns.of(field), ())
    return expansions


def _expand_step(trajectory: Trajectory, step: Step) -> Trajectory:
    """The sub-steps of a step as a trajectory; a step without any stands alone."""
    steps = step.substeps or (step.model_copy(update={"depends_on": ()}),)
    return trajectory.model_copy(update={"steps": steps, "metadata": {}, "required_answers": ()})


def _substep_problems(
    pairs: Iterable[tuple[int, int]], expansions: Expansions, inner: Metric, depth: int
) -> Iterator[StepProblem]:
    """The problems between the sub-steps of pairs of steps, one after the other."""
    for i, j in pairs:
        reference = inner.runs.of(expansions[1][j]).as_reference
        run = inner.runs.of(expansions[0][i]).view_for(reference)
        [(_, step_costs)] = cost_matrices([run], [reference.view], inner)
        costs = with_substeps(run, reference.view, step_costs, inner, depth + 1)
        yield step_problem(run, reference.view, costs, inner)


def _substep_distances(problems: Iterator[StepProblem], metric: Metric) -> Iterator[float]:
    """The child distance of each pair: min(1, L / L_u) of its sub-steps, with kappa 0.

    L_u is the loss of two sides with nothing in common: under absolute mass all mass of both.
    """
    while portion := list(islice(problems, PORTION)):
        comparisons = compare(portion, metric.substep_metric)
        for comparison, problem in zip(comparisons, portion, strict=True):
            arrays = problem.arrays
            unrelated = float(arrays.lambda_1 @ arrays.mu + arrays.lambda_2 @ arrays.nu)
            if metric.config.mass == "relative":
                unrelated = metric.unrelated_loss(problem.costs.weights) or unrelated
            yield min(1.0, comparison.loss / unrelated)
