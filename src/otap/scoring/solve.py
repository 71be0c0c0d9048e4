"""Solves step problems in batches, and again with merged steps."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from otap.alignment import Comparison, StepProblem
from otap.run.run import pair_merged_ids
from otap.scoring.lookups import LookUp, find_lookups, list_given, list_shown
from otap.scoring.merge import list_unequal, merge_unmatched
from otap.scoring.metric import Metric
from otap.scoring.problem import cost_matrices, problem_between, step_problem
from otap.transport import solve_batch


def compare(problems: Sequence[StepProblem], metric: Metric) -> list[Comparison]:
    """Returns the comparison of each problem, solved in one batch.

    Problems with steps that merge are solved again with merged nodes. Then the ids that merged
    steps made are renamed, since one id stands for the ids of all parts, and the problem is posed
    and solved once more. The smallest loss counts.

    Args:
        problems: the problems between single steps.
        metric: the settings.
    """
    if metric.paper:
        return metric.paper.solve(problems)
    comparisons = _solve(problems)
    if not metric.config.contraction:
        return comparisons
    merged = _solve_merged(comparisons, metric)
    renamed = {}
    for index in merged:
        problem = _rename_merged_ids(comparisons[index], metric)
        if problem is not None:
            renamed[index] = problem
    solved_again = _solve([*renamed.values()])
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
    solved = _solve([*merged.values()])
    _replace_by_better(comparisons, dict(zip(merged, solved, strict=True)))
    return merged.keys()


def _replace_by_better(comparisons: list[Comparison], candidates: Mapping[int, Comparison]) -> None:
    """Replaces comparisons by candidates with a smaller loss, in place."""
    for index, candidate in candidates.items():
        if candidate.solution.loss < comparisons[index].solution.loss:
            comparisons[index] = candidate


def _solve(problems: Sequence[StepProblem]) -> list[Comparison]:
    arrays = [problem.arrays for problem in problems]
    solutions = solve_batch(arrays) if arrays else []
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
    sides = problem.run, problem.reference
    nodes = [
        {k: side.parts[k][0] for k in list_unequal(side, least) if side.roles[k] != "writes"}
        for side, least in zip(sides, problem.costs.least, strict=True)
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
