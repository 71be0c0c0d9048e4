"""The four ways to find dependencies, and which one a pair of trajectories allows."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Literal

from otap.dependencies.conflicts import conflict_edges
from otap.dependencies.graph import DependencyGraph, Edge, Evidence
from otap.dependencies.tool_names import ByTool
from otap.dependencies.tracing import traced_edges
from otap.errors import DependencyError, shown
from otap.trajectory import Step, Trajectory

Mechanism = Literal["explicit", "traced", "conflicts", "sequential"]
MECHANISMS: tuple[Mechanism, ...] = ("explicit", "traced", "conflicts", "sequential")  # best first
ORDER = "order"  # the path of the evidence of an edge that a setting says: the setting
# Those that need no word about what the steps do.
_RECORDED: tuple[Mechanism, ...] = ("explicit", "traced", "sequential")
_LACKS = {
    "explicit": "not every step records depends_on",
    "traced": "no step records an effect",
}


def dependency_graph(
    trajectory: Trajectory,
    mechanism: str = "auto",
    writes: Sequence[bool] | None = None,
    *,
    capitals: bool = False,
) -> DependencyGraph:
    """Returns the dependency graph of a trajectory, found by one mechanism.

    explicit: as recorded in ``depends_on``.
    traced: value flow, what an earlier effect showed and a later call used
    (:mod:`otap.dependencies.tracing`).
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
    return next(
        mechanism
        for mechanism in _RECORDED
        if all(allows(trajectory, mechanism) for trajectory in trajectories)
    )


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
    if mechanism == "traced" and trajectory.steps:
        effects = [*map(attrgetter("effect"), trajectory.steps)]
        return effects.count(None) < len(effects)
    return True


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
    edges = {(edge.source, edge.target): edge for edge in graph.edges}
    for edge in _order_edges(graph, trajectory, order):
        edges.setdefault((edge.source, edge.target), edge)
    listed = sorted(edges.values(), key=lambda edge: (edge.target, edge.source))
    return DependencyGraph(graph.size, tuple(listed), graph.mechanism)


def _order_edges(
    graph: DependencyGraph, trajectory: Trajectory, order: Sequence[Sequence[str]]
) -> Iterator[Edge]:
    """The edges that are said, each step's from the latest call of an earlier turn."""
    names = ByTool({tool: tool for chain in order for tool in chain})
    wanted: dict[str, list[str]] = defaultdict(list)  # the tools right before each in a chain
    for chain in order:
        for before, after in pairwise(chain):
            wanted[after].append(before)
    turns = [step.turn for step in trajectory.steps]
    latest: dict[str, list[int]] = {}  # of each tool the last call, and the last of a turn before
    for target in graph.order:
        tool = names.get(trajectory.steps[target].tool)
        if tool is None:
            continue
        turn = turns[target]
        for before in wanted[tool]:
            calls = [k for k in latest.get(before, ()) if turn is None or turns[k] != turn]
            if calls:
                evidence = (Evidence(f"{before} before {tool}", ORDER, ORDER),)
                yield Edge(calls[-1], target, evidence=evidence)
        known = latest.get(tool, [])
        again = known and turn is not None and turns[known[-1]] == turn
        latest[tool] = [*(known[:-1] if again else known[-1:]), target]
