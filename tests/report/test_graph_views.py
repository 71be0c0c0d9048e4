"""A dependency graph as a drawing, JSON, Mermaid and DOT."""

import json
import re

import pytest
from rich.cells import cell_len

import hotel
import otap
from otap.graph import DependencyGraph, Edge, Evidence
from otap.report.graph_files import graph_dot, graph_json, graph_mermaid
from otap.report.terminal.lanes import graph_view
from otap.report.terminal.score_view import EVIDENCE
from otap.report.view import Terminal, plain
from otap.run import dependency_graph
from otap.trajectory import parse_trajectory

TERMINAL = Terminal(100)
HOSTILE = '\x1b[31m"];\n\u202e\x9b--> <b>#quot;\\'
EDGES = [("search", "filter-price"), ("search", "filter-location"), ("filter-price", "rank"),
         ("filter-location", "rank"), ("rank", "select"), ("select", "book")]  # fmt: skip


@pytest.fixture
def gold() -> otap.Trajectory:
    """The hotel reference."""
    return hotel.reference()


@pytest.fixture
def graph(gold: otap.Trajectory) -> DependencyGraph:
    """Its graph, as traced."""
    return dependency_graph(gold)


def drawing(run: otap.Trajectory, graph: DependencyGraph, terminal: Terminal = TERMINAL) -> str:
    """The drawing as plain text."""
    return plain(graph_view(run, graph), terminal)


def test_the_drawing(gold: otap.Trajectory, graph: DependencyGraph) -> None:
    """Each step, a line from what it needs, how sure that is, and the value that proves it."""
    lines = drawing(gold, graph).splitlines()
    assert lines[0] == "hotel-booking/reference: 6 steps, 6 dependencies, traced"
    assert lines[2:9] == [
        "      ╭─●  search           hotel_search",
        "    ╭─┼─●  filter-price     filter_by_price",
        "    │ │    needs search (0.95 sure)",
        "    │ │      rs-4410: effect → arguments.hotels",
        "  ╭─│─┴─●  filter-location  filter_by_location",
        "  │ │      needs search (0.95 sure)",
        "  │ │        rs-4410: effect → arguments.hotels",
    ]
    assert lines[9] == "  ╰─┴─┬─●  rank             rank_hotels"
    plain_lines = drawing(gold, graph, Terminal(60, "ascii")).splitlines()
    assert plain_lines[2:4] == [
        "      .-*  search           hotel_search",
        "    .-+-*  filter-price     filter_by_price",
    ]


def test_much_evidence_is_counted(gold: otap.Trajectory) -> None:
    """The first values are shown, the others counted."""
    evidence = tuple(Evidence(f"v{k}", "effect", "arguments") for k in range(EVIDENCE + 2))
    text = drawing(gold, DependencyGraph(6, (Edge(0, 1, 0.5, evidence),), "traced"))
    assert "and 2 more values" in text
    assert f"v{EVIDENCE}" not in text


@pytest.mark.parametrize("columns", [50, 60, 80, 200])
def test_a_large_graph_fits(columns: int) -> None:
    """What has no room is not drawn, which is said; what it needs stands below it all the same."""
    size = 100
    edges = tuple(Edge(step - 50, step) for step in range(50, size))
    run = parse_trajectory({"steps": [{"id": f"a{k}", "tool": "t" * 90} for k in range(size)]})
    text = drawing(run, DependencyGraph(size, edges, "explicit"), Terminal(columns))
    assert max(map(cell_len, text.splitlines())) <= columns
    assert text.count("needs a") == len(edges)
    assert ("no room to draw" in text) == (columns < 200 or columns // 6 < 50)


def test_no_lane_goes_on_as_another(gold: otap.Trajectory) -> None:
    """Where one ends none begins in the same column: a chain would look like a fan."""
    lines = drawing(gold, dependency_graph(gold, "sequential")).splitlines()
    margins = [line.split("●")[0] for line in lines if "●" in line]
    assert margins == ["    ╭─", "  ╭─┴─", "  ╰─┬─", "  ╭─┴─", "  ╰─┬─", "    ╰─"]


def test_json(gold: otap.Trajectory, graph: DependencyGraph) -> None:
    """Steps and edges by id, with the evidence."""
    data = json.loads(graph_json(gold, graph))
    assert (data["id"], data["mechanism"]) == (gold.id, "traced")
    assert [step["id"] for step in data["steps"]] == [step.id for step in gold.steps]
    assert [(edge["source"], edge["target"]) for edge in data["edges"]] == EDGES
    assert data["edges"][0]["evidence"] == [
        {"value": "rs-4410", "source_path": "effect", "target_path": "arguments.hotels"}
    ]


def test_mermaid(gold: otap.Trajectory, graph: DependencyGraph) -> None:
    """A flowchart, each edge with its first value; without evidence, a bare arrow."""
    lines = graph_mermaid(gold, graph).splitlines()
    assert lines[:2] == ["flowchart TD", '  s0["search hotel_search"]']
    assert lines[7] == '  s0 -->|"rs-4410"| s1'
    assert len(lines) == 1 + 6 + 6
    bare = graph_mermaid(gold, dependency_graph(gold, "sequential"))
    assert "  s0 --> s1" in bare.splitlines()


def test_dot(gold: otap.Trajectory, graph: DependencyGraph) -> None:
    """A digraph, labelled in the same way."""
    lines = graph_dot(gold, graph).splitlines()
    assert (lines[0], lines[-1]) == ("digraph {", "}")
    assert lines[1] == '  s0 [label="search hotel_search", shape=box];'
    assert lines[7] == '  s0 -> s1 [label="rs-4410"];'


def test_a_run_without_steps() -> None:
    """An empty graph is a graph."""
    run = otap.Trajectory(steps=(), id="idle")
    graph = dependency_graph(run)
    assert drawing(run, graph).startswith("idle: 0 steps, 0 dependencies")
    assert graph_mermaid(run, graph) == "flowchart TD"
    assert graph_dot(run, graph) == "digraph {\n}"
    assert json.loads(graph_json(run, graph))["steps"] == []


def test_a_hostile_trace_ends_no_label() -> None:
    """Whatever a step is called, it stays one label on one line, and nothing is raw."""
    steps = [
        {"id": HOSTILE, "tool": HOSTILE, "effect": {"reference": "QX-77A\x1b19"}},
        {"id": "b", "action": HOSTILE, "arguments": {"reference": "QX-77A\x1b19"}},
    ]
    run = parse_trajectory({"id": HOSTILE, "steps": steps})
    graph = dependency_graph(run)
    for text in (graph_mermaid(run, graph), graph_dot(run, graph), drawing(run, graph)):
        assert all(character == "\n" or character.isprintable() for character in text)
    mermaid = graph_mermaid(run, graph).splitlines()
    assert len(mermaid) == 1 + 2 + len(graph.edges)
    assert all(line.count('"') == 2 for line in mermaid[1:3])
    dot = graph_dot(run, graph).splitlines()
    label = re.compile(r'  s\d \[label="(?:[^"\\]|\\.)*", shape=box\];')
    assert all(label.fullmatch(line) for line in dot[1:3])
