"""Poses the transport problem between the steps of a run and the steps of a reference."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import IntEnum
from typing import cast

import numpy as np
import numpy.typing as npt

from otap.alignment import NO_ANSWERS, Answers, MissingAnswer, StepProblem, check_sizes
from otap.alignment.comparison import MATCHED
from otap.config import Config
from otap.costs import CostNodes, FieldCosts, executed, mass_moving_cost
from otap.errors import NoReferenceError, shown
from otap.graph import DependencyGraph
from otap.run import MECHANISMS, Mechanism
from otap.run.answers import MessagesToUser, find_contradiction
from otap.run.columns import FIELDS, StepColumns
from otap.run.roles import Role
from otap.run.run import Run, RunView
from otap.scoring.metric import Metric
from otap.scoring.near_misses import compute_nearness
from otap.transport import Problem, Structure, core
from otap.transport.parameters import FORBIDDEN
from otap.values.value import text_of

# The share of the best pair's saving that all extra look-ups cost at most, if nothing is changed.
MAX_EXTRA_SHARE = 0.9
_NO_MASS = 1e-30  # a factor that changes no sum; a mass of 0 is no mass
Array = npt.NDArray[np.float64]
Sides = tuple[CostNodes, CostNodes]
# By view, mechanism, and the roles that have full weight.
RunNodes = dict[tuple[RunView, Mechanism, frozenset[Role], frozenset[Role]], CostNodes]


class RunStructure(IntEnum):
    """The structure matrix of the run, numbered as in core/packing.hpp."""

    IGNORED = 0  # zero, as is the matrix of the reference
    DEPENDENCIES = 1  # its dependencies
    EXECUTED = 2  # its dependencies, with the inversions that its order of execution shows
    SEQUENCE = 3  # its order of execution along the paths of the reference


def cost_matrices(
    runs: Sequence[RunView], references: Sequence[RunView], metric: Metric
) -> Iterator[tuple[list[int], FieldCosts]]:
    """Yields cost matrices between a run and the joined steps of several references.

    References share a matrix if the same fields take part and the run has the same names.

    Args:
        runs: the rows: for each reference the view of the run.
        references: the columns, each with at least one step.
        metric: weights and distances.

    Yields:
        The indices of the references that share a matrix, and their costs in the same order.

    Raises:
        LimitError: if a side has more than MAX_SCORED steps, or there are more than MAX_PAIRS pairs
            of steps.
        NoReferenceError: if no field is recorded on both sides.
    """
    check_sizes(runs, references)
    groups: dict[tuple[frozenset[str], StepColumns], list[int]] = {}
    for index, (run, reference) in enumerate(zip(runs, references, strict=True)):
        fields = common_fields(run.columns, reference.columns, metric)
        if not fields:
            raise NoReferenceError(
                f"{shown(run.trajectory.name)} and {shown(reference.trajectory.name)} have no "
                f"field in common: of {', '.join(FIELDS)}, none with a weight is recorded on both "
                "sides"
            )
        groups.setdefault((fields, run.columns), []).append(index)
    for (fields, rows), indices in groups.items():
        columns = StepColumns.join([references[index].columns for index in indices])
        yield indices, metric.node_cost.between(rows, columns, metric.weights_of(fields))


def common_fields(run: StepColumns, reference: StepColumns, metric: Metric) -> frozenset[str]:
    """Returns the fields that a comparison uses: with a weight, and recorded on both sides.

    The tool counts only if one side calls a tool, because two sides without calls are not similar
    for that reason.

    Args:
        run: the steps of the run.
        reference: the steps of the reference.
        metric: weights, and whether a side may lack a field.
    """
    if metric.paper:
        return metric.weighted_fields
    common = run.observed & reference.observed & metric.weighted_fields
    return common if run.calls_tools or reference.calls_tools else common - {"tool"}


def step_problem(
    run: RunView,
    reference: RunView,
    costs: FieldCosts,
    metric: Metric,
    answers: Answers | None = None,
    run_nodes: RunNodes | None = None,
) -> StepProblem:
    """Returns the transport problem between the steps of a run and those of a reference.

    Required answers add to the weight of both sides, and to the unit of mass.

    Args:
        run: the view of the run.
        reference: the view of the reference.
        costs: the node costs of each pair of steps, (n, m).
        metric: the settings.
        answers: the required answers that the run gave (default: compared here).
        run_nodes: the nodes of the run for earlier references, which equal weights share.

    Raises:
        DependencyError: if a side does not record the configured mechanism.
        FormatError: if a declared goal is no step of the reference.
    """
    if metric.paper:
        return metric.paper.problem(run, reference, costs)
    mechanism, reference_mechanism = _choose_mechanisms(run.run, reference.run, metric.config)
    graph = reference.run.graphs[reference_mechanism]
    # Neither conflicts nor a plan show which steps lead to a goal.
    leads_to_goals = has_known_order(graph.graph, metric.config)
    leads_to_goals &= reference_mechanism != "conflicts"
    leads_to_goals &= not reference.run.plan_constraints.is_plan
    reference_nodes = metric.nodes.of_reference(
        reference, reference_mechanism, by_paths=leads_to_goals
    )
    nodes_of_run = {} if run_nodes is None else run_nodes
    key = run, mechanism, reference.run.full_weight, reference.run.full_weight_extra
    if key not in nodes_of_run:
        nodes_of_run[key] = metric.nodes.of(run, mechanism, reference.run)
    nodes = nodes_of_run[key], reference_nodes
    if answers is None:
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
        nodes: single or merged steps, of the run and of the reference.
        costs: the node costs of each pair, (n, m).
        recorded: the views of both, which findings read.
        metric: the settings.
        answers: the required answers that the run gave.
    """
    config, (run, reference) = metric.config, nodes
    # Merging steps does not change the unit of mass.
    unit = unit_of_mass(float(reference.own_weights.sum()) + answers.reference)
    is_order_scored = config.theta > 0 and has_known_order(reference.graph, config)
    C = allowed_costs(nodes, costs, metric)
    arrays = arrays_between(nodes, C, unit, is_order_scored, metric)
    nearness = compute_nearness(arrays, costs.total)
    is_lookup = only_looks_up(run.roles, reference.roles)
    if is_lookup or nearness.min() < 1:
        lambda_1 = arrays.lambda_1 * nearness
        mu = bound_extra_lookups(arrays, lambda_1) if is_lookup else arrays.mu
        arrays = arrays.with_run(mu, lambda_1)
    return StepProblem(
        recorded=recorded,
        run=run,
        reference=reference,
        costs=costs,
        order_scored=is_order_scored,
        arrays=arrays,
        nearness=nearness,
        answers=price_answers(answers, unit, config),
        counts_pairs=True,
    )


def only_looks_up(run: Sequence[Role | str], reference: Sequence[Role | str]) -> bool:
    """Returns whether a reference looks up but changes nothing, and a run does no more.

    Args:
        run: the roles of the run's steps.
        reference: the roles of the reference's steps.
    """
    roles = {*run, *reference}
    return "reads" in reference and roles <= {"reads", "thinks"}


def bound_extra_lookups(arrays: Problem, lambda_1: Array) -> Array:
    """Returns the masses with which the steps that match nothing cost at most what matches save.

    Such a look-up does no harm. A run that only looks up is thus never worse than doing nothing.
    Together these steps cost at most a share of the penalty that the best pair can save.

    Args:
        arrays: the problem.
        lambda_1: the penalties of the run's steps, (n,).
    """
    allowed = arrays.C < FORBIDDEN
    is_idle = ~allowed.any(axis=1)
    total = float(lambda_1[is_idle] @ arrays.mu[is_idle])
    if total <= 0:
        return arrays.mu
    masses = np.minimum.outer(arrays.mu, arrays.nu) * (1 - np.minimum(arrays.C, 1)) * allowed
    most = MAX_EXTRA_SHARE * float((masses * arrays.lambda_2).max())
    mu = arrays.mu.copy()
    mu[is_idle] *= min(1.0, max(most / total, _NO_MASS))
    return mu


def allowed_costs(nodes: Sides, costs: FieldCosts, metric: Metric) -> Array:
    """Returns the node costs, FORBIDDEN where two steps may not be matched.

    Only the same call matches a call. Writes match only writes. Calls of different tools never
    match. Neither does a step with an exact value where the reference has a different one. A write
    must not have an exact value under a key that the reference lacks, and it must have one if the
    reference has one. Without recognition any two steps may match, because writes are not known
    there.

    Args:
        nodes: single or merged steps, of the run and of the reference.
        costs: the node costs of each pair, (n, m).
        metric: the settings.
    """
    C = costs.total
    if not metric.config.recognise:
        return C
    run, reference = nodes
    forbidden = np.not_equal.outer(run.writes, reference.writes)
    if "forbidden" in run.roles:
        forbidden[np.array(run.roles, dtype=object) == "forbidden"] = True
    both_write = np.logical_and.outer(run.writes, reference.writes)
    if "tool" in costs.distances:
        forbidden |= costs.distances["tool"] >= 1
    forbidden |= ~both_write & (C > MATCHED)
    if "action" in costs.distances:  # two thoughts have nothing else to compare
        thoughts = np.logical_and.outer(run.without_tool, reference.without_tool)
        forbidden |= thoughts & (costs.distances["action"] > MATCHED)
    if costs.differing is not None:
        forbidden |= costs.differing.row_only | (both_write & costs.differing.row_only_keys)
        calls = metric.merged_cost.calls
        run_has_values, reference_has_values = (
            np.array(
                [value.exact > 0 and value.is_filled for value in side.columns.of(calls)], bool
            )
            for side in nodes
        )
        forbidden |= both_write & np.greater.outer(~run_has_values, ~reference_has_values)
    return np.where(forbidden, FORBIDDEN, C)


def arrays_between(
    nodes: Sides, C: Array, unit: float, is_order_scored: bool, metric: Metric
) -> Problem:
    """Returns the arrays of the problem, from the native core if there is one and it is short.

    Args:
        nodes: those of the run and of the reference.
        C: the node costs of each pair, (n, m).
        unit: the weight that is mass 1.
        is_order_scored: whether the structure term takes part.
        metric: the settings.
    """
    run, reference = nodes
    mechanism, reference_mechanism = run.graph.mechanism, reference.graph.mechanism
    structure = RunStructure.DEPENDENCIES if is_order_scored else RunStructure.IGNORED
    is_traced = mechanism == reference_mechanism == "traced"
    if is_order_scored and mechanism == "sequential" != reference_mechanism:
        structure = RunStructure.SEQUENCE
    elif is_order_scored and is_traced and metric.config.precedence > 0:
        structure = RunStructure.EXECUTED
    packed = core.pack(C, (run.packed, reference.packed), structure, (unit, unit), metric.packed)
    if packed is not None:
        return Problem.of_packed(packed)
    # The definition also refuses what no problem may hold, with a message.
    return arrays_in_numpy(nodes, C, unit, structure, metric)


def arrays_in_numpy(
    nodes: Sides, C: Array, unit: float, structure: RunStructure, metric: Metric
) -> Problem:
    """The definition of the arrays; criticality weights the penalties of the reference."""
    config, (run, reference) = metric.config, nodes
    emphasis = 1.0 + config.kappa * reference.critical
    mean = (reference.weights * emphasis).sum() / reference.weights.sum()
    D_p: Structure
    D_r: Structure
    if structure == RunStructure.IGNORED:
        D_p, D_r = (np.zeros((len(side.parts), len(side.parts))) for side in nodes)
    else:
        D_p, D_r = run.structure, reference.structure
    if structure in (RunStructure.EXECUTED, RunStructure.SEQUENCE):
        dependencies = D_p if structure == RunStructure.EXECUTED else None
        D_p = executed(dependencies, D_r, C, run.turns, reference.graph.order)
    return Problem(
        C=mass_moving_cost(C),
        D_p=D_p,
        D_r=D_r,
        mu=run.weights / unit,
        nu=reference.weights / unit,
        theta=config.theta,
        lambda_1=config.lambda_agent * run.penalties,
        lambda_2=config.lambda_reference * (emphasis / mean),
    )


def has_known_order(graph: DependencyGraph, config: Config) -> bool:
    """Whether a graph knows more than the order in which its steps are listed.

    A total order that replaces unknown dependencies carries no information about them. It cannot
    tell a valid reordering from an inversion. It counts only if the settings ask for it.
    """
    return graph.mechanism != "sequential" or config.dependencies == "sequential"


def unit_of_mass(reference: float) -> float:
    """Returns M, the weight that is mass 1 on both sides, given the weight of the reference.

    It is at least one ordinary step. Extra steps of a run change no other step's share.
    """
    return max(1.0, reference)


def price_answers(answers: Answers, unit: float, config: Config) -> Answers:
    """Returns the answers with the price of a missing one, which is that of a missing step.

    Args:
        answers: the required answers that the run gave.
        unit: the weight that is mass 1 on the reference's side.
        config: the settings.
    """
    has_price = answers.reference or answers.contradiction is not None
    return replace(answers, price=config.lambda_reference / unit) if has_price else answers


def compare_answers(
    run: Run, reference: Run, metric: Metric, elsewhere: Sequence[str] = ()
) -> Answers:
    """Returns the required answers that a run gave, without their price.

    An answer that the reference itself does not give in its messages is not required: its words
    are not understood. The run's statement of an answer must not be the contrary of the
    reference's. No answer is required of a run that does not record its messages, nor
    by the paper's metric. Where none is required, the last messages may not contradict each other.

    Args:
        run: the run.
        reference: lists the required answers.
        metric: the settings, and the encoder.
        elsewhere: the last messages of the other references of the task.
    """
    required, encode = reference.required_answers, metric.encoder.encode
    if metric.paper:
        return NO_ANSWERS
    if not required:
        if reference.plan_constraints.is_plan:
            return NO_ANSWERS
        is_task = "writes" not in reference.flat.roles
        sides, request = (run.messages or (), reference.messages or ()), reference.scored.request
        contradiction = find_contradiction(*sides, request, elsewhere, is_task=is_task)
        if contradiction is None:
            return NO_ANSWERS
        return Answers(
            contradiction=contradiction, is_task=is_task, weight=metric.config.counts.answers
        )
    expected = reference.messages_to_user
    # If the reference answers by its last thought, a run without one gave no answer.
    records_messages = reference.flat.trajectory.messages_to_user is not None
    if run.messages_to_user is None and (expected is None or records_messages):
        return Answers(recorded=False)
    messages = run.messages_to_user or MessagesToUser([])
    if expected is not None:
        required = tuple(answer for answer in required if expected.answer(answer, encode))
    is_given = {answer: messages.answer(answer, encode, expected) for answer in required}
    missing = tuple(
        MissingAnswer(
            answer,
            messages.find_competing_number(answer),
            messages.explain_missing(answer, expected),
        )
        for answer in required
        if not is_given[answer]
    )
    answered = tuple(answer for answer in required if is_given[answer])
    unproven = _list_unproven(answered, run, reference) if metric.config.strict else ()
    return Answers(answered, missing, unproven, weight=metric.config.counts.answers)


def _list_unproven(answers: Sequence[str], run: Run, reference: Run) -> tuple[tuple[str, str], ...]:
    """The answers that a run seems to give, without a proof, each with the reason."""
    messages, expected = run.messages_to_user, reference.messages_to_user
    if messages is None:
        return ()
    recorded_texts = [*reference.required_answers, *(() if expected is None else expected.recorded)]
    recorded_texts += [
        text_of(step.effect) for step in run.flat.recorded.steps if step.effect is not None
    ]
    unproven = []
    for answer in answers:
        doubt = messages.find_doubt(answer, recorded_texts)
        if doubt is None and expected is not None:
            doubt = messages.find_other_statement(answer, expected)
        if doubt is not None:
            unproven.append((answer, doubt))
    return tuple(unproven)


def _choose_mechanisms(run: Run, reference: Run, config: Config) -> tuple[Mechanism, Mechanism]:
    """The mechanisms for a run and its reference: the best one that both sides allow.

    If that is only the listing order, the reference gets its own best one. The order in which the
    run's steps ran is then compared with the reference's dependencies. A reference that records
    only calls has conflicts, if any. The run then uses conflicts too, whatever else it records.
    """
    configured = config.dependencies
    if reference.plan_constraints.is_plan:  # a plan states which calls run before which
        return "sequential", "explicit"
    if configured not in ("auto", "order"):
        return cast(Mechanism, configured), cast(Mechanism, configured)
    best = _best_mechanism(reference.mechanisms, set())
    if configured == "order":
        return "sequential", best
    if best == "conflicts":
        return best, best
    common = _best_mechanism(run.mechanisms & reference.mechanisms, {"conflicts"})
    return common, best if common == "sequential" else common


def _best_mechanism(mechanisms: frozenset[str], excluded: set[str]) -> Mechanism:
    return next(m for m in MECHANISMS if m in mechanisms - excluded)
