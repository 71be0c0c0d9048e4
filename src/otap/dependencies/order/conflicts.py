"""Dependencies by conflicts: of the steps that write, those that name the same thing are in order.

Where only calls are known no value can be seen to flow. Two operations conflict if they touch the
same item and at least one writes; two orders of them are equal if they order the conflicting pairs
alike [Bernstein1987]. Only writes are looked at: an agent may read a thing when it likes, and as
often as it likes. What a thing is, :mod:`otap.dependencies.order.things` says.

Two exceptions. What two steps name by the same key is the same thing or another one: where it is
another one, what else they have in common under one key is where their things are found (the sheet
of two cells, the account of two orders), and no conflict. And two different tools whose names begin
with a verb of :data:`PARTS` change different parts of a thing, those that they are named after
(``set_title``, ``add_label``).

Steps of one turn ran in parallel and are in no order. The graph is its own transitive reduction
[Aho1972].
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from otap._patterns import regex
from otap.dependencies.content import content, leaves, values_of
from otap.dependencies.graph import DependencyGraph, Edge, Evidence
from otap.dependencies.order.things import NOTHING, Named, things
from otap.dependencies.specificity import COMMON, is_capitalised, specificity
from otap.dependencies.tool_names import MAX_NAME, canonical_tool, last_part
from otap.trajectory import Step, Trajectory

CONFIDENCE = 0.8  # of an edge: that both name a thing does not prove that their order matters
PARTS = frozenset(("add", "change", "edit", "modify", "patch", "set", "update"))
EVIDENCE_KEPT = 8  # things kept as evidence of one edge
CHECKED = 64  # earlier steps without a path to a step that are looked at, the latest ones

_WORD = regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def conflict_edges(trajectory: Trajectory, writes: Sequence[bool]) -> tuple[Edge, ...]:
    """Returns the transitive reduction of the order of conflicting steps, by target and source.

    Args:
        trajectory: its steps, in the order in which they ran.
        writes: which of them change something.
    """
    index = _Index(trajectory, writes)
    return tuple(edge for target in range(len(trajectory.steps)) for edge in index.into(target))


def with_conflicts(
    graph: DependencyGraph, trajectory: Trajectory, writes: Sequence[bool]
) -> DependencyGraph:
    """Returns a graph of value flow with the conflicts of the writes that show nothing.

    What such a call is for is the change alone, and no value can flow from it. An effect shows
    nothing if it has no specific value that the call's arguments lack.

    Args:
        graph: the dependencies of the trajectory; all edges lead from earlier to later steps.
        trajectory: its steps, in the order in which they ran.
        writes: which of them change something.
    """
    blind = [
        writing and not shown_by(step)
        for writing, step in zip(writes, trajectory.steps, strict=True)
    ]
    known = {(edge.source, edge.target) for edge in graph.edges}
    more = [e for e in conflict_edges(trajectory, blind) if (e.source, e.target) not in known]
    edges = sorted([*graph.edges, *more], key=lambda edge: (edge.target, edge.source))
    return DependencyGraph(graph.size, tuple(edges), graph.mechanism)


def shown_by(step: Step) -> bool:
    """Says whether the effect of a step has a specific value that its arguments lack."""
    used = content(step.arguments).read(values_of)
    shown = (
        leaf.value
        for leaf in leaves(step.effect)
        if leaf.value not in used
        if not (leaf.is_part and is_capitalised(leaf.value))
    )
    return any(specificity(value) > COMMON for value in shown)


def changes(step: Step, thing: str) -> bool:
    """Says whether a step that writes can be seen to change a thing.

    Its effect shows nothing, or that thing; a call that shows others made them out of it.

    Args:
        step: a step that writes, as far as its tool's name says.
        thing: what it names.
    """
    shown = (leaf.value.removeprefix("#") for leaf in leaves(step.effect))
    return not shown_by(step) or thing in shown


class _Index:
    """For each thing the earlier writes that name it, as bits; and of each step its ancestors."""

    def __init__(self, trajectory: Trajectory, writes: Sequence[bool]) -> None:
        self._steps = trajectory.steps
        self._named = [
            things(step) if writing else NOTHING
            for step, writing in zip(self._steps, writes, strict=True)
        ]
        self._writing: dict[str, int] = defaultdict(int)
        self._ancestors: list[int] = []
        self._turn = 0  # where the present turn begins

    def into(self, target: int) -> list[Edge]:
        """Returns the edges that end at a step, which are asked for in rising order."""
        self._begin(target)
        left = self._before(target)
        edges, ancestors = [], 0
        for _ in range(CHECKED):
            if not left:
                break
            source = left.bit_length() - 1
            shared = self._conflict(source, target)
            if shared:
                edges.append(self._edge(source, target, shared))
                ancestors |= self._ancestors[source] | 1 << source
            left &= ~(ancestors | 1 << source)
        self._ancestors.append(ancestors)
        self._note(target)
        return edges[::-1]

    def _before(self, target: int) -> int:
        """The writes of earlier turns that name something that a step names, too."""
        found = 0
        for thing in self._named[target].paths:
            found |= self._writing[thing]
        return found & (1 << self._turn) - 1

    def _begin(self, target: int) -> None:
        turn = self._steps[target].turn
        if turn is None or target == 0 or self._steps[target - 1].turn != turn:
            self._turn = target

    def _note(self, step: int) -> None:
        for thing in self._named[step].paths:
            self._writing[thing] |= 1 << step

    def _conflict(self, source: int, target: int) -> list[str]:
        named = self._named[source], self._named[target]
        return conflicting(self._steps[source], self._steps[target], named)

    def _edge(self, source: int, target: int, shared: Sequence[str]) -> Edge:
        paths = self._named[source].paths, self._named[target].paths
        evidence = tuple(
            Evidence(thing, paths[0][thing][0], paths[1][thing][0])
            for thing in shared[:EVIDENCE_KEPT]
        )
        return Edge(source, target, CONFIDENCE, evidence)


def conflicting(one: Step, other: Step, named: tuple[Named, Named]) -> list[str]:
    """Returns the things for which the order of two steps matters if one of them writes.

    Args:
        one: a step.
        other: another one.
        named: what both name.
    """
    return [] if _change_parts(one, other) else shared_things(*named)


def _change_parts(one: Step, other: Step) -> bool:
    """Whether two different tools are named after the parts that they change."""
    ours, theirs = one.tool or "", other.tool or ""
    if not {_verb(ours), _verb(theirs)} <= PARTS:
        return False
    return canonical_tool(ours).bare != canonical_tool(theirs).bare


def shared_things(one: Named, other: Named) -> list[str]:
    """Returns the things for which the order of two steps matters if one of them writes.

    Args:
        one: what a step names.
        other: what another one names.
    """
    shared = [thing for thing in other.paths if thing in one.paths]
    if not shared or not _apart(one, other):
        return shared
    return [thing for thing in shared if one.under[thing].isdisjoint(other.under[thing])]


def _apart(one: Named, other: Named) -> bool:
    """Whether both name things by the same key, but none in common."""
    return any(
        found.isdisjoint(other.keys[key]) for key, found in one.keys.items() if key in other.keys
    )


@lru_cache(maxsize=1024)
def _verb(tool: str) -> str:
    """The first word of what a tool's name says of its calls."""
    first = _WORD.match(last_part(tool[:MAX_NAME]))
    return first[0].lower() if first else ""
