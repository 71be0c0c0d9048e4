"""Merges steps that together do the work of one step of the other side into one node.

A run may use two calls where a reference uses one, or the other way round. Both are right, and
a coupling of single steps cannot show it, because neither part is close to that step. After the
first solve some steps have no counterpart. A step without one may merge with another step if both
together are closer to a step of the other side than each of them alone. Rounds follow until no such
step is left. The problem is then solved again, and the smaller loss counts.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from otap.costs import UNLIKE, CostNodes, FieldCosts
from otap.costs.merging import MergedCost, merge_nodes, merge_steps, sort_key
from otap.costs.nodes import Groups
from otap.graph import DependencyGraph, quotient
from otap.scoring.batches import CALLS, Call, find_batchable, find_batches, find_wholes
from otap.scoring.lookups import LookUp
from otap.values.budget import is_merge_affordable

MARGIN = 0.001  # a merged step must be closer than its best part by more than this
ANOTHER_LOOK_UP, PARTIAL_LOOK_UP = 0.1, 0.3  # the distance if all or some values were shown
MAX_ROUNDS = 8  # each round at most doubles a merged step
MAX_STEPS = 1000  # sides with more steps are not merged
MAX_TRIALS = 20_000  # pairs of steps times steps of the other side that are tried in one round
DIGITS, ROUNDING = 9, 1e-9  # gains that differ by less are equal
_CHUNK = 32  # merged steps that are compared at once

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Sides = tuple[CostNodes, CostNodes]


class _Trial(NamedTuple):
    """Two nodes of one side, and the nodes of the other side whose work they may do together."""

    parts: tuple[int, int]
    targets: Sequence[int]


class _Candidate(NamedTuple):
    """Nodes that are closer to a node of the other side when merged, and the gain in cost."""

    gain: float
    side: int  # 0: parts of the run; 1: of the reference
    parts: tuple[int, ...]
    target: int
    arguments: JsonValue = None  # of the merged node; None: the union of those of its parts
    distance: float | None = None  # from the target in each field (default: it is compared)

    @property
    def nodes(self) -> set[tuple[int, int]]:
        """The nodes that it uses, each with its side."""
        return {(self.side, part) for part in self.parts} | {(1 - self.side, self.target)}


@dataclass(frozen=True)
class _Side:
    """One side of a pair, and its costs with its nodes as rows.

    Attributes:
        nodes: the nodes that may merge.
        opposite: the nodes of the other side.
        costs: between both.
        unmatched: the nodes without a counterpart, (n,).
        merged_cost: the costs of merged steps.
    """

    nodes: CostNodes
    opposite: CostNodes
    costs: FieldCosts
    unmatched: Flags
    merged_cost: MergedCost


def merge_unmatched(
    sides: Sides,
    costs: FieldCosts,
    unmatched: tuple[Flags, Flags],
    merged_cost: MergedCost,
    precedence: float,
    lookups: Sequence[LookUp] = (),
) -> tuple[Sides, FieldCosts] | None:
    """Returns the sides with merged nodes, and their costs; None if nothing merges.

    The result does not depend on the listing order of steps. Steps with sub-steps never merge.

    Args:
        sides: the nodes of the run and of the reference.
        costs: the costs between them.
        unmatched: for each side the nodes without a counterpart.
        merged_cost: the costs of merged steps.
        precedence: that of the structure.
        lookups: the nodes that show the values of nodes of the other side.
    """
    if max(costs.total.shape) > MAX_STEPS:
        return None
    batches = _find_batches(sides, costs, lookups)
    is_merged = bool(batches)
    if batches:
        sides, costs, unmatched = _merge(sides, costs, unmatched, batches, merged_cost, precedence)
    for count in range(MAX_ROUNDS):
        candidates: list[_Candidate] = []
        for k, (nodes, opposite) in enumerate((sides, sides[::-1])):
            if not unmatched[k].any():
                continue
            side_costs = costs if k == 0 else costs.transposed()
            side = _Side(nodes, opposite, side_costs, unmatched[k], merged_cost)
            candidates += _find_candidates(side, k, is_first=count == 0)
        selected = _without_cycles(sides, _select_disjoint(candidates))
        if not selected:
            break
        sides, costs, unmatched = _merge(sides, costs, unmatched, selected, merged_cost, precedence)
        is_merged = True
    return (sides, costs) if is_merged else None


def _find_batches(
    sides: Sides, costs: FieldCosts, lookups: Sequence[LookUp]
) -> Sequence[_Candidate]:
    """The batches and other look-ups among the nodes without an equal one, each node once."""
    batches: list[_Candidate] = []
    used = set[tuple[int, int]]()
    for candidate in (*_list_batches(sides, costs), *_list_lookups(lookups)):
        if candidate.nodes.isdisjoint(used) and _is_contractible(sides, candidate):
            used |= candidate.nodes
            batches.append(candidate)
    return _without_cycles(sides, batches)


def _list_batches(sides: Sides, costs: FieldCosts) -> Iterator[_Candidate]:
    unequal = [list_unequal(nodes, least) for nodes, least in zip(sides, costs.least, strict=True)]
    if costs.differing is None or not all(unequal):
        return
    calls = [nodes.columns.of(CALLS) for nodes in sides]
    for writes in (True, False):
        groups = [
            {k: side_calls[k] for k in indices if (nodes.roles[k] == "writes") == writes}
            for nodes, side_calls, indices in zip(sides, calls, unequal, strict=True)
        ]
        if not all(groups):
            continue
        for side in (0, 1):
            wholes = find_wholes(groups[1 - side])
            for batch in find_batches(wholes, groups[side], sides[side].graph.order):
                yield _Candidate(
                    float(batch.size), side, batch.parts, batch.target, batch.arguments
                )


def _list_lookups(lookups: Sequence[LookUp]) -> Iterator[_Candidate]:
    for lookup in lookups:
        side = int(len(lookup.reference) > 1)
        parts, [target] = (lookup.run, lookup.reference)[:: -1 if side else 1]
        distance = ANOTHER_LOOK_UP if lookup.share == 1 else PARTIAL_LOOK_UP
        yield _Candidate(lookup.share, side, parts, target, distance=distance)


def list_unequal(nodes: CostNodes, least: Array) -> list[int]:
    """Returns the nodes of full weight that worked and that no node of the other side equals.

    Args:
        nodes: the nodes of a side.
        least: the least cost of each node, (n,).
    """
    possible = nodes.can_merge & (nodes.weights >= 1) & (least > MARGIN)
    unequal: list[int] = np.flatnonzero(possible).tolist()
    return unequal


def _is_contractible(sides: Sides, candidate: _Candidate) -> bool:
    nodes = sides[candidate.side]
    return quotient(nodes.graph, _group_nodes(nodes, [candidate], candidate.side)) is not None


class StepFlags(NamedTuple):
    """The properties of steps that decide whether they may merge, (n,) each.

    Attributes:
        free: steps that did not fail and have no sub-steps.
        flat: steps without sub-steps.
        writes: steps that change something.
    """

    free: Flags
    flat: Flags
    writes: Flags


def find_mergeable(
    run: StepFlags,
    reference: StepFlags,
    costs: FieldCosts,
    calls: tuple[Sequence[Call | None], Sequence[Call | None]],
) -> tuple[Flags, Flags]:
    """Returns which steps of the run, and which of the reference, may be part of a merged step.

    Args:
        run: the steps of the run, n.
        reference: the steps of the reference, m.
        costs: between both, (n, m).
        calls: the steps of the run and of the reference as calls.
    """
    run_parts = _possible_parts(run, reference, costs)
    reference_parts = _possible_parts(reference, run, costs.transposed())
    run_flags, reference_flags = _are_several(run_parts), _are_several(reference_parts)
    if costs.differing is not None:
        run_calls, reference_calls = (
            {k: side[k] for k in np.flatnonzero(flags.free & (least > MARGIN)).tolist()}
            for side, flags, least in zip(calls, (run, reference), costs.least, strict=True)
        )
        batchable = find_batchable(find_wholes(run_calls), reference_calls)
        batchable |= {(i, j) for j, i in find_batchable(find_wholes(reference_calls), run_calls)}
        for i, j in batchable:
            run_flags[i] = reference_flags[j] = True
    return run_flags, reference_flags


def _are_several(possible: Flags) -> Flags:
    """The steps that may do a part of a step of which another step may do a part too."""
    targets = possible.sum(axis=0) > 1
    several: Flags = np.asarray(possible[:, targets].any(axis=1))
    return several


def _possible_parts(side: StepFlags, other: StepFlags, costs: FieldCosts) -> Flags:
    """Which steps may do a part of which steps of the other side, (n, m).

    A part that changes something needs a target that does, and that has all its exact values. Both
    share some of their arguments, or are not far apart.
    """
    possible = side.free[:, None] & other.flat[None, :]
    possible &= ~side.writes[:, None] | other.writes[None, :]
    if costs.differing is not None:
        differs = costs.differing.row_only | costs.differing.row_only_keys
        possible &= ~(side.writes[:, None] & differs)
    if "arguments" in costs.distances:
        possible &= (costs.distances["arguments"] < 1) | (costs.total < UNLIKE)
    return possible


def _flags_of(nodes: CostNodes) -> StepFlags:
    return StepFlags(nodes.can_merge, nodes.columns.flat, nodes.writes)


def _find_candidates(side: _Side, k: int, *, is_first: bool) -> Iterator[_Candidate]:
    """The merged steps of a side that gain enough; later rounds only extend merged steps."""
    trials = _list_trials(side, is_first=is_first)
    if not trials or not _is_bounded(side, trials):
        return
    costs, fields = side.costs, side.merged_cost.fields
    own_tools = costs.distances.get("tool")
    waiting = iter(sorted(trials, key=lambda trial: (trial.targets, trial.parts)))
    while chunk := list(islice(waiting, _CHUNK)):
        pairs = [trial.parts for trial in chunk]
        near = np.min([costs.total[list(pair)].min(axis=0) for pair in pairs], axis=0) < UNLIKE
        columns = sorted(
            {*np.flatnonzero(near).tolist(), *(j for trial in chunk for j in trial.targets)}
        )
        tools = None
        if own_tools is not None:
            tools = (
                own_tools[np.array(pairs)].min(axis=1)[:, columns],
                own_tools.min(axis=0)[columns],
            )
        merged = merge_steps(side.nodes.columns, pairs, fields)
        opposite = side.opposite.columns.select(columns)
        merged_costs = side.merged_cost.between(merged, opposite, tools, costs.weights)
        arguments = merged_costs.distances.get("arguments")
        for row, trial in enumerate(chunk):
            position = int(merged_costs.total[row].argmin())
            target = columns[position]
            if target not in trial.targets:
                continue
            gain = _gain(costs.total[list(trial.parts)], target, merged_costs.total[row])
            distance = None if arguments is None else float(arguments[row, position])
            if gain and _adds_arguments(side, trial.parts, target, distance):
                yield _Candidate(gain, k, trial.parts, target)


def _list_trials(side: _Side, *, is_first: bool) -> list[_Trial]:
    """The pairs of nodes that may merge, at least one of them without a counterpart."""
    nodes, C, unmatched = side.nodes, side.costs.total, side.unmatched
    is_unequal = side.costs.least[0] > MARGIN
    if not (unmatched & is_unequal & nodes.can_merge).any():
        return []
    possible = _possible_parts(_flags_of(nodes), _flags_of(side.opposite), side.costs)
    possible &= is_unequal[:, None]
    if not (possible[unmatched].any(axis=0) & (possible.sum(axis=0) > 1)).any():
        return []
    counts = possible.astype(np.float32)
    together = counts @ counts.T > 0  # pairs with a common target
    together &= unmatched[:, None] | unmatched
    if not is_first:
        is_merged = np.array([len(part) > 1 for part in nodes.parts])
        together &= is_merged[:, None] | is_merged
    trials = []
    for pair in _list_contractible(nodes.graph, together):
        targets = _list_targets(side, pair, possible)
        if targets:
            trials.append(_Trial(_order_parts(side, pair), targets))
    return _limit_trials(trials, C)


def _list_contractible(graph: DependencyGraph, allowed: Flags) -> list[tuple[int, int]]:
    """The allowed pairs of nodes that can become one node without a cycle in the graph.

    They are edges of the transitive reduction [Aho1972], or twins, which have the same parents and
    the same children.
    """
    pairs = [edge for edge in graph.reduction if allowed[edge]]
    for group in graph.twins:
        if len(group) > 1:
            rows, columns = np.nonzero(np.triu(allowed[np.ix_(group, group)], 1))
            pairs += [
                (group[i], group[k]) for i, k in zip(rows.tolist(), columns.tolist(), strict=True)
            ]
    return pairs


def _list_targets(side: _Side, pair: tuple[int, int], possible: Flags) -> list[int]:
    """The nodes of the other side whose work two nodes may do together.

    The two change something exactly if the target does. A call of one part's tool does not do the
    work of another tool: creating an event is not creating it and inviting somebody.
    """
    writing = [part for part in pair if side.nodes.writes[part]]
    columns = possible[list(pair)].all(axis=0)
    columns &= side.opposite.writes == bool(writing)
    targets: list[int] = np.flatnonzero(columns).tolist()
    tools = {side.nodes.steps[part].tool for part in writing}
    if side.merged_cost.keeps_verbs and len(tools) > 1:
        targets = [target for target in targets if side.opposite.steps[target].tool not in tools]
    return targets


def _limit_trials(trials: list[_Trial], C: Array) -> list[_Trial]:
    """At most MAX_TRIALS trials, those with the least costs; of equals, all or none."""
    if sum(len(trial.targets) for trial in trials) <= MAX_TRIALS:
        return trials
    by_cost: dict[float, list[_Trial]] = {}
    for trial in trials:
        cost = round(float(C[np.ix_(trial.parts, trial.targets)].sum(axis=0).min()), DIGITS)
        by_cost.setdefault(cost, []).append(trial)
    limited: list[_Trial] = []
    room = MAX_TRIALS
    for cost in sorted(by_cost):
        room -= sum(len(trial.targets) for trial in by_cost[cost])
        if room < 0:
            break
        limited += by_cost[cost]
    return limited


def _order_parts(side: _Side, pair: tuple[int, int]) -> tuple[int, int]:
    """A pair with the step that the other needs first; independent steps by their content."""
    i, k = pair
    if k in side.nodes.graph.children[i]:
        return pair
    fields = side.merged_cost.fields
    first, second = (sort_key(side.nodes.steps[part], fields) for part in pair)
    return (i, k) if first <= second else (k, i)


def _is_bounded(side: _Side, trials: Sequence[_Trial]) -> bool:
    """Whether the lists in the merged arguments are short enough to be compared."""
    calls = side.merged_cost.calls
    if calls is None or calls.name not in side.costs.weights:
        return True
    pairs = [trial.parts for trial in trials]
    return is_merge_affordable(side.nodes.columns.of(calls), side.opposite.columns.of(calls), pairs)


def _gain(parts: Array, target: int, merged: Array) -> float:
    """How much closer to a step a merged step is than its parts; 0 if that is not enough.

    It must be closer to the step than each part, by more than MARGIN. It must also be closer to it
    than the parts are to any other step, and than it is to any other.

    Args:
        parts: the costs of both parts with all steps, (2, m).
        target: the step.
        merged: the costs of the merged step with the steps near its parts; the least is the step's.
    """
    nearest: list[float] = parts.min(axis=0).tolist()
    least, *larger = sorted(merged.tolist())
    gain = round(nearest[target] - least, DIGITS)
    if gain <= MARGIN:
        return 0.0
    nearest[target] = 1.0
    return gain if least + ROUNDING < min([*nearest, *larger[:1]]) else 0.0


def _adds_arguments(
    side: _Side, parts: tuple[int, int], target: int, distance: float | None
) -> bool:
    """Whether the merged arguments are closer to the target's than those of each part.

    Otherwise a part would only bring its tool, which costs a merged step nothing. The arguments do
    not matter for a step without a tool: there the words count.
    """
    if distance is None or side.opposite.steps[target].tool is None:
        return True
    nearest = side.costs.distances["arguments"][list(parts), target].min()
    return bool(distance + ROUNDING < nearest)


def _select_disjoint(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Selects candidates by falling gain, each node once; of equal gains the first."""
    selected: list[_Candidate] = []
    used: set[tuple[int, int]] = set()
    ranked = sorted(candidates, key=lambda c: (-c.gain, c.side, c.parts, c.target))
    for candidate in ranked:
        if not candidate.nodes & used:
            used |= candidate.nodes
            selected.append(candidate)
    return selected


def _without_cycles(sides: Sides, selected: Sequence[_Candidate]) -> Sequence[_Candidate]:
    """The candidates of most gain that together make no cycle; several can where none does alone.

    Fewer contractions never make a cycle that more do not make, so the number is found by halving.
    Candidates of equal gain stay or go together. One contraction alone never makes a cycle.
    """
    if len(selected) < 2:
        return selected
    gains = sorted({candidate.gain for candidate in selected}, reverse=True)

    def is_cyclic(position: int) -> bool:
        remaining = [candidate for candidate in selected if candidate.gain >= gains[position]]
        return any(
            quotient(nodes.graph, _group_nodes(nodes, remaining, side)) is None
            for side, nodes in enumerate(sides)
        )

    count = bisect_left(range(len(gains)), True, key=is_cyclic)
    return [candidate for candidate in selected if candidate.gain in gains[:count]]


def _group_nodes(
    nodes: CostNodes, selected: Sequence[_Candidate], side: int
) -> list[tuple[int, ...]]:
    groups = [c.parts for c in selected if c.side == side]
    parts = {part for group in groups for part in group}
    singles = [(k,) for k in range(len(nodes.steps)) if k not in parts]
    return sorted([*groups, *singles], key=min)


def _merge(
    sides: Sides,
    costs: FieldCosts,
    unmatched: tuple[Flags, Flags],
    selected: Sequence[_Candidate],
    merged_cost: MergedCost,
    precedence: float,
) -> tuple[Sides, FieldCosts, tuple[Flags, Flags]]:
    """The sides with the candidates merged, their costs, and the nodes without a counterpart."""
    groups = _group_nodes(sides[0], selected, 0), _group_nodes(sides[1], selected, 1)
    written = [
        {c.parts: c.arguments for c in selected if c.side == side and c.arguments is not None}
        for side in (0, 1)
    ]
    run, reference = (
        merge_nodes(nodes, side_groups, merged_cost.fields, precedence, side_written)
        if len(side_groups) < len(nodes.parts) or side_written
        else nodes
        for nodes, side_groups, side_written in zip(sides, groups, written, strict=True)
    )
    weights = run.weights.copy(), reference.weights.copy()
    flags = tuple(
        np.array([side_flags[list(group)].all() for group in side_groups])
        for side_flags, side_groups in zip(unmatched, groups, strict=True)
    )
    for candidate in selected:
        side, other = candidate.side, 1 - candidate.side
        merged = groups[side].index(candidate.parts)
        target = groups[other].index((candidate.target,))
        mass = weights[1][merged if side == 1 else target]
        weights[side][merged] = weights[other][target] = mass
        flags[side][merged] = flags[other][target] = False
    nodes = replace(run, weights=weights[0]), replace(reference, weights=weights[1])
    changed = [
        [k for k, group in enumerate(groups[side]) if len(group) > 1 or group in written[side]]
        for side in (0, 1)
    ]
    new_costs = _merge_costs(costs, nodes, groups, changed, merged_cost)
    for candidate in selected:
        if candidate.distance is not None:
            side = candidate.side
            pair = groups[side].index(candidate.parts), groups[1 - side].index((candidate.target,))
            new_costs = new_costs.with_distance(pair[::-1] if side else pair, candidate.distance)
    return nodes, new_costs, (flags[0], flags[1])


def _merge_costs(
    costs: FieldCosts,
    nodes: Sides,
    groups: tuple[Groups, Groups],
    changed: Sequence[list[int]],
    merged_cost: MergedCost,
) -> FieldCosts:
    """The costs between the new nodes; those of nodes that stay are not computed again."""
    first = np.ix_(*([group[0] for group in side_groups] for side_groups in groups))
    distances = {name: matrix[first] for name, matrix in costs.distances.items()}
    tools = _least_by_group(costs.distances["tool"], groups) if "tool" in distances else None
    differing = costs.differing and costs.differing.select(first)
    for side in (0, 1):
        merged = changed[side]
        if not merged:
            continue
        side_tools = None
        if tools is not None:
            oriented = tools if side == 0 else tools.T
            side_tools = oriented[merged], oriented.min(axis=0)
        steps, opposite = nodes[side].columns.select(merged), nodes[1 - side].columns
        rows = merged_cost.between(steps, opposite, side_tools, costs.weights)
        if side_tools is not None:  # a step alone calls its own tool
            alone = [row for row, k in enumerate(merged) if len(groups[side][k]) == 1]
            rows.distances["tool"][alone] = side_tools[0][alone]
        for name, matrix in rows.distances.items():
            (distances[name] if side == 0 else distances[name].T)[merged] = matrix
        if differing is not None and rows.differing is not None:
            oriented_differing = differing if side == 0 else differing.transposed()
            for flags, part in zip(oriented_differing, rows.differing, strict=True):
                flags[merged] = part
    return FieldCosts(distances, costs.weights, differing)


def _least_by_group(matrix: Array, groups: tuple[Groups, Groups]) -> Array:
    """The least distance between the parts of the nodes."""
    rows = np.array([matrix[list(group)].min(axis=0) for group in groups[0]])
    return np.array([rows[:, list(group)].min(axis=1) for group in groups[1]]).T
