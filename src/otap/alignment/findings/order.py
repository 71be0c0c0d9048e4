"""Counterparts in another order than the reference has.

reversed: of an edge of the reference the later step ran before the earlier.
broken: the run has no path between the two.
inverted: an inverted pair [Kendall1938] of counterparts that name the same thing. One of them
    writes, but the score does not know that their order matters: it costs nothing. Looked for among
    neighbours of the steps that name a thing.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from otap.alignment.findings.finding import (
    SHOWN,
    THINKS,
    WRITES,
    Departure,
    list_ids,
    name_steps,
    rate_order,
)
from otap.alignment.findings.reading import Reading
from otap.errors import shown
from otap.run import Edge, can_change, conflicting
from otap.run.conflicts import GUARD, LOOK
from otap.run.edges import ORDER

Counterparts = tuple[int, int]  # a node of the run and one of the reference


def find_lost_edges(reading: Reading) -> Iterator[Departure]:
    """Yields the edges of the reference that the run reversed or broke."""
    problem, run_of = reading.problem, reading.run_of
    if not problem.order_scored:
        return
    D_p, feeding = problem.arrays.D_p, list[bool]()
    turns, mechanism = reading.run.turns, reading.run.graph.mechanism
    for edge in reading.reference.graph.edges:
        i, k = run_of.get(edge.source), run_of.get(edge.target)
        if i is None or k is None or D_p[i, k] > 0:
            continue
        # Of a run that is known by its order alone, what ran first is no lost edge.
        if mechanism != "sequential" or turns[i] >= turns[k]:
            feeding = feeding or _list_feeding(reading)
            yield _report_edge(reading, (i, k), edge, feeding[edge.target])


def _list_feeding(reading: Reading) -> list[bool]:
    """Which steps of the reference write, or are followed by one that needs them and writes."""
    graph = reading.reference.graph
    feeding = [role == WRITES for role in reading.reference.roles]
    for j in reversed(graph.order):
        feeding[j] |= any(feeding[child] for child in graph.children[j])
    return feeding


def _report_edge(reading: Reading, ran: tuple[int, int], edge: Edge, feeds: bool) -> Departure:
    """The finding of an edge of the reference; ``ran`` are the counterparts of its ends."""
    (i, k), (j, m) = ran, (edge.source, edge.target)
    arrays, T = reading.problem.arrays, reading.comparison.solution.T
    gap = (arrays.D_p[i, k] - arrays.D_r[j, m]) ** 2
    listed_backwards = k < i and reading.run.graph.mechanism != "explicit"
    backwards = bool(arrays.D_p[i, k] < 0 or listed_backwards)
    run, reference = reading.run.roles, reading.reference.roles
    ends = {run[i], reference[j], run[k], reference[m]}
    steps = reading.list_run_steps(i), reading.list_run_steps(k)
    severity = rate_order(ends, reading.in_full, backwards=backwards, feeds=feeds)
    if severity == "critical" and _is_conflict(edge):
        severity = "major"  # that both name a thing does not prove that their order matters
    return Departure(
        severity=severity,
        kind="reversed" if backwards else "broken",
        agent=list_ids(*steps),
        reference=list_ids(reading.reference.of(j), reading.reference.of(m)),
        share=reading.share_of_loss(2 * arrays.theta * gap * T[i, j] * T[k, m]),
        sentence=_describe_edge(
            reading, name_steps(steps[0]), name_steps(steps[1]), backwards, edge
        ),
    )


def _is_conflict(edge: Edge) -> bool:
    """Whether all that is known of an edge is that both ends change one thing."""
    paths = {one.source_path for one in edge.evidence}
    return any(not path.startswith(("effect", GUARD, ORDER)) for path in paths)


def _describe_edge(reading: Reading, earlier: str, later: str, backwards: bool, edge: Edge) -> str:
    ran = f"{later} ran before {earlier}"
    if reading.plan_constraints.is_plan:
        return f"{ran if backwards else f'{later} does not come after {earlier}'}, against the plan"
    evidence = edge.evidence[0] if edge.evidence else None
    if evidence and evidence.source_path == ORDER:
        order = ran if backwards else f"{later} does not come after {earlier}"
        return f"{order}, against the order that the settings say"
    if evidence and evidence.source_path == LOOK:
        return f"{ran}: the reference looks first"
    if evidence and evidence.source_path == GUARD:
        return f"{ran}; in the reference {earlier} comes first, and what it does counts then"
    if evidence and not evidence.source_path.startswith("effect"):
        thing = _name_thing(reading, evidence.value)
        order = ran if backwards else f"{later} is in no order with {earlier}"
        return f"{order}: both change {thing}, and the reference does it afterwards"
    if backwards:
        return f"{ran}, whose result the reference needs there"
    return f"{later} does not use the result of {earlier}, which the reference needs there"


def _name_thing(reading: Reading, thing: str) -> str:
    """What the run calls a thing that both sides name."""
    return shown(reading.recorded[0].names.inverse().rename_data(thing, "id"), SHOWN)


def find_inverted_pairs(reading: Reading) -> Iterator[Departure]:
    """Yields the inverted pairs, each once."""
    if reading.plan_constraints.is_plan or not _has_inversion(reading):  # a plan says what matters
        return
    ran, wanted = reading.run.turns.tolist(), reading.reference.turns.tolist()
    places, reported = reading.reference.parts, set[tuple[Counterparts, Counterparts]]()
    for several in _group_by_thing(reading).values():
        several.sort(key=lambda pair: places[pair[1]][0])
        for one, other in pairwise(several):
            (i, j), (k, m) = one, other
            if ran[k] < ran[i] and wanted[j] < wanted[m] and (one, other) not in reported:
                reported.add((one, other))
                yield from _report_inverted(reading, one, other)


def _has_inversion(reading: Reading) -> bool:
    """Whether two counterparts ran in another order at all, whatever they name."""
    if len(reading.counterparts) < 2:
        return False
    i, j = np.transpose(reading.counterparts)
    ran, wanted = reading.run.turns[i], reading.reference.turns[j]
    in_order = ran[np.lexsort((ran, wanted))]
    return bool((in_order[1:] < in_order[:-1]).any())


def _group_by_thing(reading: Reading) -> dict[str, list[Counterparts]]:
    """The counterparts that name each thing on both sides; what the run did twice has no place."""
    found: dict[str, list[Counterparts]] = {}
    again = set(reading.repeats.values())
    for i, j in reading.counterparts:
        if i not in again:
            theirs = reading.reference.objects[j].paths
            for thing in reading.run.objects[i].paths:
                if thing in theirs:
                    found.setdefault(thing, []).append((i, j))
    return found


def _report_inverted(
    reading: Reading, one: Counterparts, other: Counterparts
) -> Iterator[Departure]:
    (i, j), (k, m) = one, other
    writers = _list_writers(reading, one, other)
    problem = reading.problem
    # Where the reference has a path between the two, its loss is another finding.
    if not writers or (problem.order_scored and problem.arrays.D_r[j, m] != 0):
        return
    steps, named = reading.reference.steps, reading.reference.objects
    shared = conflicting(steps[j], steps[m], named[j], named[m])
    changing = [pair for pair in writers if _do_both_change(reading, pair, shared)]
    if changing:
        earlier, later = reading.list_run_steps(k), reading.list_run_steps(i)
        thing = _name_thing(reading, shared[0])
        yield Departure(
            kind="inverted",
            severity="major" if len(changing) == 2 else "minor",
            agent=list_ids(later, earlier),
            reference=list_ids(reading.reference.of(j), reading.reference.of(m)),
            share=None,
            sentence=f"{name_steps(earlier)} ran before {name_steps(later)}, and both name "
            f"{thing}: the reference has them in the other order",
        )


def _list_writers(reading: Reading, *pairs: Counterparts) -> list[Counterparts]:
    """Those of which both counterparts write; none where a step only thinks."""
    roles = {(i, j): {reading.run.roles[i], reading.reference.roles[j]} for i, j in pairs}
    if THINKS in set.union(*roles.values()):
        return []
    return [pair for pair in pairs if roles[pair] == {WRITES}]


def _do_both_change(reading: Reading, pair: Counterparts, shared: Sequence[str]) -> bool:
    """Whether both counterparts, which write, can be seen to change the first thing shared."""
    steps = reading.run.steps[pair[0]], reading.reference.steps[pair[1]]
    return bool(shared) and all(can_change(step, shared[0]) for step in steps)
