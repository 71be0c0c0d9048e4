"""A dependency graph as JSON, Mermaid or DOT."""

import json
from collections.abc import Iterator

from otap.dependencies import DependencyGraph, Edge
from otap.errors import shown
from otap.report.flowcharts import quote_label
from otap.report.model.words import label_step
from otap.trajectory import Trajectory


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
    nodes = (f"  s{k}[{quote_label(label_step(step))}]" for k, step in enumerate(trajectory.steps))
    edges = (
        f"  s{edge.source} -->|{quote_label(value)}| s{edge.target}"
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
        yield f"  s{index} [label={_dot(label_step(step))}, shape=box];"
    for edge in graph.edges:
        yield f"  s{edge.source} -> s{edge.target} [label={_dot(_first_value(edge))}];"


def _first_value(edge: Edge) -> str:
    return shown(edge.evidence[0].value, 24) if edge.evidence else ""


def _dot(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
