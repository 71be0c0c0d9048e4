"""A dependency graph as a person sees it: steps in order, lines at the margin, the evidence."""

from collections.abc import Iterator

from otap._numbers import brief_text, count_text
from otap.dependencies import DependencyGraph, Edge
from otap.report.cells import step_name
from otap.report.terminal.evidence import evidence_lines
from otap.report.terminal.lanes import Crossing, Lanes, lanes
from otap.report.terminal.paper import Paper, padded
from otap.report.terminal.widths import width
from otap.report.view import Cell, Line, View, line
from otap.trajectory import Step, Trajectory

_INDENT = 2
_ID = 20  # columns of an id
_DRAWN = 3  # the part of the paper that the drawing may take, as one of so many
_ASCII = str.maketrans("│─●○╭├╰┬┼┴", "|-*o.+'.+'")


def graph_view(trajectory: Trajectory, graph: DependencyGraph, paper: Paper) -> View:
    """Returns the steps in order, joined at the margin, and below each what it needed and why.

    Args:
        trajectory: its steps are those of the graph.
        graph: the graph of this trajectory.
        paper: what it is drawn on.
    """
    return tuple(_parts(trajectory, graph, paper))


def _parts(trajectory: Trajectory, graph: DependencyGraph, paper: Paper) -> Iterator[Line]:
    steps = count_text(graph.size, "step")
    edges = count_text(len(graph.edges), "dependency", "dependencies")
    title = f"{paper.text(trajectory.name, 80)}: {steps}, {edges}, {graph.mechanism}"
    yield from paper.paragraph(title, "bold")
    yield line()
    drawn = lanes(graph, paper.columns // _DRAWN // 2)
    into: list[list[Edge]] = [[] for _ in range(graph.size)]
    for edge in graph.edges:
        into[edge.target].append(edge)
    ids = min(max((width(_id(one, paper)) for one in trajectory.steps), default=0), _ID)
    for place, step in enumerate(trajectory.steps):
        yield _step(step, _margin(drawn, place, paper, bool(into[place])), ids, paper)
        for edge in into[place]:
            yield from _evidence(edge, trajectory, _below(drawn, place, paper), paper)
    if drawn.hidden:
        named = count_text(len(drawn.hidden), "step")
        text = f"no room to draw what needed {named}: the lines below the steps say it"
        yield from paper.paragraph(text, "dim", _INDENT)


def _step(step: Step, margin: str, ids: int, paper: Paper) -> Line:
    known = padded(paper.cut(_id(step, paper), ids), ids)
    room = paper.columns - len(margin) - ids - 3
    name = paper.squeezed(paper.text(step_name(step), 60), room)
    return Line((Cell(margin, "cyan"), Cell(f" {known}  ", "bold"), Cell(name)))


def _evidence(edge: Edge, trajectory: Trajectory, margin: str, paper: Paper) -> Iterator[Line]:
    source = trajectory.steps[edge.source]
    needs = f"needs {_id(source, paper)} ({brief_text(edge.confidence)} sure)"
    for number, text in enumerate([needs, *evidence_lines(edge)]):
        indent = " " * (3 if number == 0 else 5)
        room = max(paper.columns - len(margin) - len(indent), 10)
        for part in paper.wrapped(paper.own(text), room):
            yield Line((Cell(margin, "cyan"), Cell(indent + part, "dim" if number else "")))


def _id(step: Step, paper: Paper) -> str:
    return paper.text(step.id, _ID)


def _margin(drawn: Lanes, place: int, paper: Paper, needs: bool) -> str:
    """The lanes at a step: those that its own line meets, and those that pass."""
    row = drawn.rows[place]
    touched = [lane for lane, one in row.items() if one.begins or one.meets]
    furthest = max(touched, default=-1)
    node = "●" if touched or needs or place in drawn.hidden else "○"
    characters = "".join(
        _character(row.get(lane), lane, furthest) + ("─" if lane <= furthest else " ")
        for lane in reversed(range(drawn.count))
    )
    return _drawn(characters + node, paper)


def _character(one: Crossing | None, lane: int, furthest: int) -> str:
    if one is None:
        return "─" if lane < furthest else " "
    if not (one.begins or one.meets):
        return "│"
    last, on, first = "╰├╭" if lane == furthest else "┴┼┬"
    return first if one.begins else last if one.ends else on


def _below(drawn: Lanes, place: int, paper: Paper) -> str:
    lanes_on = drawn.below[place]
    characters = "".join(
        "│ " if lane in lanes_on else "  " for lane in reversed(range(drawn.count))
    )
    return _drawn(characters, paper)


def _drawn(characters: str, paper: Paper) -> str:
    return " " * _INDENT + (characters.translate(_ASCII) if paper.plain else characters)
