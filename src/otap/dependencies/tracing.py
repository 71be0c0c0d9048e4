"""Dependencies by value flow: the provenance of each value that a call uses.

The rule, in the order in which it is applied to each value of a call's arguments and action:

1. A value too common to mean anything is no evidence (:func:`otap.dependencies.values.
   specificity` is 0). So is a capitalised word that stands in a longer text on both sides:
   sentences begin with one, and in German all nouns do.
2. Where did the value enter the run? If the user said it before the call, no effect was needed to
   know it: no edge. The same if a call used it before any effect showed it. An identifier is the
   exception: an early use of one was a guess, and later calls can still have read it.
3. Otherwise the call reads from [Bernstein1987] the step whose effect showed the value; an echo of
   that step's own arguments shows nothing. If several showed it, the one that showed most of the
   value's own record (a flight number and its date belong together); then the first.
4. Steps of one turn ran in parallel and never depend on each other.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from otap.dependencies.content import NOTHING, Content, Leaf, Path, content, write_path
from otap.dependencies.graph import Edge, Evidence
from otap.dependencies.parameters import IDENTIFIER
from otap.dependencies.utterances import Utterances
from otap.dependencies.values import is_capitalised
from otap.trajectory import Step, Trajectory

EVIDENCE_KEPT = 8  # values kept as evidence of one edge
# For a record of a call's values and a step, how many of them the step has.
Shared = dict[tuple[str, Path, int], int]
CANDIDATES = 64  # steps that are compared by a value's record, the first ones that showed the value


class _Use(NamedTuple):
    """A value that a call uses in a field, arguments or action, and how specific it is."""

    field: str
    leaf: Leaf
    specificity: float


class _Call(NamedTuple):
    """What a step uses and shows."""

    arguments: Content
    action: Content
    effect: Content
    used: frozenset[str]
    turn: int | None


class _ValueIndex(NamedTuple):
    """The calls of a run; and for each value the first that uses it, and those that show it."""

    calls: Sequence[_Call]
    first_used: Mapping[str, int]
    shown: Mapping[str, Sequence[int]]  # but as an echo
    utterances: Utterances
    capitals: bool


def traced_edges(trajectory: Trajectory, *, capitals: bool = False) -> tuple[Edge, ...]:
    """Returns the edges of value flow: from the step that showed a value first to each use of it.

    Ordered by target and then source. The confidence of an edge is the specificity of its most
    specific value; its evidence are the EVIDENCE_KEPT most specific values.

    Args:
        trajectory: the run.
        capitals: whether a capitalised word in longer texts of both sides is evidence as well.
    """
    index = _index_values(trajectory, capitals)
    edges: list[Edge] = []
    for target, call in enumerate(index.calls):
        found: dict[int, dict[str, _Use]] = defaultdict(dict)
        shared: Shared = {}
        for field, used in (("arguments", call.arguments), ("action", call.action)):
            for leaf, how in used.specific:
                if leaf.value in index.shown:
                    use = _Use(field, leaf, how)
                    source = _find_source(use, target, index, shared)
                    if source is not None:
                        found[source].setdefault(leaf.value, use)
        edges += [_edge(source, target, found[source].values(), index) for source in sorted(found)]
    return tuple(edges)


def _index_values(trajectory: Trajectory, capitals: bool) -> _ValueIndex:
    calls = [*map(_read_call, trajectory.steps)]
    first_used: dict[str, int] = {}
    shown: dict[str, list[int]] = {}
    for place in range(len(calls) - 1, -1, -1):
        first_used.update(dict.fromkeys(calls[place].used, place))
    for place, call in enumerate(calls):
        for value in (call.effect.values & first_used.keys()) - call.used:
            shown.setdefault(value, []).append(place)
    return _ValueIndex(calls, first_used, shown, Utterances(trajectory), capitals)


def _read_call(step: Step) -> _Call:
    arguments, action = content(step.arguments), content(step.action) if step.action else NOTHING
    used = arguments.values | action.values
    return _Call(arguments, action, content(step.effect), used, step.turn)


def _find_source(use: _Use, target: int, index: _ValueIndex, shared: Shared) -> int | None:
    """The step from which a call has a value; None if it is the user's, or the call's own.

    Args:
        use: the value, as the call uses it.
        target: the call.
        index: of the run.
        shared: what was counted for this call.
    """
    value = use.leaf.value
    showed = _list_sources(use.leaf, target, index)
    if not showed or index.utterances.mention(value, target):
        return None
    if index.first_used[value] <= showed[0] and use.specificity < IDENTIFIER:
        return None
    if len(showed) == 1:
        return showed[0]
    return max(showed, key=lambda step: (_count_shared(use, target, step, index, shared), -step))


def _list_sources(leaf: Leaf, target: int, index: _ValueIndex) -> Sequence[int]:
    """The first steps of earlier turns that show a value: one, or CANDIDATES for a record.

    A capitalised word in a text has only those that show it alone.
    """
    in_text = not index.capitals and leaf.is_part and is_capitalised(leaf.value)
    turn = index.calls[target].turn
    found: list[int] = []
    for step in index.shown[leaf.value]:
        if step >= target or len(found) == (CANDIDATES if leaf.record else 1):
            break
        call = index.calls[step]
        parallel = turn is not None and call.turn == turn
        if not parallel and (not in_text or leaf.value in call.effect.capitalised):
            found.append(step)
    return found


def _count_shared(use: _Use, target: int, step: int, index: _ValueIndex, shared: Shared) -> int:
    """How many values of the record of a value another step has."""
    key = use.field, use.leaf.record, step
    if key not in shared:
        call, used = index.calls[step], getattr(index.calls[target], use.field)
        known = call.effect.values
        record = used.records[use.leaf.record]
        shared[key] = sum(value in call.used or value in known for value in record)
    return shared[key]


def _edge(source: int, target: int, uses: Collection[_Use], index: _ValueIndex) -> Edge:
    """An edge is as sure as its most specific value; the most specific ones are kept."""
    ranked = sorted(uses, key=attrgetter("specificity"), reverse=True)
    paths = index.calls[source].effect.paths
    evidence = []
    for field, leaf, _ in ranked[:EVIDENCE_KEPT]:
        shown, used = write_path(paths[leaf.value]), write_path(leaf.path)
        evidence.append(Evidence(leaf.value, f"effect{shown}", f"{field}{used}"))
    return Edge(source, target, ranked[0].specificity, tuple(evidence))
