"""A dependency graph as a person sees it: steps in order, lines at the margin, the evidence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from otap._numbers import count_text, two_digit_text
from otap.dependencies import DependencyGraph, Edge
from otap.errors import shown
from otap.report.model.words import name_step
from otap.report.terminal.score import word_evidence
from otap.report.view import Cell, Line, Table, View, line
from otap.trajectory import Trajectory

LANES = 8  # lines at the margin: what has no room there is told below the steps
_ID, _NAME = 20, 60  # characters


@dataclass
class _Lanes:
    """The lines at the margin, from step to step: down from each one to those that needed it.

    Attributes:
        graph: whose edges lead down.
        last: the last step that needs each step.
        taken: the step of each lane that goes on, by its place; 0 is the one next to the steps.
        hidden: steps whose lane has no room.
    """

    graph: DependencyGraph
    last: dict[int, int]
    taken: dict[int, int] = field(default_factory=dict)
    hidden: set[int] = field(default_factory=set)

    def draw_step(self, step: int) -> str:
        """Returns the margin of the next step: the lanes that it meets, and those that pass.

        Each lane is as far in as is free. It does not begin where another one ends in the same row:
        they would look like one.
        """
        needed = set(self.graph.parents[step])
        marks = dict.fromkeys(self.taken, "│")
        for lane, source in self.taken.items():
            if source in needed:
                marks[lane] = "┴" if self.last[source] == step else "┼"
        free = next(lane for lane in range(len(marks) + 1) if lane not in marks)
        if step in self.last and free < LANES:
            marks[free], self.taken[free] = "┬", step
        elif step in self.last:
            self.hidden.add(step)
        met = [lane for lane, mark in marks.items() if mark != "│"]
        furthest = max(met, default=-1)
        if met:
            marks[furthest] = dict(zip("┴┼┬", "╰├╭", strict=True))[marks[furthest]]
        self.taken = {lane: one for lane, one in self.taken.items() if self.last[one] > step}
        node = "●" if met or needed or step in self.hidden else "○"
        return _draw_lanes(marks, furthest) + node

    def draw_below(self) -> str:
        """Returns the margin of what stands below a step."""
        return _draw_lanes(dict.fromkeys(self.taken, "│"), -1)


def _draw_lanes(marks: dict[int, str], furthest: int) -> str:
    """The lanes from the outermost in; a line leads from the furthest that is met to the step."""
    return "".join(
        marks.get(lane, "─" if lane < furthest else " ") + ("─" if lane <= furthest else " ")
        for lane in reversed(range(LANES))
    )


def graph_view(trajectory: Trajectory, graph: DependencyGraph) -> View:
    """Returns the steps in order, joined at the margin, and below each what it needed and why.

    Args:
        trajectory: its steps are those of the graph.
        graph: the graph of this trajectory.
    """
    lanes = _Lanes(graph, {k: max(needed) for k, needed in enumerate(graph.children) if needed})
    margins = [(lanes.draw_step(step), lanes.draw_below()) for step in range(graph.size)]
    unused = min((len(at) - len(at.lstrip()) for at, _ in margins), default=0)
    into: list[list[Edge]] = [[] for _ in range(graph.size)]
    for edge in graph.edges:
        into[edge.target].append(edge)
    body: list[Sequence[Cell] | Line] = []
    for step, (at, below), edges in zip(trajectory.steps, margins, into, strict=True):
        known = Cell(shown(step.id, _ID), "bold"), Cell(shown(name_step(step), _NAME)), Cell("")
        body.append((Cell(at[unused:], "cyan"), *known))
        # The edges of a plan are no proofs: it asks for them.
        how = "comes after {}" if graph.mechanism == "plan" else "needs {} ({} sure)"
        body += [
            one for edge in edges for one in _edge_lines(trajectory, edge, below[unused:], how)
        ]
    steps, edges_ = count_text(graph.size, "step"), len(graph.edges)
    dependencies = count_text(edges_, "dependency", "dependencies")
    title = f"{shown(trajectory.name)}: {steps}, {dependencies}, {graph.mechanism}"
    hidden = count_text(len(lanes.hidden), "step")
    told = f"no room to draw what needed {hidden}: the lines below the steps say it"
    end = [line(told, "dim", 2)] if lanes.hidden else []
    return (line(title, "bold"), line(), Table(body, indent=2), *end)


def _edge_lines(trajectory: Trajectory, edge: Edge, below: str, how: str) -> Iterator[Line]:
    source = shown(trajectory.steps[edge.source].id, _ID)
    margin = Cell(f"  {below}", "cyan")
    needs = Cell(f"   {how.format(source, two_digit_text(edge.confidence))}")
    evidence = (Cell(f"     {text}", "dim") for text in word_evidence(edge))
    yield from (
        Line((margin, cell), Cell(f"{margin.text}     ", "cyan")) for cell in (needs, *evidence)
    )
