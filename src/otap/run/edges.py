"""The four mechanisms that find dependencies, and which of them a pair of trajectories allows.

Data flow is the provenance of each value that a call uses. For each value of a call's arguments and
action, the rules apply in this order:

1. A value that is too common is no evidence (its :func:`otap.run.scalars.specificity` is 0).
   Neither is a capitalised word inside a longer text on both sides: sentences begin with one, and
   so do German nouns.
2. If the user mentioned the value before the call, no effect was needed to know it: no edge. The
   same holds if a call used it before any effect showed it. Identifiers are the exception: an
   early use was a guess, and later calls can still have read the identifier.
3. Otherwise the call reads from [Bernstein1987] the step whose effect showed the value. An effect
   that echoes the step's own arguments shows nothing. If several steps showed the value, the one
   that showed most of its record counts (a flight number and its date belong together), then the
   first.
4. Steps of one turn ran in parallel and never depend on each other.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Literal, NamedTuple, get_args

from otap.errors import DependencyError, shown
from otap.graph import DependencyGraph, Edge, Evidence, turn_ranks
from otap.run.conflicts import EVIDENCE_LIMIT, GUARD, LOOK, conflict_edges, guard_edges
from otap.run.free_order import FreeOrder
from otap.run.index import Leaf, StepValues, ValueIndex
from otap.run.scalars import IDENTIFIER, Path, is_capitalised, write_path
from otap.trajectory import Trajectory
from otap.values.tool_names import ByTool

Mechanism = Literal["explicit", "traced", "conflicts", "sequential"]
MECHANISMS: tuple[Mechanism, ...] = get_args(Mechanism)  # best first
ORDER = "order"  # the evidence path of an edge that the setting `order` adds
_MISSING = {
    "explicit": "not every step records depends_on",
    "traced": "no step records an effect",
}
CANDIDATES = 64  # compare the records of at most this many steps that showed a value


def dependency_graph(
    trajectory: Trajectory,
    mechanism: str = "auto",
    writes: Sequence[bool] | None = None,
    *,
    index: ValueIndex | None = None,
    capitals: bool = False,
) -> DependencyGraph:
    """Returns the dependency graph of a trajectory, found by one mechanism.

    explicit: as recorded in ``depends_on``.
    traced: data flow, from the effect that showed a value to the later call that used it.
    conflicts: steps that name the same object, of which one writes (:mod:`otap.run.conflicts`).
    sequential: each step needs the one before it, or all steps of the turn before its own.
    auto: the first of these that the trajectory allows, except conflicts.

    Args:
        trajectory: its steps are the nodes, by index; sub-steps have graphs of their own.
        mechanism: one of MECHANISMS, or auto.
        writes: for conflicts, which steps change something (default: all).
        index: the values of the trajectory (default: they are read).
        capitals: for data flow, whether a capitalised word inside longer texts of both sides is
            evidence too.

    Raises:
        DependencyError: if there is no such mechanism, or the trajectory lacks the records that
            it needs.
    """
    if mechanism == "auto":
        mechanism = common_mechanism(trajectory)
    if not allows(trajectory, mechanism):
        raise DependencyError(
            f"{shown(trajectory.name)}: cannot find {mechanism} dependencies, since "
            f"{_MISSING[mechanism]}; use another mechanism or 'auto'"
        )
    if mechanism == "conflicts":
        writes = writes or [True] * len(trajectory.steps)
        edges = conflict_edges(trajectory, index or ValueIndex(trajectory), writes)
    elif mechanism == "traced":
        edges = traced_edges(trajectory, index or ValueIndex(trajectory), capitals=capitals)
    elif mechanism == "explicit":
        edges = explicit_edges(trajectory)
    else:
        edges = sequential_edges(trajectory)
    return DependencyGraph(len(trajectory.steps), edges, mechanism)


def common_mechanism(*trajectories: Trajectory) -> Mechanism:
    """Returns the best mechanism that all trajectories allow; sequential is always allowed.

    Conflicts are never returned, because they depend on the roles of the steps.

    Args:
        trajectories: for example a run and its reference.
    """
    for mechanism in MECHANISMS:
        if mechanism != "conflicts" and all(allows(run, mechanism) for run in trajectories):
            break
    return mechanism


def allows(trajectory: Trajectory, mechanism: str) -> bool:
    """Returns whether a trajectory has the records that a mechanism needs.

    Explicit needs ``depends_on`` in every step, and traced needs an effect in some step. Conflicts
    and sequential need nothing. A trajectory without steps allows all.

    Args:
        trajectory: the run.
        mechanism: one of MECHANISMS.

    Raises:
        DependencyError: if there is no such mechanism.
    """
    if mechanism not in MECHANISMS:
        raise DependencyError(
            f"no mechanism '{shown(mechanism)}'; there are auto, {', '.join(MECHANISMS)}"
        )
    steps = trajectory.steps
    if mechanism == "explicit":
        return all(step.depends_on is not None for step in steps)
    return mechanism != "traced" or not steps or any(step.effect is not None for step in steps)


def explicit_edges(trajectory: Trajectory) -> tuple[Edge, ...]:
    """Returns one edge for each recorded dependency, by target and then source.

    A step without a record depends on nothing.
    """
    position = {step.id: index for index, step in enumerate(trajectory.steps)}
    return tuple(
        Edge(position[parent], target)
        for target, step in enumerate(trajectory.steps)
        for parent in sorted(set(step.depends_on or ()), key=position.__getitem__)
    )


def sequential_edges(trajectory: Trajectory) -> tuple[Edge, ...]:
    """Returns the covering relation of the order of turns: each step needs the previous turn.

    Without recorded turns this is the chain of all steps.
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
    """A value that a call uses in a field, arguments or action, and its specificity."""

    field: str
    leaf: Leaf
    specificity: float


class _Sources:
    """The calls of a run: for each value the first call that uses it, and those that show it."""

    def __init__(self, trajectory: Trajectory, index: ValueIndex, capitals: bool) -> None:
        self.calls: Sequence[StepValues] = index.steps
        self.showing: dict[str, list[int]] = defaultdict(list)  # without echoes
        self.shared: dict[tuple[str, Path, int], int] = {}  # counts for the current call
        self._turns = [step.turn for step in trajectory.steps]
        self._first_use: dict[str, int] = {}
        self._messages, self._capitals = index.messages, capitals
        self._used = [call.arguments.values | call.action.values for call in self.calls]
        for k, used in enumerate(self._used):
            for value in used:
                self._first_use.setdefault(value, k)
        for k, call in enumerate(self.calls):
            for value in (call.effect.values & self._first_use.keys()) - self._used[k]:
                self.showing[value].append(k)

    def find_source(self, use: _Use, target: int) -> int | None:
        """Returns the step from which a call has a value.

        None if the value is the user's, or the call's own. Only the first steps of earlier turns
        that show it count: one step, or CANDIDATES for a record. A capitalised word inside a text
        counts only if a step shows it as a whole value.
        """
        value = use.leaf.value
        in_text = not self._capitals and use.leaf.is_part and is_capitalised(value)
        turn = self._turns[target]
        sources: list[int] = []
        for step in self.showing[value]:
            if step >= target or len(sources) == (CANDIDATES if use.leaf.record else 1):
                break
            is_parallel = turn is not None and self._turns[step] == turn
            if not is_parallel and (not in_text or value in self.calls[step].effect.capitalised):
                sources.append(step)
        if not sources or self._messages.mention(value, target):
            return None
        if self._first_use[value] <= sources[0] and use.specificity < IDENTIFIER:
            return None
        if len(sources) == 1:
            return sources[0]
        return max(sources, key=lambda step: (self._count_shared(use, target, step), -step))

    def _count_shared(self, use: _Use, target: int, step: int) -> int:
        """How many values of the record of a value another step has."""
        key = use.field, use.leaf.record, step
        if key not in self.shared:
            record = getattr(self.calls[target], use.field).records[use.leaf.record]
            shared = record & self._used[step] | record & self.calls[step].effect.values
            self.shared[key] = len(shared)
        return self.shared[key]


def traced_edges(
    trajectory: Trajectory, index: ValueIndex, *, capitals: bool = False
) -> tuple[Edge, ...]:
    """Returns the edges of data flow: from the first step that showed a value to each of its uses.

    Ordered by target and then source. The confidence of an edge is the specificity of its most
    specific value; its evidence are the EVIDENCE_LIMIT most specific values.

    Args:
        trajectory: the run.
        index: its values.
        capitals: whether a capitalised word inside longer texts of both sides is evidence too.
    """
    sources = _Sources(trajectory, index, capitals)
    edges: list[Edge] = []
    for target, call in enumerate(sources.calls):
        sources.shared.clear()
        uses: dict[int, dict[str, _Use]] = defaultdict(dict)
        for field, values in (("arguments", call.arguments), ("action", call.action)):
            for leaf, score in values.list_specific(sources.showing):
                use = _Use(field, leaf, score)
                source = sources.find_source(use, target)
                if source is not None:
                    uses[source].setdefault(leaf.value, use)
        for source in sorted(uses):
            ranked = sorted(uses[source].values(), key=lambda use: use.specificity, reverse=True)
            paths = sources.calls[source].effect.paths
            evidence = []
            for field, leaf, _ in ranked[:EVIDENCE_LIMIT]:
                source_path = f"effect{write_path(paths[leaf.value])}"
                evidence.append(
                    Evidence(leaf.value, source_path, f"{field}{write_path(leaf.path)}")
                )
            edges.append(Edge(source, target, ranked[0].specificity, tuple(evidence)))
    return tuple(edges)


def with_conflicts(
    graph: DependencyGraph,
    trajectory: Trajectory,
    index: ValueIndex,
    writes: Sequence[bool],
    names_change: Callable[[str], bool],
) -> DependencyGraph:
    """Returns a graph of data flow with the conflicts of the writes that show nothing.

    Such a call is made for the change alone, and no value can flow from it. An effect shows
    nothing if it has no specific value that the arguments lack. If the tool's name announces a
    change, its effect is no evidence of order.

    Args:
        graph: the dependencies; all edges lead from earlier to later steps.
        trajectory: its steps, in the order in which they ran.
        index: its values.
        writes: which steps change something.
        names_change: whether a tool's name announces a change.
    """
    blind = []
    for step, values, is_write in zip(trajectory.steps, index.steps, writes, strict=True):
        shows_value = is_write and values.shows_new_value
        blind.append(is_write and (not shows_value or names_change(step.tool or "")))
    conflicts = conflict_edges(trajectory, index, blind) if any(blind) else ()
    return _add_edges(graph, conflicts) if conflicts else graph


def with_guards(
    graph: DependencyGraph, trajectory: Trajectory, index: ValueIndex, writes: Sequence[bool]
) -> DependencyGraph:
    """Returns a graph in which guarded writes need their guards (:mod:`otap.run.conflicts`).

    Args:
        graph: the dependencies; all edges lead from earlier to later steps.
        trajectory: its steps, in the order in which they ran.
        index: its values.
        writes: which steps change something.
    """
    guards = guard_edges(trajectory, index, writes) if any(writes) else []
    if not guards:
        return graph
    data_flow, conflicts = list[Edge](), list[Edge]()
    for edge in graph.edges:
        is_flow = not edge.evidence or edge.evidence[0].source_path.startswith("effect")
        (data_flow if is_flow else conflicts).append(edge)
    # Data flow is surer than a guard, and a guard is more specific than a conflict.
    flow_graph = DependencyGraph(graph.size, tuple(data_flow), graph.mechanism)
    return _add_edges(flow_graph, [*guards, *conflicts])


def without_free(
    graph: DependencyGraph, trajectory: Trajectory, free_order: FreeOrder
) -> DependencyGraph:
    """Returns a graph without conflicts and guards of steps that can change places.

    Args:
        graph: the dependencies of the trajectory.
        trajectory: its steps.
        free_order: the tools whose calls can change places.
    """
    steps = trajectory.steps
    edges = tuple(
        edge
        for edge in graph.edges
        if not edge.evidence
        or edge.evidence[0].source_path.startswith("effect")
        or not free_order.allows(steps[edge.source].tool, steps[edge.target].tool)
    )
    if len(edges) == len(graph.edges):
        return graph
    return DependencyGraph(graph.size, edges, graph.mechanism)


def without_guards(graph: DependencyGraph) -> DependencyGraph:
    """Returns a graph without guards, which should come before a write but lead to no goal."""
    edges = tuple(
        edge
        for edge in graph.edges
        if not edge.evidence or edge.evidence[0].source_path not in (GUARD, LOOK)
    )
    if len(edges) == len(graph.edges):
        return graph
    return DependencyGraph(graph.size, edges, graph.mechanism)


def recorded_order(trajectory: Trajectory) -> Sequence[int]:
    """Returns the steps in topological order if all record ``depends_on``, else in list order."""
    if allows(trajectory, "explicit"):
        return dependency_graph(trajectory, "explicit").order
    return range(len(trajectory.steps))


def with_order(
    graph: DependencyGraph, trajectory: Trajectory, order: Sequence[Sequence[str]]
) -> DependencyGraph:
    """Returns a graph in which each call of a tool needs the nearest earlier call of another tool.

    Without an earlier call nothing is added. Steps of one turn ran in parallel. Earlier refers to
    the topological order of the graph, so that no cycle arises.

    Args:
        graph: the dependencies of the trajectory.
        trajectory: the run.
        order: chains of tools; each tool in a chain needs the one before it.
    """
    return _add_edges(graph, _order_edges(graph, trajectory, order))


def _add_edges(graph: DependencyGraph, more: Iterable[Edge]) -> DependencyGraph:
    """A graph with more edges; existing edges do not change."""
    edges = {(edge.target, edge.source): edge for edge in graph.edges}
    for edge in more:
        edges.setdefault((edge.target, edge.source), edge)
    return DependencyGraph(graph.size, tuple(edges[key] for key in sorted(edges)), graph.mechanism)


def _order_edges(
    graph: DependencyGraph, trajectory: Trajectory, order: Sequence[Sequence[str]]
) -> Iterator[Edge]:
    """The edges of the setting `order`, each from the latest call of an earlier turn."""
    names = ByTool({tool: tool for chain in order for tool in chain})
    predecessors: dict[str, list[str]] = defaultdict(list)
    for chain in order:
        for before, after in pairwise(chain):
            predecessors[after].append(before)
    turns = [step.turn for step in trajectory.steps]
    latest: dict[str, list[int]] = {}  # for each tool its last call, and the last of a turn before
    for target in graph.order:
        tool, turn = names.get(trajectory.steps[target].tool), turns[target]
        if tool is None:
            continue
        for before in predecessors[tool]:
            calls = [k for k in latest.get(before, ()) if turn is None or turns[k] != turn]
            if calls:
                evidence = (Evidence(f"{before} before {tool}", ORDER, ORDER),)
                yield Edge(calls[-1], target, evidence=evidence)
        earlier = latest.get(tool, [])
        is_same_turn = earlier and turn is not None and turns[earlier[-1]] == turn
        latest[tool] = [*(earlier[:-1] if is_same_turn else earlier[-1:]), target]
