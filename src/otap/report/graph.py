"""A dependency graph as a table, JSON, Mermaid or DOT."""

import json
from collections.abc import Iterator

from otap._numbers import brief_text, count_text
from otap.dependencies import DependencyGraph, Edge
from otap.errors import shown
from otap.report.labels import step_label
from otap.report.mermaid import quoted
from otap.report.view import Cell, Line, Table, View, line
from otap.trajectory import Trajectory

EVIDENCE_SHOWN = 3  # values of an edge


def graph_view(trajectory: Trajectory, graph: DependencyGraph) -> View:
    """Returns a table with one row an edge: its ends, confidence and evidence.

    Args:
        trajectory: its steps name the ends.
        graph: the graph of this trajectory.
    """
    steps = count_text(graph.size, "step")
    edges = count_text(len(graph.edges), "dependency", "dependencies")
    count = f": {steps}, {edges}, {graph.mechanism}"
    title = Line((Cell(shown(trajectory.name), "bold"), Cell(count)))
    header = ("step", "needs", "confidence", "because")
    return title, line(), Table(list(_rows(trajectory, graph)), header)


def _rows(trajectory: Trajectory, graph: DependencyGraph) -> Iterator[tuple[Cell, ...]]:
    into: dict[int, list[Edge]] = {}
    for edge in graph.edges:
        into.setdefault(edge.target, []).append(edge)
    for target, step in enumerate(trajectory.steps):
        name = Cell(step_label(step))
        if target not in into:
            yield name, Cell("nothing", "dim"), Cell(""), Cell("")
        for edge in into.get(target, ()):
            needed = Cell(step_label(trajectory.steps[edge.source]))
            yield name, needed, Cell(brief_text(edge.confidence)), Cell(_because(edge))
            name = Cell("")


def graph_json(trajectory: Trajectory, graph: DependencyGraph) -> str:
    """Returns the graph as JSON: mechanism, steps, and edges with their evidence.

    Args:
        trajectory: its steps name the ends.
        graph: the graph of this trajectory.
    """
    ids = [step.id for step in trajectory.steps]
    edges = [
        {
            "source": ids[edge.source],
            "target": ids[edge.target],
            "confidence": edge.confidence,
            "evidence": [vars(evidence) for evidence in edge.evidence],
        }
        for edge in graph.edges
    ]
    steps = [{"id": step.id, "tool": step.tool, "kind": step.kind} for step in trajectory.steps]
    data = {"id": trajectory.id, "mechanism": graph.mechanism, "steps": steps, "edges": edges}
    return json.dumps(data, indent=2, ensure_ascii=False)


def graph_mermaid(trajectory: Trajectory, graph: DependencyGraph) -> str:
    """Returns the graph as a Mermaid flowchart, each edge labelled with its first evidence.

    Args:
        trajectory: its steps name the ends.
        graph: the graph of this trajectory.
    """
    nodes = (f"  s{k}[{quoted(step_label(step))}]" for k, step in enumerate(trajectory.steps))
    edges = (
        f"  s{edge.source} -->|{quoted(value)}| s{edge.target}"
        if (value := _first_value(edge))
        else f"  s{edge.source} --> s{edge.target}"
        for edge in graph.edges
    )
    return "\n".join(["flowchart TD", *nodes, *edges])


def graph_dot(trajectory: Trajectory, graph: DependencyGraph) -> str:
    """Returns the graph in the DOT language of Graphviz, labelled as the Mermaid flowchart.

    Args:
        trajectory: its steps name the ends.
        graph: the graph of this trajectory.
    """
    return "\n".join(["digraph {", *_dot_lines(trajectory, graph), "}"])


def _dot_lines(trajectory: Trajectory, graph: DependencyGraph) -> Iterator[str]:
    for index, step in enumerate(trajectory.steps):
        yield f"  s{index} [label={_dot(step_label(step))}, shape=box];"
    for edge in graph.edges:
        yield f"  s{edge.source} -> s{edge.target} [label={_dot(_first_value(edge))}];"


def _because(edge: Edge) -> str:
    named = [
        f"{shown(item.value, 40)} ({shown(item.source_path, 40)} -> {shown(item.target_path, 40)})"
        for item in edge.evidence[:EVIDENCE_SHOWN]
    ]
    rest = len(edge.evidence) - len(named)
    return "\n".join([*named, f"and {rest} more values"] if rest else named)


def _first_value(edge: Edge) -> str:
    return shown(edge.evidence[0].value, 24) if edge.evidence else ""


def _dot(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
