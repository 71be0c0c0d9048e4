"""Draws a dependency graph for a terminal: steps in order, edges as lines at the margin."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from otap._numbers import count_text, two_digit_text
from otap.errors import shown
from otap.graph import DependencyGraph, Edge
from otap.report.model.vocabulary import name_step
from otap.report.terminal.score_view import word_evidence
from otap.report.view import Cell, View, ViewLine, ViewTable, line
from otap.trajectory import Trajectory

LANES = 8  # lines at the margin; further edges are only written below the steps
_MAX_ID, _MAX_NAME = 20, 60  # characters


@dataclass
class _Lanes:
    """The lines at the margin, drawn step by step; each runs from a step to those that need it.

    Attributes:
        graph: the graph whose edges are drawn.
        last: for each step, the last step that needs it.
        sources: for each open lane, the step where it begins; lane 0 is next to the steps.
        hidden: steps for which no lane was free.
    """

    graph: DependencyGraph
    last: dict[int, int]
    sources: dict[int, int] = field(default_factory=dict)
    hidden: set[int] = field(default_factory=set)

    def draw_step(self, step: int) -> str:
        """Returns the margin of the next step: the lanes that touch it, and those that pass.

        A new lane is the free one nearest to the steps. It does not reuse a lane that ends in the
        same row, because the two would look like one line.
        """
        needed = set(self.graph.parents[step])
        marks = dict.fromkeys(self.sources, "│")
        for lane, source in self.sources.items():
            if source in needed:
                marks[lane] = "┴" if self.last[source] == step else "┼"
        free = next(lane for lane in range(len(marks) + 1) if lane not in marks)
        if step in self.last and free < LANES:
            marks[free], self.sources[free] = "┬", step
        elif step in self.last:
            self.hidden.add(step)
        touching = [lane for lane, mark in marks.items() if mark != "│"]
        furthest = max(touching, default=-1)
        if touching:
            marks[furthest] = dict(zip("┴┼┬", "╰├╭", strict=True))[marks[furthest]]
        for lane in [lane for lane, source in self.sources.items() if self.last[source] <= step]:
            del self.sources[lane]
        node = "●" if touching or needed or step in self.hidden else "○"
        return _draw_lanes(marks, furthest) + node

    def draw_below(self) -> str:
        """Returns the margin of the lines below a step."""
        return _draw_lanes(dict.fromkeys(self.sources, "│"), -1)


def _draw_lanes(marks: dict[int, str], furthest: int) -> str:
    """Draws the lanes, outermost first; a line joins the furthest touching lane to the step."""
    return "".join(
        marks.get(lane, "─" if lane < furthest else " ") + ("─" if lane <= furthest else " ")
        for lane in reversed(range(LANES))
    )


def graph_view(trajectory: Trajectory, graph: DependencyGraph) -> View:
    """Returns the steps in order, with their edges at the margin and the evidence below.

    Args:
        trajectory: the run whose steps the edges connect.
        graph: the graph of this trajectory.
    """
    lanes = _Lanes(graph, {k: max(needed) for k, needed in enumerate(graph.children) if needed})
    margins = [(lanes.draw_step(step), lanes.draw_below()) for step in range(graph.size)]
    unused = min((len(margin) - len(margin.lstrip()) for margin, _ in margins), default=0)
    edges_into: list[list[Edge]] = [[] for _ in range(graph.size)]
    for edge in graph.edges:
        edges_into[edge.target].append(edge)
    # The edges of a plan are requirements and have no evidence.
    form = "comes after {}" if graph.mechanism == "plan" else "needs {} ({} sure)"
    rows: list[Sequence[Cell] | ViewLine] = []
    for step, (margin, below), edges in zip(trajectory.steps, margins, edges_into, strict=True):
        id_cell = Cell(shown(step.id, _MAX_ID), "bold")
        name_cell = Cell(shown(name_step(step), _MAX_NAME))
        rows.append((Cell(margin[unused:], "cyan"), id_cell, name_cell, Cell("")))
        for edge in edges:
            rows += _edge_lines(trajectory, edge, below[unused:], form)
    steps = count_text(graph.size, "step")
    dependencies = count_text(len(graph.edges), "dependency", "dependencies")
    title = f"{shown(trajectory.name)}: {steps}, {dependencies}, {graph.mechanism}"
    notes = []
    if lanes.hidden:
        hidden = count_text(len(lanes.hidden), "step")
        notes = [line(f"no room to draw the lines from {hidden}; see the text below", "dim", 2)]
    return (line(title, "bold"), line(), ViewTable(rows, indent=2), *notes)


def _edge_lines(trajectory: Trajectory, edge: Edge, below: str, form: str) -> Iterator[ViewLine]:
    source = shown(trajectory.steps[edge.source].id, _MAX_ID)
    margin = Cell(f"  {below}", "cyan")
    next_margin = Cell(f"{margin.text}     ", "cyan")
    yield ViewLine(
        (margin, Cell(f"   {form.format(source, two_digit_text(edge.confidence))}")), next_margin
    )
    for text in word_evidence(edge):
        yield ViewLine((margin, Cell(f"     {text}", "dim")), next_margin)
