"""Dependencies that are said: which tool must have been called before which."""

from collections.abc import Sequence
from itertools import pairwise

from otap.dependencies.graph import DependencyGraph, Edge, Evidence
from otap.dependencies.tool_names import ByTool
from otap.trajectory import Trajectory

WHERE = "order"  # the path of the evidence: the setting that says it


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
    for edge in _edges(graph, trajectory, order):
        edges.setdefault((edge.source, edge.target), edge)
    listed = sorted(edges.values(), key=lambda edge: (edge.target, edge.source))
    return DependencyGraph(graph.size, tuple(listed), graph.mechanism)


def _edges(
    graph: DependencyGraph, trajectory: Trajectory, order: Sequence[Sequence[str]]
) -> list[Edge]:
    """The edges that are said, each step's from the latest call of an earlier turn."""
    named, wanted = _named(trajectory, order), _wanted(order)
    found: list[Edge] = []
    latest: dict[str, list[int]] = {}  # of each tool the last call, and the last of a turn before
    for target in graph.order:
        tool = named[target]
        if tool is None:
            continue
        for before in wanted[tool]:
            calls = [k for k in latest.get(before, ()) if not _together(trajectory, k, target)]
            if calls:
                evidence = (Evidence(f"{before} before {tool}", WHERE, WHERE),)
                found.append(Edge(calls[-1], target, evidence=evidence))
        known = latest.get(tool, [])
        again = bool(known) and _together(trajectory, known[-1], target)
        latest[tool] = [*(known[:-1] if again else known[-1:]), target]
    return found


def _named(trajectory: Trajectory, order: Sequence[Sequence[str]]) -> list[str | None]:
    """The name under which the order speaks of each step's tool."""
    said = ByTool({tool: tool for chain in order for tool in chain})
    return [said.get(step.tool) for step in trajectory.steps]


def _wanted(order: Sequence[Sequence[str]]) -> dict[str, list[str]]:
    """The tools that come right before each tool in a chain."""
    wanted: dict[str, list[str]] = {tool: [] for chain in order for tool in chain}
    for chain in order:
        for before, after in pairwise(chain):
            wanted[after].append(before)
    return wanted


def _together(trajectory: Trajectory, one: int, other: int) -> bool:
    turn = trajectory.steps[one].turn
    return turn is not None and turn == trajectory.steps[other].turn
