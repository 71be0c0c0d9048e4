"""Which unions there are: two nodes that are closer to one of the other side than each alone."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, islice
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from otap.dependencies import Contractions, quotient
from otap.matrices import FieldCosts, Nodes
from otap.matrices.steps import Groups
from otap.transport import SMALL
from otap.unions.bounds import Promising, promising
from otap.unions.merging import UnionCost, quotient_nodes, sort_key, unions_of
from otap.unions.parameters import (
    DIGITS,
    LATER,
    LONGEST,
    MARGIN,
    MOST,
    NEAREST,
    ROUNDING,
    ROUNDS,
    TOGETHER,
)
from otap.values.effort import may_be_united

Array = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]
Sides = tuple[Nodes, Nodes]


class _Candidate(NamedTuple):
    """Two nodes of one side whose union is closer to a node of the other, and the gain in cost."""

    gain: float
    side: int  # 0: parts of the run; 1: of the reference
    parts: tuple[int, int]
    whole: int

    @property
    def nodes(self) -> set[tuple[int, int]]:
        """The nodes that it uses, each with its side."""
        return {(self.side, part) for part in self.parts} | {(1 - self.side, self.whole)}


@dataclass(frozen=True)
class _Side:
    """One side of a pair, whose nodes may become unions, and the costs with its nodes as rows."""

    nodes: Nodes
    others: Nodes
    costs: FieldCosts
    union_cost: UnionCost


class _Row(NamedTuple):
    """The costs of a union of two nodes with some nodes of the other side.

    ``arguments`` are the distances of its arguments from theirs; None where these take no part.
    """

    parts: tuple[int, int]
    columns: list[int]
    total: Array
    arguments: Array | None


def unite(
    sides: Sides, costs: FieldCosts, union_cost: UnionCost, precedence: float
) -> tuple[Sides, FieldCosts] | None:
    """Returns the sides with unions as nodes, and their costs; None where there are no unions.

    The unions do not depend on the order in which steps are listed. Three steps that stand for one
    are found in two rounds. A step with sub-steps is never part of a union. Above LONGEST steps a
    side unions are not sought.

    Args:
        sides: the nodes of the run and of the reference.
        costs: the costs between them.
        union_cost: those of unions.
        precedence: that of the structure.
    """
    if max(costs.total.shape) > LONGEST:
        return None
    found = None
    for count in range(ROUNDS):
        pair = found or (sides, costs)
        united = _next_round(*pair, union_cost, precedence, first=count == 0)
        if united is None:
            break
        found = united
    return found


def _next_round(
    sides: Sides, costs: FieldCosts, union_cost: UnionCost, precedence: float, *, first: bool
) -> tuple[Sides, FieldCosts] | None:
    """One round: the best unions that share no node; None where there are none."""
    candidates: list[_Candidate] = []
    for side, (nodes, others) in enumerate((sides, sides[::-1])):
        loose = _loose_nodes(nodes, others, costs.total if side == 0 else costs.total.T)
        if len(loose) > 1 and (first or len(nodes.parts) < len(nodes.listed)):
            turned = costs if side == 0 else costs.transposed()
            one = _Side(nodes, others, turned, union_cost)
            candidates += _candidates(one, side, loose, first)
    if not candidates:
        return None
    taken = _acyclic(sides, _disjoint(candidates))
    return _united(sides, costs, taken, union_cost, precedence) if taken else None


def _loose_nodes(nodes: Nodes, others: Nodes, C: Array) -> list[int]:
    """The nodes that may be parts of a union, and have no equal on the other side."""
    if not others.read.flat.any():
        return []
    loose: list[int] = np.flatnonzero((C.min(axis=1) > MARGIN) & nodes.free).tolist()
    return loose


def _candidates(one: _Side, side: int, loose: list[int], first: bool) -> Iterator[_Candidate]:
    """The unions of a side that gain enough (:func:`_gain`); later rounds only extend unions."""
    for row in _costs_of_unions(one, _promising(one, loose, first)):
        place = int(row.total.argmin())
        whole = row.columns[place]
        gain = _gain(one.costs.total[list(row.parts)], whole, row.total)
        if gain and _does_the_same(one, row, whole, place):
            yield _Candidate(gain, side, row.parts, whole)


def _promising(one: _Side, loose: list[int], first: bool) -> Sequence[Promising]:
    """The unions whose costs are worked out; none where their lists are too many."""
    nodes, others, C = one.nodes, one.others, one.costs.total
    short = max(C.shape) <= SMALL
    wholes = others.read.flat
    if not short:  # single steps alone
        wholes = wholes & (np.array(list(map(len, others.parts))) == 1)
    pairs = _pair_parts(nodes, wholes, C, loose, first)
    if not len(pairs) or not wholes.any():
        return ()
    found = promising(nodes.read, others.read, pairs, one.costs, wholes, one.union_cost)
    if not short:
        found = _best(found, len(nodes.steps) // (1 if first else LATER))
    found = [union._replace(parts=_in_order(one, union.parts)) for union in found]
    return found if found and _is_bounded(one, found) else ()


def _pair_parts(
    nodes: Nodes, wholes: Marks, C: Array, loose: list[int], first: bool
) -> npt.NDArray[np.int32]:
    """The pairs of loose nodes that may be contracted; of very many those near to one column."""
    known = Contractions(nodes.graph, frozenset(loose))
    many = len(known) * C.shape[1] > MOST
    pairs = known.of(_neighbours(C[:, wholes], loose)) if many else list(known)
    if not first:
        pairs = [pair for pair in pairs if any(len(nodes.parts[i]) > 1 for i in pair)]
    return np.array(pairs, dtype=np.int32).reshape(-1, 2)


def _neighbours(C: Array, rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The pairs of many rows that are among the NEAREST to one column; of rows equally near, none.

    So the order in which steps are listed changes nothing.
    """
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


def _in_order(one: _Side, pair: tuple[int, int]) -> tuple[int, int]:
    """A pair with the step that was needed first; without a need, ordered by what they say."""
    i, k = pair
    if k in one.nodes.graph.children[i]:
        return pair
    ours, theirs = (sort_key(one.nodes.steps[node], one.union_cost.fields) for node in pair)
    return (i, k) if ours <= theirs else (k, i)


def _is_bounded(one: _Side, found: Sequence[Promising]) -> bool:
    """Whether the lists in the unions are few enough to be compared."""
    calls = one.union_cost.calls
    if calls is None or calls.name not in one.costs.weights:
        return True
    pairs = [union.parts for union in found]
    return may_be_united(one.nodes.read.of(calls), one.others.read.of(calls), pairs)


def _costs_of_unions(one: _Side, found: Sequence[Promising]) -> Iterator[_Row]:
    """For each promising union the columns that decide about it, and its costs with these.

    Some are compared at once, with the columns of any of them: those that have much the same.
    """
    own = one.costs.distances.get("tool")
    rows = iter(sorted(found, key=attrgetter("columns")))
    while some := list(islice(rows, TOGETHER)):
        pairs = [union.parts for union in some]
        columns = sorted(set(chain.from_iterable(union.columns for union in some)))
        tools = None
        if own is not None:
            tools = own[np.array(pairs)].min(axis=1)[:, columns], own.min(axis=0)[columns]
        unions = unions_of(one.nodes.read, pairs, one.union_cost.fields)
        others = one.others.read.taken(columns)
        costs = one.union_cost.between(unions, others, tools, one.costs.weights)
        arguments = costs.distances.get("arguments", [None] * len(some))
        yield from map(_Row, pairs, [columns] * len(some), costs.total, arguments)


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
    gain = round(nearest[whole] - least, DIGITS)
    if gain <= MARGIN:
        return 0.0
    nearest[whole] = 1.0
    return gain if least + ROUNDING < min([*nearest, *others[:1]]) else 0.0


def _does_the_same(one: _Side, row: _Row, whole: int, place: int) -> bool:
    """Whether a union changes something exactly if the step does, and each part adds to it.

    All exact values of a part that changes something are the step's, too: its work is done there.
    Nor does a call of the tool of one part do what another part does by another tool: to create an
    event is not to create it and to invite somebody. Where nothing is recognised that is not asked.

    Reads are never a change, however alike their words are; nor is a change a read. The arguments
    of the union, where they are compared, are nearer than those of a part: else a part would bring
    nothing but a tool of its own, for which a union need not pay. That is not asked of what stands
    for a step without a tool, whose words tell.
    """
    roles = [one.nodes.roles[part] for part in row.parts]
    if ("writes" in roles) != (one.others.roles[whole] == "writes"):
        return False
    writing = [part for part, role in zip(row.parts, roles, strict=True) if role == "writes"]
    tools = {one.nodes.steps[part].tool for part in writing}
    if one.union_cost.own_verbs and len(tools) > 1 and one.others.steps[whole].tool in tools:
        return False
    differing = one.costs.differing
    if differing is not None and (differing.own | differing.own_key)[writing, whole].any():
        return False
    if row.arguments is None or one.others.steps[whole].tool is None:
        return True
    nearest = one.costs.distances["arguments"][list(row.parts), whole].min()
    return bool(row.arguments[place] + ROUNDING < nearest)


def _disjoint(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Takes candidates by falling gain, each node once; of equal gains the first."""
    taken: list[_Candidate] = []
    used: set[tuple[int, int]] = set()
    for candidate in sorted(
        candidates, key=lambda one: (-one.gain, one.side, one.parts, one.whole)
    ):
        if not candidate.nodes & used:
            used |= candidate.nodes
            taken.append(candidate)
    return taken


def _acyclic(sides: Sides, taken: Sequence[_Candidate]) -> Sequence[_Candidate]:
    """The candidates of most gain that make no cycle together; several can where none does alone.

    Fewer contractions make no cycle that more do not make, so it is sought by halving. Candidates
    of equal gain are taken together or not at all.
    """
    gains = sorted({candidate.gain for candidate in taken}, reverse=True)

    def is_cyclic(place: int) -> bool:
        kept = [candidate for candidate in taken if candidate.gain >= gains[place]]
        graphs = (quotient(n.graph, _groups(n, kept, side)) for side, n in enumerate(sides))
        return None in graphs

    count = bisect_left(range(len(gains)), True, key=is_cyclic)
    return [candidate for candidate in taken if candidate.gain in gains[:count]]


def _groups(nodes: Nodes, taken: Sequence[_Candidate], side: int) -> list[tuple[int, ...]]:
    pairs: list[tuple[int, ...]] = [c.parts for c in taken if c.side == side]
    inside = {i for pair in pairs for i in pair}
    return sorted([*pairs, *((i,) for i in range(len(nodes.steps)) if i not in inside)], key=min)


def _united(
    sides: Sides,
    costs: FieldCosts,
    taken: Sequence[_Candidate],
    union_cost: UnionCost,
    precedence: float,
) -> tuple[Sides, FieldCosts]:
    """The sides with the candidates, which make no cycle, as nodes, and their costs."""
    groups = _groups(sides[0], taken, 0), _groups(sides[1], taken, 1)
    run, reference = (
        quotient_nodes(nodes, own, union_cost.fields, precedence)
        if len(own) < len(nodes.parts)
        else nodes
        for nodes, own in zip(sides, groups, strict=True)
    )
    weights = run.weights.copy(), reference.weights.copy()
    for one in taken:
        union, whole = groups[one.side].index(one.parts), groups[1 - one.side].index((one.whole,))
        mass = weights[1][union if one.side == 1 else whole]
        weights[one.side][union] = weights[1 - one.side][whole] = mass
    nodes = replace(run, weights=weights[0]), replace(reference, weights=weights[1])
    return nodes, _new_costs(costs, nodes, groups, union_cost)


def _new_costs(
    costs: FieldCosts, nodes: Sides, groups: tuple[Groups, Groups], union_cost: UnionCost
) -> FieldCosts:
    """The costs between the new nodes; those of nodes that stay are not computed again."""
    first = np.ix_(*([group[0] for group in found] for found in groups))
    distances = {name: matrix[first] for name, matrix in costs.distances.items()}
    tools = _least(costs.distances["tool"], groups) if "tool" in distances else None
    differing = costs.differing and costs.differing.taken(first)
    for side in (0, 1):
        places = [place for place, group in enumerate(groups[side]) if len(group) > 1]
        if places:
            own = None if tools is None else (tools if side == 0 else tools.T)
            parts = None if own is None else (own[places], own.min(axis=0))
            unions, others = nodes[side].read.taken(places), nodes[1 - side].read
            rows = union_cost.between(unions, others, parts, costs.weights)
            for name, matrix in rows.distances.items():
                (distances[name] if side == 0 else distances[name].T)[places] = matrix
            if differing is not None and rows.differing is not None:
                turned = differing if side == 0 else differing.transposed()
                for whole, part in zip(turned, rows.differing, strict=True):
                    whole[places] = part
    return FieldCosts(distances, costs.weights, differing)


def _least(matrix: Array, groups: tuple[Groups, Groups]) -> Array:
    """The least distance between the parts of the nodes."""
    rows = np.array([matrix[list(group)].min(axis=0) for group in groups[0]])
    return np.array([rows[:, list(group)].min(axis=1) for group in groups[1]]).T
