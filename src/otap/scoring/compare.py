"""Two prepared runs in, their comparison out: node costs, a transport problem, its solution.

Problems are solved as they are, and again with merged steps. Costs are hierarchical: a pair of
steps costs no more than their sub-steps cost.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import islice, product
from operator import attrgetter
from typing import cast

import numpy as np
import numpy.typing as npt

from otap.alignment import NO_ANSWERS, Answers, Comparison, MissingAnswer, StepProblem
from otap.alignment.parameters import MATCHED
from otap.config import Config
from otap.errors import LimitError, NoReferenceError, shown
from otap.matrices import FIELDS, FieldCosts, Nodes, ReadSteps, executed
from otap.run import MECHANISMS, DependencyGraph, Mechanism
from otap.run.answers import MessagesToUser
from otap.run.run import Run, RunView, pair_merged_ids
from otap.scoring.merge import merge_unmatched
from otap.scoring.metric import Metric
from otap.trajectory import Step, Trajectory
from otap.transport import Problem, Structure, core, solve_batch
from otap.transport.parameters import FORBIDDEN

# Steps of a side that are scored. Some 140 bytes for each pair of steps are held at once: 5,000
# against 5,000 take 4 GB, and within a minute of one core.
MAX_SCORED = 5_000
MAX_PAIRS = MAX_SCORED**2  # of a step of the run and one of its references: all are held at once
PORTION = 1_000  # problems between sub-steps that are held at once
_EXACT = attrgetter("exact")
Array = npt.NDArray[np.float64]
Sides = tuple[Nodes, Nodes]
Insides = tuple[Sequence[Trajectory], ...]  # of the run and of the reference, by step


class Order(IntEnum):
    """What the structure of the run is, as core/packing.hpp numbers it."""

    IGNORED = 0  # nothing, nor is that of the reference
    KNOWN = 1  # its own
    EXECUTED = 2  # its own, with the inversions that its order of execution shows
    LISTED = 3  # its order of execution along the paths of the reference


def cost_matrices(
    runs: Sequence[RunView], references: Sequence[RunView], metric: Metric
) -> Iterator[tuple[list[int], FieldCosts]]:
    """Yields cost matrices of a run against the steps of references joined, and which these are.

    References that are compared over the same fields, with a run in the same names, share a matrix.

    Args:
        runs: the rows: for each reference the run as it is compared with it.
        references: the columns, each side with at least one step.
        metric: weights and distances.

    Yields:
        The places of the references that share a matrix, and their costs, reference by reference.

    Raises:
        LimitError: if a side has more than MAX_SCORED steps, or there are more than MAX_PAIRS pairs
            of steps.
        NoReferenceError: if no field is recorded on both sides.
    """
    _check_sizes(runs, references)
    alike: dict[tuple[frozenset[str], ReadSteps], list[int]] = {}
    for place, (run, reference) in enumerate(zip(runs, references, strict=True)):
        fields = common_fields(run.columns, reference.columns, metric)
        if not fields:
            raise NoReferenceError(
                f"{shown(run.trajectory.name)} and {shown(reference.trajectory.name)} have no "
                f"field in common: of {', '.join(FIELDS)}, none with a weight is recorded on both "
                "sides"
            )
        alike.setdefault((fields, run.columns), []).append(place)
    for (fields, read), places in alike.items():
        columns = ReadSteps.joined([references[place].columns for place in places])
        yield places, metric.node_cost.between(read, columns, metric.weights_of(fields))


def common_fields(run: ReadSteps, reference: ReadSteps, metric: Metric) -> frozenset[str]:
    """Returns the fields that take part in a comparison: with a weight, and observed on both sides.

    The tool also has to be called on one: calling none proves no similarity.

    Args:
        run: what the run records.
        reference: what the reference records.
        metric: says which fields have a weight, and whether one side may lack them.
    """
    if metric.config.unobserved == "empty":
        return metric.weighed
    common = run.observed & reference.observed & metric.weighed
    return common if run.calls_tools or reference.calls_tools else common - {"tool"}


def _check_sizes(runs: Sequence[RunView], references: Sequence[RunView]) -> None:
    pairs = 0
    for run, reference in zip(runs, references, strict=True):
        longer = max(run, reference, key=attrgetter("size"))
        if longer.size > MAX_SCORED:
            raise LimitError(
                f"{shown(longer.trajectory.name)} has {longer.size:,} steps, above the limit of "
                f"{MAX_SCORED:,} for scoring; score its parts, or group its steps into sub-steps"
            )
        pairs += run.size * reference.size
    if pairs > MAX_PAIRS:
        size = runs[0].size
        raise LimitError(
            f"{shown(runs[0].trajectory.name)} has {size:,} steps and its references "
            f"{pairs // size:,}, together above the limit of {MAX_PAIRS:,} pairs of steps; score "
            "it against fewer references"
        )


def step_problem(
    run: RunView, reference: RunView, costs: FieldCosts, metric: Metric
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
    mechanism, wanted = _mechanisms(run.run, reference.run, config)
    graph = reference.run.graphs[wanted]
    # Conflicts say what may not change places, and not what leads to a goal. Nor does a plan.
    known = order_known(graph.graph, config) and wanted != "conflicts"
    known &= not reference.run.plan_constraints.is_plan
    critical = graph.critical if known else graph.declared_goals
    nodes = (
        run.nodes(mechanism, reference.run),
        reference.nodes(wanted, reference.run, critical),
    )
    answers = compare_answers(run.run, reference.run, metric)
    return problem_between(nodes, costs, (run, reference), metric, answers)


def problem_between(
    nodes: Sides,
    costs: FieldCosts,
    recorded: tuple[RunView, RunView],
    metric: Metric,
    answers: Answers,
) -> StepProblem:
    """Returns the transport problem between the nodes of a run and of a reference.

    Args:
        nodes: steps or unions of them, of the run and of the reference.
        costs: the node costs of each pair, (n, m).
        recorded: both as they were recorded, for the findings.
        metric: the settings.
        answers: what the run told of what it must.
    """
    config, (run, reference) = metric.config, nodes
    relative = config.mass == "relative"
    # Of absolute mass the unit is that of the steps, which unions leave as it is.
    ours, theirs = (run.weights, reference.weights) if relative else (run.own, reference.own)
    units = units_of_mass(
        float(ours.sum()) + answers.run, float(theirs.sum()) + answers.reference, config
    )
    order_scored = config.theta > 0 and order_known(reference.graph, config)
    C = allowed_costs(nodes, costs, metric)
    arrays = arrays_between(nodes, C, units, order_scored, metric)
    if not relative:
        arrays = spare_attempts(arrays, costs.total)
    return StepProblem(
        recorded=recorded,
        run=run,
        reference=reference,
        costs=costs,
        order_scored=order_scored,
        arrays=arrays,
        answers=price_answers(answers, units[1], config) if answers.reference else answers,
        counts_pairs=not relative,
    )


def spare_attempts(arrays: Problem, C: Array) -> Problem:
    """Returns a problem in which a step that may stand for nothing costs less if it comes near.

    Up to half: a wrong write is worse than none, and one with two wrong values than one with one.
    """
    idle = (arrays.C >= FORBIDDEN).all(axis=1)
    if not idle.any():
        return arrays
    p, lambda_1 = arrays, arrays.lambda_1.copy()
    lambda_1[idle] *= (1 + C[idle].min(axis=1)) / 2
    return Problem(p.C, p.D_p, p.D_r, p.mu, p.nu, p.theta, lambda_1, p.lambda_2)


def allowed_costs(nodes: Sides, costs: FieldCosts, metric: Metric) -> Array:
    """Returns the node costs, FORBIDDEN where one step may not stand for the other.

    Only the same call may stand for a call: never what changes something for what does not, nor a
    call of another tool, nor one with an exact value that the reference does not have there. What
    changes something has no exact value under a key that the reference lacks, and has one if the
    reference has. Under relative mass, and where nothing is recognised, any step may stand for any:
    who writes is not known there.

    Args:
        nodes: steps or unions of them, of the run and of the reference.
        costs: the node costs of each pair, (n, m).
        metric: the settings.
    """
    C = costs.total
    if metric.config.mass == "relative" or not metric.config.recognise:
        return C
    run, reference = nodes
    forbidden = np.not_equal.outer(run.writes, reference.writes)
    forbidden[np.array(run.roles, dtype=object) == "forbidden"] = True
    write = np.logical_and.outer(run.writes, reference.writes)
    if "tool" in costs.distances:
        forbidden |= costs.distances["tool"] >= 1
    forbidden |= ~write & (C > MATCHED)
    if "action" in costs.distances:  # all that there is of two thoughts
        thoughts = np.logical_and.outer(run.toolless, reference.toolless)
        forbidden |= thoughts & (costs.distances["action"] > MATCHED)
    if costs.differing is not None:
        forbidden |= costs.differing.own | (write & costs.differing.own_key)
        calls = metric.merged_cost.calls
        assert calls is not None  # who else says what differs
        ours, theirs = list(map(_EXACT, run.read.of(calls))), map(_EXACT, reference.read.of(calls))
        forbidden |= write & np.greater.outer(np.equal(ours, 0), np.equal(list(theirs), 0))
    return np.where(forbidden, FORBIDDEN, C)


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
    run, reference = nodes
    ours, theirs = run.graph.mechanism, reference.graph.mechanism
    order = Order.KNOWN if order_scored else Order.IGNORED
    if order_scored and ours == "sequential" != theirs:
        order = Order.LISTED
    elif order_scored and ours == theirs == "traced" and metric.config.precedence > 0:
        order = Order.EXECUTED
    packed = core.pack(C, (run.packed, reference.packed), order, units, metric.packed)
    if packed is not None:
        return Problem.of_packed(packed)
    # What a problem may not hold is refused by the definition, which says what it is.
    return in_numpy(nodes, C, units, order, metric)


def in_numpy(
    nodes: Sides, C: Array, units: tuple[float, float], order: Order, metric: Metric
) -> Problem:
    """The definition: criticality weights the reference's penalty, or in ``paper`` its mass."""
    config, (run, reference) = metric.config, nodes
    mu, nu = run.weights / units[0], reference.weights / units[1]
    emphasis = 1.0 + config.kappa * reference.critical
    mean = (reference.weights * emphasis).sum() / reference.weights.sum()
    by_mass = config.criticality == "mass"
    D_p: Structure
    D_r: Structure
    if order == Order.IGNORED:
        D_p, D_r = (np.zeros((len(side.parts), len(side.parts))) for side in nodes)
    else:
        D_p, D_r = run.structure, reference.structure
    if order in (Order.EXECUTED, Order.LISTED):
        own = D_p if order == Order.EXECUTED else None
        D_p = executed(own, D_r, C, run.turns, reference.graph.order)
    return Problem(
        C=metric.moving_cost(C),
        D_p=D_p,
        D_r=D_r,
        mu=mu,
        nu=nu * emphasis / mean if by_mass else nu,
        theta=config.theta,
        lambda_1=config.lambda_agent * run.penalties,
        lambda_2=config.lambda_reference * (1.0 if by_mass else emphasis / mean),
    )


def order_known(graph: DependencyGraph, config: Config) -> bool:
    """Whether a graph says more than in which order its steps are listed.

    A total order that stands for unknown dependencies carries no information about them: it
    cannot tell a valid reordering from an inversion. Asked for by name, it counts.
    """
    if graph.mechanism != "sequential":
        return True
    return config.dependencies == "sequential" or config.unknown_order == "scored"


def units_of_mass(run: float, reference: float, config: Config) -> tuple[float, float]:
    """Returns the weight that is mass 1 on either side, of the weights of both sides.

    Absolute mass has one unit M for both, the weight of the reference and at least one ordinary
    step: what a run does besides changes no other step's share. Relative mass has the weight of
    each side.
    """
    if config.mass == "relative":
        return run, reference
    M = max(1.0, reference)
    return M, M


def price_answers(answers: Answers, unit: float, config: Config) -> Answers:
    """Returns what was told with the price of what was not: a reference's step that is missing.

    Args:
        answers: what was told.
        unit: the weight that is mass 1 on the reference's side.
        config: the settings.
    """
    return replace(answers, price=config.lambda_reference / unit) if answers.reference else answers


def compare_answers(run: Run, reference: Run, metric: Metric) -> Answers:
    """Returns which answers a run gave, without their price.

    An answer that the reference asks for and records not to have given itself is not asked for:
    it is given in words that are not understood. Where the run does not record what was told,
    nothing is. Under relative mass answers have none.

    Args:
        run: the agent's side.
        reference: says what must be told.
        metric: the settings, and the encoder.
    """
    asked, vectors = reference.required_answers, metric.encoder.encode
    if not asked or metric.config.mass == "relative":
        return NO_ANSWERS
    # Where the reference's answer is its last thought, a run without one told nothing.
    expected = reference.messages_to_user
    records_messages = reference.flat.trajectory.told is not None
    if run.messages_to_user is None and (expected is None or records_messages):
        return Answers(recorded=False)
    messages = run.messages_to_user or MessagesToUser([])
    if expected is not None:
        asked = tuple(answer for answer in asked if expected.answer(answer, vectors))
    given = {answer: messages.answer(answer, vectors) for answer in asked}
    missing = tuple(
        MissingAnswer(answer, messages.find_competing_number(answer))
        for answer in asked
        if not given[answer]
    )
    told = tuple(answer for answer in asked if given[answer])
    return Answers(told, missing, weight=metric.config.counts.told)


def _mechanisms(run: Run, reference: Run, config: Config) -> tuple[Mechanism, Mechanism]:
    """The mechanisms for a run and its reference: the best one that both sides allow.

    Where that is only the listing order, the reference gets its own best one: the order in which
    the run's steps ran is then held against the reference's dependencies. A reference of which only
    calls are known has conflicts, if it has any; so has the run then, whatever else it records.
    """
    asked, ignored = config.dependencies, config.unknown_order == "ignored"
    if reference.plan_constraints.is_plan:  # it says which calls run before which
        return "sequential", "explicit"
    if asked not in ("auto", "order"):
        return cast(Mechanism, asked), cast(Mechanism, asked)
    # Conflicts only where unknown order is not scored anyway.
    best = _best(reference.mechanisms, set() if ignored else {"conflicts"})
    if asked == "order":
        return "sequential", best
    if best == "conflicts":
        return best, best
    common = _best(run.mechanisms & reference.mechanisms, {"conflicts"})
    return common, best if common == "sequential" and ignored else common


def _best(mechanisms: frozenset[str], without: set[str]) -> Mechanism:
    return next(m for m in MECHANISMS if m in mechanisms - without)


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
    for k in merged:
        problem = _rename_merged_ids(comparisons[k], metric)
        if problem is not None:
            renamed[k] = problem
    again = _solve([*renamed.values()], metric)
    _solve_merged(again, metric)
    _keep_better(comparisons, dict(zip(renamed, again, strict=True)))
    return comparisons


def _solve_merged(comparisons: list[Comparison], metric: Metric) -> Collection[int]:
    """Merges steps and solves again, in place; returns which problems have merged steps."""
    merged = {}
    for k, comparison in enumerate(comparisons):
        problem = _merge_problem(comparison, metric)
        if problem is not None:
            merged[k] = problem
    solved = _solve([*merged.values()], metric)
    _keep_better(comparisons, dict(zip(merged, solved, strict=True)))
    return merged.keys()


def _keep_better(comparisons: list[Comparison], others: Mapping[int, Comparison]) -> None:
    """Replaces comparisons by others with a smaller loss, in place."""
    for k, other in others.items():
        if other.solution.loss < comparisons[k].solution.loss:
            comparisons[k] = other


def _solve(problems: Sequence[StepProblem], metric: Metric) -> list[Comparison]:
    arrays = [problem.arrays for problem in problems]
    solutions = solve_batch(arrays, metric.config.epsilon) if arrays else []
    return [
        Comparison(problem, solution) for problem, solution in zip(problems, solutions, strict=True)
    ]


def _merge_problem(comparison: Comparison, metric: Metric) -> StepProblem | None:
    """The problem with merged nodes; None if no step merges.

    Each call that a plan requires is a call of its own, so nothing merges then.
    """
    problem = comparison.problem
    if comparison.solution.loss <= 0 or problem.recorded[1].run.plan_constraints.is_plan:
        return None
    sides = problem.run, problem.reference
    unmatched = np.ones(len(sides[0].parts), np.bool_), np.ones(len(sides[1].parts), np.bool_)
    unmatched[0][list(comparison.reference_of)] = False
    unmatched[1][list(comparison.run_of)] = False
    merged = merge_unmatched(
        sides, problem.costs, unmatched, metric.merged_cost, metric.config.precedence
    )
    if merged is None:
        return None
    return problem_between(*merged, problem.recorded, metric, problem.answers)


def _rename_merged_ids(comparison: Comparison, metric: Metric) -> StepProblem | None:
    """The problem of single steps with the ids of merged steps renamed; None if there are none.

    The ids that the parts of a merged step made all stand for the id that its counterpart made.
    """
    run, reference = comparison.problem.recorded
    run_ids, reference_ids = dict[str, str](), dict[str, str]()
    for i, j in comparison.reference_of.items():
        parts, wholes = comparison.run.parts[i], comparison.reference.parts[j]
        if len(parts) > 1 and len(wholes) == 1:
            run_ids |= pair_merged_ids(run, parts, reference, wholes[0])
        elif len(wholes) > 1 and len(parts) == 1:
            reference_ids |= pair_merged_ids(reference, wholes, run, parts[0])
    if not run_ids and not reference_ids:
        return None
    views = run.rename_merged(run_ids), reference.rename_merged(reference_ids)
    [(_, costs)] = cost_matrices([views[0]], [views[1]], metric)
    return step_problem(*views, costs, metric)


def with_substeps(
    run: RunView, reference: RunView, costs: FieldCosts, metric: Metric, depth: int = 0
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
    if not run.run.has_substeps and not reference.run.has_substeps:
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
    reads, others = ([metric.runs.of(inside).columns for inside in side] for side in insides)
    for (i, one), (j, other) in product(enumerate(run.steps), enumerate(reference.steps)):
        if (one.substeps or other.substeps) and common_fields(reads[i], others[j], metric):
            yield i, j


def _insides(trajectory: Trajectory, inner: Metric) -> Sequence[Trajectory]:
    """What each step consists of: all of it is compared with all of the other side's."""
    found = [_take_inside(trajectory, step) for step in trajectory.steps]
    together = ReadSteps.joined([inner.runs.of(one).columns for one in found])
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
        run = inner.runs.of(insides[0][i]).view_for(reference)
        [(_, own)] = cost_matrices([run], [reference.view], inner)
        costs = with_substeps(run, reference.view, own, inner, depth + 1)
        yield step_problem(run, reference.view, costs, inner)


def _distances(problems: Iterator[StepProblem], metric: Metric) -> Iterator[float]:
    """The child distance of each pair: min(1, L / L_u) of its sub-steps, with kappa 0.

    L_u is the loss of what has nothing in common: under absolute mass all that both sides weigh.
    """
    config = metric.config
    while portion := list(islice(problems, PORTION)):
        for comparison, problem in zip(compare(portion, metric.inside), portion, strict=True):
            arrays = problem.arrays
            unrelated = float(arrays.lambda_1 @ arrays.mu + arrays.lambda_2 @ arrays.nu)
            if config.mass == "relative":
                unrelated = metric.unrelated_loss(problem.costs.weights) or unrelated
            yield min(1.0, comparison.loss / unrelated)
