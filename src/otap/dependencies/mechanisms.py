"""The four ways to find dependencies, and which one a pair of trajectories allows.

Value flow is the provenance of each value that a call uses. The rule, in the order in which it is
applied to each value of a call's arguments and action:

1. A value too common to mean anything is no evidence (:func:`otap.dependencies.content.
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
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby, pairwise
from operator import attrgetter
from typing import Literal, NamedTuple, get_args

from otap.dependencies.conflicts import (
    EVIDENCE_KEPT,
    GUARD,
    LOOK,
    conflict_edges,
    guard_edges,
)
from otap.dependencies.content import (
    Content,
    Leaf,
    Path,
    Utterances,
    content,
    is_capitalised,
    shows_new_value,
    write_path,
)
from otap.dependencies.graph import DependencyGraph, Edge, Evidence
from otap.dependencies.parameters import IDENTIFIER
from otap.dependencies.tool_names import ByTool
from otap.errors import DependencyError, shown
from otap.trajectory import Step, Trajectory

Mechanism = Literal["explicit", "traced", "conflicts", "sequential"]
MECHANISMS: tuple[Mechanism, ...] = get_args(Mechanism)  # best first
ORDER = "order"  # the path of the evidence of an edge that a setting says: the setting
_LACKS = {
    "explicit": "not every step records depends_on",
    "traced": "no step records an effect",
}
CANDIDATES = 64  # steps that are compared by a value's record, the first ones that showed the value


def dependency_graph(
    trajectory: Trajectory,
    mechanism: str = "auto",
    writes: Sequence[bool] | None = None,
    *,
    capitals: bool = False,
) -> DependencyGraph:
    """Returns the dependency graph of a trajectory, found by one mechanism.

    explicit: as recorded in ``depends_on``.
    traced: value flow, what an earlier effect showed and a later call used.
    conflicts: steps that name the same thing, of which one writes
    (:mod:`otap.dependencies.conflicts`).
    sequential: each step needs the one before it, or all steps of the turn before its own.
    auto: the first of these that the trajectory allows, conflicts left out.

    Args:
        trajectory: its steps are the graph's, by position; sub-steps have graphs of their own.
        mechanism: one of MECHANISMS, or auto.
        writes: which steps change something, for conflicts; by default all do.
        capitals: for value flow, whether a capitalised word in longer texts of both sides is
            evidence as well.

    Raises:
        DependencyError: if there is no such mechanism, or the trajectory does not record what it
            needs.
    """
    if mechanism == "auto":
        mechanism = common_mechanism(trajectory)
    if not allows(trajectory, mechanism):
        raise DependencyError(
            f"{shown(trajectory.name)}: cannot find {mechanism} dependencies, since "
            f"{_LACKS[mechanism]}; use another mechanism or 'auto'"
        )
    if mechanism == "conflicts":
        edges = conflict_edges(trajectory, writes or [True] * len(trajectory.steps))
    elif mechanism == "traced":
        edges = traced_edges(trajectory, capitals=capitals)
    elif mechanism == "explicit":
        edges = explicit_edges(trajectory)
    else:
        edges = sequential_edges(trajectory)
    return DependencyGraph(len(trajectory.steps), edges, mechanism)


def common_mechanism(*trajectories: Trajectory) -> Mechanism:
    """Returns the best mechanism that all trajectories allow; sequential is always allowed.

    Conflicts are not among them: whether they are known depends on what the steps do.

    Args:
        trajectories: a run and its reference, say.
    """
    for mechanism in MECHANISMS:
        if mechanism != "conflicts" and all(allows(one, mechanism) for one in trajectories):
            break
    return mechanism


def allows(trajectory: Trajectory, mechanism: str) -> bool:
    """Says whether the trajectory records what the mechanism needs.

    Explicit needs a recorded ``depends_on`` in every step, traced an effect in some step,
    conflicts and sequential nothing. A trajectory without steps allows all.

    Args:
        trajectory: the run in question.
        mechanism: one of MECHANISMS.

    Raises:
        DependencyError: if there is no such mechanism.
    """
    if mechanism not in MECHANISMS:
        raise DependencyError(
            f"no mechanism '{shown(mechanism)}'; there are auto, {', '.join(MECHANISMS)}"
        )
    if mechanism == "explicit":
        return None not in map(attrgetter("depends_on"), trajectory.steps)
    effects = [*map(attrgetter("effect"), trajectory.steps)]
    return mechanism != "traced" or not effects or effects.count(None) < len(effects)


def explicit_edges(trajectory: Trajectory) -> tuple[Edge, ...]:
    """Returns one edge for each recorded dependency, by target and then source.

    A step that does not record what it depends on depends on nothing.
    """
    position = {step.id: index for index, step in enumerate(trajectory.steps)}
    return tuple(
        Edge(position[parent], target)
        for target, step in enumerate(trajectory.steps)
        for parent in sorted(set(step.depends_on or ()), key=position.__getitem__)
    )


def sequential_edges(trajectory: Trajectory) -> tuple[Edge, ...]:
    """Returns the covering relation of the order of turns: each step needs the turn before its own.

    Where no step records a turn, that is the chain of all steps.
    """
    ranks = turn_ranks(trajectory.steps)
    turns = [[*turn] for _, turn in groupby(range(len(ranks)), key=ranks.__getitem__)]
    return tuple(
        Edge(source, target)
        for before, after in pairwise(turns)
        for target in after
        for source in before
    )


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


class _Sources:
    """The calls of a run; for each value the first that uses it, and those that show it."""

    def __init__(self, trajectory: Trajectory, capitals: bool) -> None:
        self.calls: list[_Call] = []
        self.shown: dict[str, list[int]] = defaultdict(list)  # but as an echo
        self._first_used: dict[str, int] = {}
        self.shared: dict[tuple[str, Path, int], int] = {}  # counts for the call that is looked at
        self._utterances, self._capitals = Utterances(trajectory), capitals
        for place, step in enumerate(trajectory.steps):
            arguments, action = content(step.arguments), content(step.action or None)
            used = arguments.values | action.values
            self.calls.append(_Call(arguments, action, content(step.effect), used, step.turn))
            for value in used:
                self._first_used.setdefault(value, place)
        for place, call in enumerate(self.calls):
            for value in (call.effect.values & self._first_used.keys()) - call.used:
                self.shown[value].append(place)

    def find(self, use: _Use, target: int) -> int | None:
        """Returns the step from which a call has a value.

        None if it is the user's, or the call's own. Only the first steps of earlier turns that
        show it count: one, or CANDIDATES for a record. A capitalised word in a text has only those
        that show it alone.
        """
        value = use.leaf.value
        in_text = not self._capitals and use.leaf.is_part and is_capitalised(value)
        turn = self.calls[target].turn
        showed: list[int] = []
        for step in self.shown[value]:
            if step >= target or len(showed) == (CANDIDATES if use.leaf.record else 1):
                break
            call = self.calls[step]
            parallel = turn is not None and call.turn == turn
            if not parallel and (not in_text or value in call.effect.capitalised):
                showed.append(step)
        if not showed or self._utterances.mention(value, target):
            return None
        if self._first_used[value] <= showed[0] and use.specificity < IDENTIFIER:
            return None
        if len(showed) == 1:
            return showed[0]
        return max(showed, key=lambda step: (self._count_shared(use, target, step), -step))

    def _count_shared(self, use: _Use, target: int, step: int) -> int:
        """How many values of the record of a value another step has."""
        key = use.field, use.leaf.record, step
        if key not in self.shared:
            call, used = self.calls[step], getattr(self.calls[target], use.field)
            record = used.records[use.leaf.record]
            self.shared[key] = len(record & call.used | record & call.effect.values)
        return self.shared[key]


def traced_edges(trajectory: Trajectory, *, capitals: bool = False) -> tuple[Edge, ...]:
    """Returns the edges of value flow: from the step that showed a value first to each use of it.

    Ordered by target and then source. The confidence of an edge is the specificity of its most
    specific value; its evidence are the EVIDENCE_KEPT most specific values.

    Args:
        trajectory: the run.
        capitals: whether a capitalised word in longer texts of both sides is evidence as well.
    """
    sources = _Sources(trajectory, capitals)
    edges: list[Edge] = []
    for target, call in enumerate(sources.calls):
        sources.shared.clear()
        found: dict[int, dict[str, _Use]] = defaultdict(dict)
        for field, used in (("arguments", call.arguments), ("action", call.action)):
            for leaf, how in used.specific:
                use = _Use(field, leaf, how)
                source = sources.find(use, target) if leaf.value in sources.shown else None
                if source is not None:
                    found[source].setdefault(leaf.value, use)
        for source in sorted(found):
            ranked = sorted(found[source].values(), key=attrgetter("specificity"), reverse=True)
            paths = sources.calls[source].effect.paths
            evidence = []
            for field, leaf, _ in ranked[:EVIDENCE_KEPT]:
                shown, place = write_path(paths[leaf.value]), write_path(leaf.path)
                evidence.append(Evidence(leaf.value, f"effect{shown}", f"{field}{place}"))
            edges.append(Edge(source, target, ranked[0].specificity, tuple(evidence)))
    return tuple(edges)


def with_conflicts(
    graph: DependencyGraph,
    trajectory: Trajectory,
    writes: Sequence[bool],
    says_change: Callable[[str], bool],
) -> DependencyGraph:
    """Returns a graph of value flow with the conflicts of the writes that show nothing.

    What such a call is for is the change alone, and no value can flow from it. An effect shows
    nothing if it has no specific value that the call's arguments lack. Where the tool's name says
    that it changes something, what it shows says nothing of order.

    Args:
        graph: the dependencies of the trajectory; all edges lead from earlier to later steps.
        trajectory: its steps, in the order in which they ran.
        writes: which of them change something.
        says_change: whether a tool's name says that its calls change something.
    """
    blind = []
    for writing, step in zip(writes, trajectory.steps, strict=True):
        shows = writing and shows_new_value(step)
        blind.append(writing and (not shows or says_change(step.tool or "")))
    found = conflict_edges(trajectory, blind) if any(blind) else ()
    return _with_edges(graph, found) if found else graph


def with_guards(
    graph: DependencyGraph, trajectory: Trajectory, writes: Sequence[bool]
) -> DependencyGraph:
    """Returns a graph in which what is guarded needs its guards.

    What guards what says :mod:`otap.dependencies.conflicts`.

    Args:
        graph: the dependencies of the trajectory; all edges lead from earlier to later steps.
        trajectory: its steps, in the order in which they ran.
        writes: which of them change something.
    """
    found = guard_edges(trajectory, writes) if any(writes) else []
    if not found:
        return graph
    flowing, conflicting = list[Edge](), list[Edge]()
    for edge in graph.edges:
        shown = not edge.evidence or edge.evidence[0].source_path.startswith("effect")
        (flowing if shown else conflicting).append(edge)
    # What flows is surer than a word, and a word says more than that both change one thing.
    first = DependencyGraph(graph.size, tuple(flowing), graph.mechanism)
    return _with_edges(first, [*found, *conflicting])


def without_guards(graph: DependencyGraph) -> DependencyGraph:
    """Returns a graph without its guards: what is needed for a goal, and not what should be."""
    kept = list[Edge]()
    for edge in graph.edges:
        if not edge.evidence or edge.evidence[0].source_path not in (GUARD, LOOK):
            kept.append(edge)
    if len(kept) == len(graph.edges):
        return graph
    return DependencyGraph(graph.size, tuple(kept), graph.mechanism)


def turn_ranks(steps: Sequence[Step]) -> list[int]:
    """Returns the rank of each step's turn, from 0; steps of one turn ran in parallel and tie.

    Args:
        steps: one list of steps, in the order in which they ran.
    """
    ranks: list[int] = []
    before = None
    for step in steps:
        parallel = ranks and step.turn is not None and step.turn == before
        ranks.append(ranks[-1] + (not parallel) if ranks else 0)
        before = step.turn
    return ranks


def recorded_order(trajectory: Trajectory) -> Sequence[int]:
    """Returns the steps as they are listed, or where all record what they need, in that order."""
    if allows(trajectory, "explicit"):
        return dependency_graph(trajectory, "explicit").order
    return range(len(trajectory.steps))


def with_order(
    graph: DependencyGraph, trajectory: Trajectory, order: Sequence[Sequence[str]]
) -> DependencyGraph:
    """Returns a graph in which each call of a tool needs the nearest earlier one of another tool.

    Where there is none before it, nothing is added. Steps of one turn ran in parallel. Earlier is
    what the graph's topological order has earlier, so that there is no cycle.

    Args:
        graph: the dependencies of the trajectory.
        trajectory: the run.
        order: chains of tools; each neighbour in a chain needs the one before it.
    """
    return _with_edges(graph, _order_edges(graph, trajectory, order))


def _with_edges(graph: DependencyGraph, more: Iterable[Edge]) -> DependencyGraph:
    """A graph with more edges, each if there is none yet between the two steps."""
    edges = {(edge.target, edge.source): edge for edge in graph.edges}
    for edge in more:
        edges.setdefault((edge.target, edge.source), edge)
    return DependencyGraph(
        graph.size, tuple(map(edges.__getitem__, sorted(edges))), graph.mechanism
    )


def _order_edges(
    graph: DependencyGraph, trajectory: Trajectory, order: Sequence[Sequence[str]]
) -> Iterator[Edge]:
    """The edges that are said, each step's from the latest call of an earlier turn."""
    names = ByTool({tool: tool for tools in order for tool in tools})
    wanted: dict[str, list[str]] = defaultdict(list)  # the tools right before each in a chain
    for before, after in chain.from_iterable(map(pairwise, order)):
        wanted[after].append(before)
    turns = [step.turn for step in trajectory.steps]
    latest: dict[str, list[int]] = {}  # of each tool the last call, and the last of a turn before
    for target in graph.order:
        tool, turn = names.get(trajectory.steps[target].tool), turns[target]
        if tool is None:
            continue
        for before in wanted[tool]:
            calls = [k for k in latest.get(before, ()) if turn is None or turns[k] != turn]
            if calls:
                evidence = (Evidence(f"{before} before {tool}", ORDER, ORDER),)
                yield Edge(calls[-1], target, evidence=evidence)
        known = latest.get(tool, [])
        again = known and turn is not None and turns[known[-1]] == turn
        latest[tool] = [*(known[:-1] if again else known[-1:]), target]
