"""Writes a dependency graph as JSON, Mermaid or DOT."""

import json
from collections.abc import Callable

from otap.errors import shown
from otap.graph import DependencyGraph
from otap.report.flowcharts import quote_label
from otap.report.model.vocabulary import label_step
from otap.report.rendering import MarkedText, render_text
from otap.trajectory import Trajectory


def graph_json(trajectory: Trajectory, graph: DependencyGraph) -> str:
    """Returns the graph as JSON: mechanism, steps, and edges with their evidence.

    Args:
        trajectory: the run whose steps the edges connect.
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
    record = {"id": trajectory.id, "mechanism": graph.mechanism, "steps": steps, "edges": edges}
    return json.dumps(record, indent=2, ensure_ascii=False)


def graph_mermaid(trajectory: Trajectory, graph: DependencyGraph) -> str:
    """Returns the graph as a Mermaid flowchart; the label of an edge is its first evidence.

    Args:
        trajectory: the run whose steps the edges connect.
        graph: the graph of this trajectory.
    """
    return _render_graph("graph.mmd", trajectory, graph, quote_label)


def graph_dot(trajectory: Trajectory, graph: DependencyGraph) -> str:
    """Returns the graph in the DOT language of Graphviz, with the labels of the flowchart.

    Args:
        trajectory: the run whose steps the edges connect.
        graph: the graph of this trajectory.
    """
    return _render_graph("graph.dot", trajectory, graph, _quote_dot)


def _render_graph(
    template: str,
    trajectory: Trajectory,
    graph: DependencyGraph,
    label: Callable[[str], MarkedText],
) -> str:
    steps = [label_step(step) for step in trajectory.steps]
    edges = [
        (edge.source, edge.target, shown(edge.evidence[0].value, 24) if edge.evidence else "")
        for edge in graph.edges
    ]
    return render_text(template, steps=steps, edges=edges, label=label)


def _quote_dot(text: str) -> MarkedText:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return MarkedText(f'"{escaped}"')
