"""Counterparts in another order than the reference has.

reversed: the later step of an edge of the reference ran before the earlier one.
broken: the run has no path between the two. If no mass may move between one of them and its
    counterpart, another value or tool is the reason for the lost edge. It is then a finding only if
    the loss charges for the order of steps before and after it.

An edge that says only that two steps have an order, and not that one needs the other's result, is
no finding if another reference has the order of the run.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from otap.alignment.comparison import ROUNDING
from otap.findings.context import FindingContext
from otap.findings.finding import (
    WRITES,
    Deviation,
    list_ids,
    name_steps,
    rate_order,
)
from otap.graph import Edge
from otap.run.conflicts import GUARD, LOOK
from otap.run.edges import ORDER

MAX_REACHED = 500  # steps on either side of a lost edge whose order is charged
NodePair = tuple[int, int]  # a node of the run and its counterpart in the reference


def find_lost_edges(context: FindingContext) -> Iterator[Deviation]:
    """Yields the edges of the reference that the run reversed or broke."""
    problem, run_of = context.problem, context.run_of
    if not problem.order_scored:
        return
    D_p, feeding = problem.arrays.D_p, list[bool]()
    turns, mechanism = context.run.turns, context.run.graph.mechanism
    for edge in context.reference.graph.edges:
        i, k = run_of.get(edge.source), run_of.get(edge.target)
        if i is None or k is None or D_p[i, k] > 0:
            continue
        # If only the order of the run is known, an earlier step is no lost edge.
        if mechanism == "sequential" and turns[i] < turns[k]:
            continue
        is_listed_first = max(context.run.parts[k]) < max(context.run.parts[i])
        is_reversed = bool(D_p[i, k] < 0 or (is_listed_first and mechanism != "explicit"))
        # The other edges only say which step comes first.
        if not _is_flow(edge) and (
            context.comes_before(0, i, k) or (is_reversed and context.is_free_order(k, i))
        ):
            continue
        # An earlier look-up may show the value too: the step still hands it on.
        is_flow_traced = mechanism == "traced" and _is_flow(edge)
        if not is_reversed and is_flow_traced and context.hands_on(i, k):
            continue
        is_allowed = context.is_allowed(i, edge.source) and context.is_allowed(k, edge.target)
        charge = _charge_edge(context, [edge.source], [edge.target])
        if not is_reversed and not is_allowed:
            graph = context.reference.graph
            earlier = _list_reached(graph.parents, edge.source)
            later = _list_reached(graph.children, edge.target)
            charge = _charge_edge(context, earlier, later)
            if charge <= ROUNDING:
                continue
        feeding = feeding or _list_feeding(context)
        yield _report_edge(context, (i, k), edge, is_reversed, feeding[edge.target], charge)


def _list_reached(neighbours: Sequence[Sequence[int]], start: int) -> list[int]:
    """A node and the nodes that are reached from it, the nearest first, at most MAX_REACHED."""
    reached = [start]
    for node in reached:
        reached += [j for j in neighbours[node] if j not in reached]
        if len(reached) >= MAX_REACHED:
            break
    return reached[:MAX_REACHED]


def _charge_edge(context: FindingContext, earlier: list[int], later: list[int]) -> float:
    """The loss that the structure term charges between two sets of reference nodes."""
    arrays, T = context.problem.arrays, context.comparison.solution.T
    run_of = context.run_of
    J, M = ([j for j in nodes if j in run_of] for nodes in (earlier, later))
    I, K = ([run_of[j] for j in nodes] for nodes in (J, M))  # noqa: E741
    gaps = (arrays.D_p[np.ix_(I, K)] - arrays.D_r[np.ix_(J, M)]) ** 2
    return float(2 * arrays.theta * (T[I, J] @ gaps @ T[K, M]))


def _list_feeding(context: FindingContext) -> list[bool]:
    """Which steps of the reference write, or are followed by a step that needs them and writes."""
    graph = context.reference.graph
    feeding = [role == WRITES for role in context.reference.roles]
    for j in reversed(graph.order):
        feeding[j] |= any(feeding[child] for child in graph.children[j])
    return feeding


def _report_edge(
    context: FindingContext,
    run_nodes: NodePair,
    edge: Edge,
    is_reversed: bool,
    feeds: bool,
    charge: float,
) -> Deviation:
    """The finding of an edge of the reference.

    Args:
        context: of the comparison.
        run_nodes: the counterparts of the source and of the target of the edge.
        edge: of the reference.
        is_reversed: whether the counterpart of the target ran first.
        feeds: whether a step that writes follows from the edge.
        charge: the part of the loss that it accounts for.
    """
    (i, k), (j, m) = run_nodes, (edge.source, edge.target)
    run_roles, reference_roles = context.run.roles, context.reference.roles
    ends = {run_roles[i], reference_roles[j], run_roles[k], reference_roles[m]}
    steps = context.list_run_steps(i), context.list_run_steps(k)
    severity = rate_order(ends, context.full_weight_roles, backwards=is_reversed, feeds=feeds)
    if severity == "critical" and _is_conflict(edge):
        # Both name one object, which alone does not prove that their order matters.
        is_vital = ends == {WRITES} and context.ends_object(j, m)
        severity = "critical" if is_vital else "major"
    if context.run.turns[i] == context.run.turns[k]:
        relation = "ran in the same turn as"
    elif context.comes_before(0, k, i):
        relation = "ran before" if is_reversed else ""
    else:
        relation = "did not wait for" if is_reversed else ""
    return Deviation(
        severity=severity,
        kind="reversed" if is_reversed else "broken",
        agent=list_ids(*steps),
        reference=list_ids(context.reference.of(j), context.reference.of(m)),
        share=context.share_of_loss(charge),
        sentence=_describe_edge(
            context, name_steps(steps[0]), name_steps(steps[1]), relation, edge
        ),
    )


def _is_flow(edge: Edge) -> bool:
    """Whether a step needs the result of another, or the settings say that it does."""
    paths = {evidence.source_path for evidence in edge.evidence}
    return not paths or any(path.startswith(("effect", ORDER)) for path in paths)


def _is_conflict(edge: Edge) -> bool:
    """Whether the only evidence of an edge is that both ends change one object."""
    paths = {evidence.source_path for evidence in edge.evidence}
    return any(not path.startswith(("effect", GUARD, ORDER)) for path in paths)


def _describe_edge(
    context: FindingContext, earlier: str, later: str, relation: str, edge: Edge
) -> str:
    """The sentence of an edge.

    Args:
        context: of the comparison.
        earlier: the step of the run that should come first.
        later: the step of the run that should follow it.
        relation: how ``later`` ran relative to ``earlier``; empty if it did follow it.
        edge: of the reference.
    """
    order = f"{later} {relation or 'does not depend on'} {earlier}"
    if context.plan_constraints.is_plan:
        order = order if relation else f"{later} does not come after {earlier}"
        return f"{order}, against the plan"
    if context.reference.graph.mechanism == "sequential":  # nothing shows that it needs a result
        order = order if relation else f"{later} does not come after {earlier}"
        return f"{order}, which comes first in the reference"
    evidence = edge.evidence[0] if edge.evidence else None
    path = evidence.source_path if evidence else "effect"
    if path == ORDER:
        order = order if relation else f"{later} does not come after {earlier}"
        return f"{order}, against the order that the settings require"
    if path == LOOK:
        return f"{order}; the reference looks first"
    if path == GUARD:
        return f"{order}, which comes first in the reference"
    if evidence and not path.startswith("effect"):
        name = context.name_object(evidence.value)
        return f"{order}, which comes first in the reference; both change {name}"
    if relation:
        return f"{order}, whose result it needs in the reference"
    return f"{later} does not use the result of {earlier}, which the reference needs there"
