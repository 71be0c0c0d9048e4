"""Unions: steps that together stand for one step of the other side become one node.

A run may do in two calls what a reference does in one, or the other way round. Both are right, and
a coupling of single steps cannot see it: neither part is close to the whole. So pairs of steps are
sought whose union is closer to one step than each part is; the problem is solved again with the
unions as nodes, and the smaller loss counts. Which unions there are follows from costs and edges
alone, not from a coupling.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from otap.alignment import StepProblem
from otap.dependencies import Contractions, quotient
from otap.matrices import (
    FieldCosts,
    Nodes,
    OfParts,
    Promising,
    ReadSteps,
    UnionBounds,
    content,
    may_be_united,
    structure_matrix,
)
from otap.matrices.fields.arguments import Arguments
from otap.matrices.nodes import Groups
from otap.scoring.compare.metric import Metric
from otap.scoring.compare.problem import problem_between
from otap.scoring.prepare.recognition import ROLES
from otap.transport import SMALL

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.int32]
Marks = npt.NDArray[np.bool_]

MARGIN = 0.01  # a union must be closer than its best part by more than this
ROUNDS = 3  # each at most doubles a union
LONGEST = 1000  # steps a side up to which unions are sought
# Bounds are worked out for so many pairs of steps times columns. Where all pairs are more, as those
# of hundreds of steps without dependencies, only pairs of the steps nearest to a column are tried.
MOST, NEAREST = 2_000_000, 3
# Above SMALL steps as many unions a side are made as there are steps, those that promise most, and
# in a later round a share of that: a side has room for half as many. There a union stands for
# single steps only: to hold unions against unions, whose arguments are lists, takes longest.
LATER = 4
_TOGETHER = 1024  # costs up to which unions are compared all at once
_DIGITS, _ROUNDING = 9, 1e-9
ARGUMENTS, WRITES = "arguments", "writes"


class _Row(NamedTuple):
    """The costs of a union with some steps, and the distances of its arguments from theirs."""

    total: Array
    arguments: Array | None


class _Pair(NamedTuple):
    """Both sides: the nodes of the run and those of the reference, and the costs between them."""

    nodes: tuple[Nodes, Nodes]
    costs: FieldCosts

    def costs_of(self, side: int) -> FieldCosts:
        """The costs with the nodes of one side as rows."""
        return self.costs if side == 0 else self.costs.transposed()


@dataclass(frozen=True)
class _Candidate:
    """Two nodes of one side whose union is closer to a node of the other, and the gain in cost."""

    gain: float
    side: int  # 0: parts of the run; 1: of the reference
    parts: tuple[int, int]
    whole: int

    @property
    def nodes(self) -> set[tuple[int, int]]:
        """The nodes that it uses, each with its side."""
        return {(self.side, part) for part in self.parts} | {(1 - self.side, self.whole)}


def with_unions(problem: StepProblem, metric: Metric) -> StepProblem | None:
    """Returns the problem with unions of steps as nodes, or None where there are none.

    The unions do not depend on the order in which steps are listed. Three steps that stand for one
    are found in two rounds. A step with sub-steps is never part of a union. Above LONGEST steps a
    side unions are not sought.

    Args:
        problem: the problem between single steps.
        metric: the settings.
    """
    given = found = _Pair((problem.run, problem.reference), problem.costs)
    for count in range(ROUNDS):
        united = _round(found, metric, first=count == 0)
        if united is None:
            break
        found = united
    if found is given:
        return None
    return problem_between(found.nodes, found.costs, problem.recorded, metric, problem.telling)


def _round(pair: _Pair, metric: Metric, first: bool) -> _Pair | None:
    """One round: the best unions that share no node; None where there are none."""
    if max(pair.costs.total.shape) > LONGEST:
        return None
    found = _disjoint([c for side in (0, 1) for c in _candidates(pair, side, metric, first)])
    united = _united(pair, found, metric) if found else None
    if found and united is None:
        taken = _acyclic(pair, found)
        united = _united(pair, taken, metric) if taken else None
    return united


def _candidates(pair: _Pair, side: int, metric: Metric, first: bool) -> Iterator[_Candidate]:
    """The unions of this side that gain enough (:func:`_gain`); later rounds only extend unions."""
    if not first and len(pair.nodes[side].parts) == len(pair.nodes[side].listed):
        return
    nodes, others, costs = pair.nodes[side], pair.nodes[1 - side], pair.costs_of(side)
    found = _sought(pair, side, metric, first)
    for one, (columns, row) in zip(
        found, _costs_of_unions(nodes, others, found, costs, metric), strict=True
    ):
        place = int(row.total.argmin())
        whole = columns[place]
        gain = _gain(costs.total[list(one.parts)], whole, row.total)
        thought = others.steps[whole].tool is None
        adds = gain and (thought or _adds(costs, one.parts, whole, row.arguments, place))
        if adds and _does_alike(nodes, one.parts, others.roles[whole]):
            yield _Candidate(gain, side, one.parts, whole)


def _sought(pair: _Pair, side: int, metric: Metric, first: bool) -> Sequence[Promising]:
    """The unions whose costs are worked out; none where their lists are too many."""
    nodes, others, costs = pair.nodes[side], pair.nodes[1 - side], pair.costs_of(side)
    wholes = _wholes(others, pair.costs.total)
    pairs = _possible(nodes, wholes, _turned(pair.costs.total, side), metric, first)
    if pairs is None:
        return ()
    found = _promising(nodes, others, pairs, costs, wholes, metric, first)
    if not found or not _is_bounded(nodes, others, [o.parts for o in found], costs, metric):
        return ()
    return found


def _wholes(others: Nodes, C: Array) -> Marks:
    """What a union may stand for; where there are many steps single ones alone."""
    flat = others.read.flat
    short = max(C.shape) <= SMALL
    return flat if short else flat & (np.array(list(map(len, others.parts))) == 1)


def _promising(
    nodes: Nodes,
    others: Nodes,
    pairs: Places,
    costs: FieldCosts,
    wholes: Marks,
    metric: Metric,
    first: bool,
) -> list[Promising]:
    """The unions that by their bounds could gain enough; of many steps those that promise most."""
    found = promising(nodes.read, others.read, pairs, costs, wholes, metric)
    if max(costs.total.shape) > SMALL:
        found = _best(found, len(nodes.steps) // (1 if first else LATER))
    return [one._replace(parts=_in_order(nodes, one.parts, metric)) for one in found]


def promising(
    rows: ReadSteps,
    columns: ReadSteps,
    pairs: Places,
    costs: FieldCosts,
    wholes: Marks,
    metric: Metric,
) -> list[Promising]:
    """Returns the pairs of rows whose union could stand for one of the columns ``wholes``."""
    known = metric.prospects
    found = known.promising(rows, columns, pairs, costs, wholes, MARGIN) if known else None
    if found is not None:
        return found
    listed = [(i, k) for i, k in pairs.tolist()]
    bounds = UnionBounds(rows, columns, listed, costs, metric.node_cost)
    return bounds.promising(np.flatnonzero(wholes).tolist(), MARGIN)


def _possible(nodes: Nodes, wholes: Marks, C: Array, metric: Metric, first: bool) -> Places | None:
    """The pairs of nodes that may be contracted; neither has its equal on the other side."""
    pairs = _contractible(nodes, wholes, C, metric) if wholes.any() else None
    if pairs is None:
        return None
    if not first:
        united = np.array(list(map(len, nodes.parts))) > 1
        pairs = pairs[united[pairs].any(axis=1)]
    return pairs if len(pairs) else None


def _contractible(nodes: Nodes, wholes: Marks, C: Array, metric: Metric) -> Places | None:
    """The pairs of loose nodes that may be contracted; of very many those near to one column."""
    short = max(C.shape) <= SMALL
    if short and metric.prospects:
        return metric.prospects.loose(C, nodes.free, nodes.graph.contractible, MARGIN)
    loose = (C.min(axis=1) > MARGIN) & nodes.free
    if short:
        known = nodes.graph.contractible
        among: Places = known[loose[known].all(axis=1)]
        return among
    rows = np.flatnonzero(loose).tolist()
    found = Contractions(nodes.graph, frozenset(rows))
    many = len(found) * C.shape[1] > MOST
    pairs = found.of(_neighbours(C[:, wholes], rows)) if many else list(found)
    return np.array(pairs, dtype=np.int32).reshape(-1, 2)


def _neighbours(C: Array, rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The pairs of rows that are among the NEAREST to one column; of rows equally near, none.

    So the order in which steps are listed changes nothing.
    """
    if len(rows) <= NEAREST:
        yield from combinations(rows, 2)
        return
    costs = C[rows]
    limits = np.partition(costs, NEAREST, axis=0)[NEAREST]
    for column in (costs < limits).T:
        yield from combinations([rows[place] for place in np.flatnonzero(column).tolist()], 2)


def _best(found: list[Promising], count: int) -> list[Promising]:
    """At most so many of the unions, those that promise most; of equals, all or none."""
    if len(found) <= count:
        return found
    limit = sorted((one.gain for one in found), reverse=True)[count]
    return [one for one in found if one.gain > limit]


def _is_bounded(
    nodes: Nodes,
    others: Nodes,
    pairs: Sequence[tuple[int, int]],
    costs: FieldCosts,
    metric: Metric,
) -> bool:
    """Whether the lists in the unions are few enough to be compared."""
    compared = [f for f in metric.node_cost.fields if f.name in costs.weights]
    return all(
        may_be_united(nodes.read.of(field), others.read.of(field), pairs)
        for field in compared
        if isinstance(field, Arguments)
    )


def _costs_of_unions(
    nodes: Nodes,
    others: Nodes,
    found: Sequence[Promising],
    costs: FieldCosts,
    metric: Metric,
) -> Iterator[tuple[Sequence[int], _Row]]:
    """For each promising union the columns that decide about it, and its costs with these."""
    fields, weights = metric.node_cost.fields, costs.weights
    following = {
        name: (matrix, matrix.min(axis=0))
        for name, matrix in _following_parts(costs, metric).items()
    }
    for some, columns in _portions(found):
        left, right = np.array([one.parts for one in some]).T
        parts = {
            name: OfParts(np.minimum(matrix[left], matrix[right])[:, columns], anywhere[columns])
            for name, (matrix, anywhere) in following.items()
        }
        unions = ReadSteps.joined([nodes.read.union(one.parts, fields) for one in some])
        rows = metric.node_cost.of_unions(unions, others.read.taken(columns), parts, weights)
        arguments = rows.distances.get(ARGUMENTS)
        for place, total in enumerate(rows.total):
            yield columns, _Row(total, None if arguments is None else arguments[place])


def _portions(found: Sequence[Promising]) -> Iterator[tuple[list[Promising], list[int]]]:
    """Unions that are compared all at once, and the columns of any of them."""
    some: list[Promising] = []
    columns: set[int] = set()
    for one in found:
        wider = columns.union(one.columns)
        if some and (len(some) + 1) * len(wider) > _TOGETHER:
            yield some, sorted(columns)
            some, wider = [], set(one.columns)
        some.append(one)
        columns = wider
    if some:
        yield some, sorted(columns)


def _following_parts(costs: FieldCosts, metric: Metric) -> Mapping[str, Array]:
    """The distances in the fields in which a union is as far as its parts are."""
    following = {field.name for field in metric.node_cost.fields if field.follows_parts}
    return {name: costs.distances[name] for name in costs.distances if name in following}


def _gain(parts: Array, whole: int, row: Array) -> float:
    """How much closer to a step a union is than its parts; 0 where that is not enough.

    It must be closer to the step than each part, by more than MARGIN, and closer than the parts are
    to any other step and than the union is to any other.

    Args:
        parts: the costs of both parts with all steps, (2, m).
        whole: the step.
        row: the costs of the union with the steps that it could stand for; the least is the step's.
    """
    # As lists: of a few numbers each, an array takes longer for every look at it.
    nearest: list[float] = list(map(min, *parts.tolist()))
    least, *others = sorted(row.tolist())
    gain = round(nearest[whole] - least, _DIGITS)
    if gain <= MARGIN:
        return 0.0
    nearest[whole] = 1.0
    return gain if least + _ROUNDING < min([*nearest, *others[:1]]) else 0.0


def _does_alike(nodes: Nodes, parts: tuple[int, int], role: str) -> bool:
    """Whether a union changes something exactly if the step does that it could stand for.

    Reads are never a change, however alike their words are; nor is a change a read.
    """
    return any(nodes.roles[part] == WRITES for part in parts) == (role == WRITES)


def _adds(
    costs: FieldCosts, parts: tuple[int, int], whole: int, row: Array | None, place: int
) -> bool:
    """Whether the arguments of a union, where they are compared, are nearer than those of a part.

    Else a part would bring nothing but a tool of its own, for which a union need not pay; it is
    not asked of what stands for a step without a tool, whose words tell.

    Args:
        costs: of the parts.
        parts: their rows.
        whole: the step that the union could stand for.
        row: the distances of the union's arguments; None where they take no part.
        place: that of the step in the row.
    """
    if row is None:
        return True
    nearest = min(costs.distances[ARGUMENTS][part, whole] for part in parts)
    return bool(row[place] + _ROUNDING < nearest)


def _in_order(nodes: Nodes, pair: tuple[int, int], metric: Metric) -> tuple[int, int]:
    """A pair with the step that was needed first; without a need, ordered by what they say."""
    i, k = pair
    if k in nodes.graph.children[i]:
        return pair
    ours, theirs = (content(nodes.steps[node], metric.node_cost.fields) for node in pair)
    return (i, k) if ours <= theirs else (k, i)


def _disjoint(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Takes candidates by falling gain, each node once; of equal gains that share a node, none."""
    taken: list[_Candidate] = []
    used: set[tuple[int, int]] = set()
    ranked = sorted(candidates, key=lambda candidate: -candidate.gain)
    for _, equal in groupby(ranked, key=lambda candidate: candidate.gain):
        free = [candidate for candidate in equal if not candidate.nodes & used]
        for candidate in free:
            used |= candidate.nodes
        taken += [c for c in free if not any(c.nodes & o.nodes for o in free if o is not c)]
    return taken


def _acyclic(pair: _Pair, taken: Sequence[_Candidate]) -> Sequence[_Candidate]:
    """The candidates of most gain that make no cycle together; several can where none does alone.

    Fewer contractions make no cycle that more do not make, so it is sought by halving. Candidates
    of equal gain are taken together or not at all.
    """
    gains = sorted({candidate.gain for candidate in taken}, reverse=True)
    kept = bisect_left(range(len(gains)), True, key=lambda k: _is_cyclic(pair, taken, gains[k]))
    return [candidate for candidate in taken if candidate.gain in gains[:kept]]


def _is_cyclic(pair: _Pair, taken: Sequence[_Candidate], least: float) -> bool:
    """Whether the candidates of at least this gain make a cycle on a side."""
    kept = [candidate for candidate in taken if candidate.gain >= least]
    return any(
        quotient(nodes.graph, _groups(nodes, kept, side)) is None
        for side, nodes in enumerate(pair.nodes)
    )


def _united(pair: _Pair, taken: Sequence[_Candidate], metric: Metric) -> _Pair | None:
    """The pair with the candidates as nodes; None if a quotient graph has a cycle."""
    groups = _groups(pair.nodes[0], taken, 0), _groups(pair.nodes[1], taken, 1)
    run, reference = (
        _quotient(nodes, own, metric) if len(own) < len(nodes.parts) else nodes
        for nodes, own in zip(pair.nodes, groups, strict=True)
    )
    if run is None or reference is None:
        return None
    ours, theirs = _weights(run, reference, groups, taken)
    nodes = replace(run, weights=ours), replace(reference, weights=theirs)
    return _Pair(nodes, _costs(pair.costs, nodes, groups, metric))


def _groups(nodes: Nodes, taken: Sequence[_Candidate], side: int) -> list[tuple[int, ...]]:
    pairs: list[tuple[int, ...]] = [c.parts for c in taken if c.side == side]
    inside = {i for pair in pairs for i in pair}
    return sorted([*pairs, *((i,) for i in range(len(nodes.steps)) if i not in inside)], key=min)


def _quotient(nodes: Nodes, groups: Groups, metric: Metric) -> Nodes | None:
    """The quotient of a side's nodes by a partition into groups; None if it has a cycle."""
    graph = quotient(nodes.graph, groups)
    if graph is None:
        return None
    return Nodes(
        listed=nodes.listed,
        parts=tuple(tuple(place for i in group for place in nodes.parts[i]) for group in groups),
        read=nodes.read.united(groups, metric.node_cost.fields),
        graph=graph,
        structure=structure_matrix(graph, metric.config.precedence),
        weights=_summed(nodes.weights, groups),
        own=_summed(nodes.own, groups),
        penalties=np.array([nodes.penalties[list(group)].max() for group in groups]),
        roles=tuple(min((nodes.roles[i] for i in group), key=ROLES.index) for group in groups),
        failed=np.array([nodes.failed[list(group)].any() for group in groups]),
        critical=np.array([nodes.critical[list(group)].any() for group in groups]),
    )


def _summed(of_nodes: Array, groups: Groups) -> Array:
    return np.array([of_nodes[list(group)].sum() for group in groups])


def _weights(
    run: Nodes,
    reference: Nodes,
    groups: tuple[Groups, Groups],
    taken: Sequence[_Candidate],
) -> tuple[Array, Array]:
    """The weights, where a union and the node that it stands for get the larger one of both."""
    weights = run.weights.copy(), reference.weights.copy()
    for candidate in taken:
        side = candidate.side
        union_at = groups[side].index(candidate.parts)
        whole_at = groups[1 - side].index((candidate.whole,))
        mass = max(weights[side][union_at], weights[1 - side][whole_at])
        weights[side][union_at] = weights[1 - side][whole_at] = mass
    return weights


def _costs(
    costs: FieldCosts, nodes: tuple[Nodes, Nodes], groups: tuple[Groups, Groups], metric: Metric
) -> FieldCosts:
    """The costs between the new nodes; those of nodes that stay are not computed again."""
    first = np.ix_(*([group[0] for group in found] for found in groups))
    distances = {name: matrix[first] for name, matrix in costs.distances.items()}
    following = {
        name: _least(matrix, groups) for name, matrix in _following_parts(costs, metric).items()
    }
    for side in (0, 1):
        places = _united_places(groups[side])
        if places:
            sided = {name: _turned(matrix, side) for name, matrix in following.items()}
            parts = {name: OfParts(m[places], m.min(axis=0)) for name, m in sided.items()}
            unions, others = nodes[side].read.taken(places), nodes[1 - side].read
            rows = metric.node_cost.of_unions(unions, others, parts, costs.weights)
            for name, matrix in rows.distances.items():
                _turned(distances[name], side)[places] = matrix
    return FieldCosts(distances, costs.weights)


def _united_places(groups: Groups) -> list[int]:
    """The nodes that are unions."""
    return [place for place, group in enumerate(groups) if len(group) > 1]


def _turned(matrix: Array, side: int) -> Array:
    """A view of a matrix with the nodes of one side as rows."""
    return matrix if side == 0 else matrix.T


def _least(matrix: Array, groups: tuple[Groups, Groups]) -> Array:
    """The least distance between the parts of the nodes."""
    rows = np.array([matrix[list(group)].min(axis=0) for group in groups[0]])
    return np.array([rows[:, list(group)].min(axis=1) for group in groups[1]]).T
